//! Where the browser comes back to: a port of the loopback interface that listens for one answer and shows one page.
//!
//! Anybody on this host can speak to the port. Only the answer with this login's state counts; everything else is turned
//! away and the login goes on.

use std::net::Ipv4Addr;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::{Duration, timeout},
};
use types::Secret;

use crate::failure::{Exit, Failure};

/// No browser's request for a page is longer.
const HEAD_LIMIT: usize = 16 * 1024;
/// A connection that says nothing keeps nobody waiting.
const SILENCE: Duration = Duration::from_secs(5);

pub struct Callback {
    listener: TcpListener,
    pub port: u16,
}

/// What the browser came back with, and the browser, which waits to be told how it ended.
pub struct Returned {
    pub answer: Result<Secret, String>,
    browser: TcpStream,
}

impl Callback {
    pub async fn listen() -> Result<Self, Failure> {
        let failed = |error: std::io::Error| {
            Failure::new(
                Exit::Failed,
                "callback-port",
                format!("no port of the loopback interface can be listened on: {error}"),
                "log in without a browser on this machine: --device",
            )
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Self { listener, port })
    }

    /// Waits for the answer with this state.
    pub async fn returned(&self, state: &str) -> Returned {
        loop {
            let Ok((mut browser, _)) = self.listener.accept().await else {
                continue;
            };
            let Ok(Some(target)) = timeout(SILENCE, target(&mut browser)).await else {
                continue;
            };
            match answer(&target, state) {
                Some(answer) => return Returned { answer, browser },
                None => page(&mut browser, "404 Not Found", "There is nothing here.").await,
            }
        }
    }
}

impl Returned {
    pub async fn tell(mut self, went_well: bool) {
        let text = if went_well {
            "You are logged in. You can close this page and go back to the terminal."
        } else {
            "The login failed. The terminal says why; you can close this page."
        };
        page(&mut self.browser, "200 OK", text).await;
    }
}

/// What a request asks for.
async fn target(browser: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut chunk = [0; 2048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = browser.read(&mut chunk).await.ok()?;
        if read == 0 || head.len() + read > HEAD_LIMIT {
            return None;
        }
        head.extend_from_slice(&chunk[..read]);
    }
    let line = String::from_utf8(head).ok()?.lines().next()?.to_owned();
    let mut words = line.split(' ');
    (words.next() == Some("GET")).then(|| words.next().map(str::to_owned))?
}

/// A code, or the provider's word for why there is none; nothing if this is not the answer that is waited for.
fn answer(target: &str, state: &str) -> Option<Result<Secret, String>> {
    let (path, query) = target.split_once('?')?;
    if path != "/callback" {
        return None;
    }
    let value = |wanted: &str| {
        query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .find(|(name, _)| *name == wanted)
            .and_then(|(_, value)| decoded(value))
    };
    if value("state")? != state {
        return None;
    }
    if let Some(error) = value("error") {
        let more = value("error_description").unwrap_or_default();
        let said = format!("{error} {more}");
        return Some(Err(said
            .trim_end()
            .chars()
            .filter(|c| !c.is_control())
            .take(300)
            .collect()));
    }
    value("code").map(|code| Ok(Secret::new(code)))
}

fn decoded(value: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |b: u8| char::from(b).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                u8::try_from(high * 16 + low).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

async fn page(browser: &mut TcpStream, status: &str, text: &str) {
    let body = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>PlasmaCloud</title>\
         <body style=\"font-family: sans-serif; margin: 4em\"><p>{text}</p></body></html>\n"
    );
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Referrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    );
    // A browser that went away needs no page.
    let _ = browser.write_all(answer.as_bytes()).await;
    let _ = browser.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_of_this_login_counts() {
        let found = |target: &str| answer(target, "s-1");
        assert_eq!(
            found("/callback?code=a%2Fb%20c&state=s-1"),
            Some(Ok(Secret::new("a/b c")))
        );
        assert_eq!(
            found("/callback?error=access_denied&error_description=not+today%0a&state=s-1"),
            Some(Err("access_denied not today".to_owned()))
        );
        for other in [
            "/",
            "/favicon.ico",
            "/callback",
            "/callback?code=x",
            "/callback?code=x&state=s-2",
            "/callback?state=s-1",
            "/callback?error=x",
            "/elsewhere?code=x&state=s-1",
            "/callback?code=%zz&state=s-1",
        ] {
            assert_eq!(found(other), None, "{other}");
        }
    }

    #[tokio::test]
    async fn strangers_at_the_port_do_not_end_the_login() {
        let callback = Callback::listen().await.unwrap();
        let port = callback.port;
        let browser = tokio::spawn(async move {
            let mut pages = Vec::new();
            for target in [
                "/favicon.ico",
                "/callback?code=theirs&state=wrong",
                "/callback?code=c&state=s",
            ] {
                let mut socket = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                let request = format!("GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
                socket.write_all(request.as_bytes()).await.unwrap();
                let mut page = String::new();
                socket.read_to_string(&mut page).await.unwrap();
                pages.push(page);
            }
            pages
        });
        let returned = callback.returned("s").await;
        assert_eq!(returned.answer, Ok(Secret::new("c")));
        returned.tell(true).await;
        let pages = browser.await.unwrap();
        assert!(pages[0].starts_with("HTTP/1.1 404") && pages[1].starts_with("HTTP/1.1 404"));
        assert!(pages[2].contains("You are logged in."), "{}", pages[2]);
    }
}
