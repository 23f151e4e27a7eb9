//! Somebody with a browser: follows redirects, fills in the provider's forms, and ends up where those lead.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

const PATIENCE: Duration = Duration::from_secs(30);
const FARTHEST: usize = 12;

/// Who sits in front of it.
enum Who {
    Nobody,
    /// Known to the provider by a proxy's headers.
    Behind {
        headers: String,
    },
    /// Types address and password in.
    Typing {
        email: String,
        password: String,
    },
}

pub struct Browser(Who);

#[derive(Debug, Clone)]
pub struct Page {
    pub url: String,
    pub status: u16,
    pub location: Option<String>,
    pub body: String,
}

impl Browser {
    pub fn nobody() -> Self {
        Self(Who::Nobody)
    }

    pub fn of(subject: &str, email: &str, groups: &str) -> Self {
        let groups = match groups {
            "" => String::new(),
            groups => format!("X-Remote-Group: {groups}\r\n"),
        };
        let headers = format!(
            "X-Remote-User-Id: {subject}\r\nX-Remote-User: {email}\r\nX-Remote-User-Email: {email}\r\n{groups}"
        );
        Self(Who::Behind { headers })
    }

    pub fn typing(email: &str, password: &str) -> Self {
        Self(Who::Typing {
            email: email.to_owned(),
            password: password.to_owned(),
        })
    }

    /// From the provider's first page to where it sends its people in the end; that is not visited.
    pub fn until_sent_back(&self, url: &str) -> String {
        let mut page = self.get(url);
        for _ in 0..FARTHEST {
            page = match &page.location {
                Some(next) if next.contains("/callback?code=") || next.contains("/callback?error=") => {
                    return next.clone();
                }
                Some(next) => self.get(&absolute(&page.url, next)),
                None => self.past_form(&page),
            };
        }
        panic!("it goes on for ever: {page:?}");
    }

    /// The same and there; the page that is shown at the end.
    pub fn logs_in(&self, url: &str) -> Page {
        let back = self.until_sent_back(url);
        self.get(&back)
    }

    /// Types a device's code in, and logs in.
    pub fn gives_code(&self, url: &str, code: &str) -> Page {
        let form = self.get(url);
        let target = absolute(&form.url, &form.between("action=\"", "\"").expect("a form"));
        let mut page = self.post(&target, &format!("user_code={code}"));
        for _ in 0..FARTHEST {
            page = match &page.location {
                Some(next) => self.get(&absolute(&page.url, next)),
                None if page.body.contains("Login Successful") => return page,
                None => self.past_form(&page),
            };
        }
        panic!("it goes on for ever: {page:?}");
    }

    /// Chooses how to log in, or does so.
    fn past_form(&self, page: &Page) -> Page {
        assert!(page.status < 400, "{page:?}");
        let way = match &self.0 {
            Who::Typing { email, password } if page.body.contains("name=\"password\"") => {
                let target = absolute(&page.url, &page.between("action=\"", "\"").expect("a form"));
                let escape = |text: &str| text.replace('@', "%40");
                return self.post(
                    &target,
                    &format!("login={}&password={}", escape(email), escape(password)),
                );
            }
            Who::Typing { .. } => "/auth/local",
            Who::Behind { .. } | Who::Nobody => "/auth/proxy",
        };
        let links = page
            .body
            .split("href=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next());
        let link = links.map(str::to_owned).find(|link| link.contains(way));
        self.get(&absolute(
            &page.url,
            &link.unwrap_or_else(|| panic!("no {way} on {page:?}")),
        ))
    }

    pub fn get(&self, url: &str) -> Page {
        self.try_get(url).unwrap_or_else(|error| panic!("{url}: {error}"))
    }

    pub fn try_get(&self, url: &str) -> Result<Page, String> {
        self.ask("GET", url, "")
    }

    fn post(&self, url: &str, form: &str) -> Page {
        self.ask("POST", url, form)
            .unwrap_or_else(|error| panic!("{url}: {error}"))
    }

    fn ask(&self, method: &str, url: &str, form: &str) -> Result<Page, String> {
        // As pages write them.
        let url = url.replace("&#43;", "+").replace("&amp;", "&");
        let told = |error: std::io::Error| error.to_string();
        let rest = url.strip_prefix("http://").ok_or("only http here")?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let headers = match &self.0 {
            Who::Behind { headers } => headers.as_str(),
            Who::Nobody | Who::Typing { .. } => "",
        };
        let request = format!(
            "{method} /{path} HTTP/1.0\r\nHost: {authority}\r\n{headers}\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
            form.len()
        );
        let mut socket = TcpStream::connect(authority).map_err(told)?;
        socket.set_read_timeout(Some(PATIENCE)).map_err(told)?;
        socket.write_all(request.as_bytes()).map_err(told)?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer).map_err(told)?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let location = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("location").then(|| value.to_owned())
        });
        Ok(Page {
            status: status.ok_or("no status")?,
            location,
            body: body.to_owned(),
            url,
        })
    }
}

impl Page {
    fn between(&self, before: &str, after: &str) -> Option<String> {
        let rest = self.body.split_once(before)?.1;
        Some(rest.split_once(after)?.0.to_owned())
    }
}

fn absolute(from: &str, to: &str) -> String {
    if to.starts_with("http://") {
        return to.to_owned();
    }
    let origin: Vec<&str> = from.splitn(4, '/').take(3).collect();
    format!("{}{to}", origin.join("/"))
}
