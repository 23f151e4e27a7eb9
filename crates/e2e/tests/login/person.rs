//! Somebody with a home of their own, the real `cloud`, and nothing of the operator's.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use e2e::{Ended, Platform, Session, eventually, run};
use serde_json::Value;

use super::browser::Browser;

const PATIENCE: Duration = Duration::from_secs(60);

pub struct Person {
    home: PathBuf,
    cloud: PathBuf,
    endpoint: String,
}

impl Person {
    pub fn new(platform: &Platform, name: &str) -> Self {
        let home = platform.dir().join("home").join(name);
        fs::create_dir_all(&home).expect("writable");
        Self {
            home,
            cloud: platform.programs().cloud.clone(),
            endpoint: format!("http://{}", platform.listen()),
        }
    }

    pub fn file(&self, name: &str, content: &str) -> String {
        let path = self.home.join(name);
        fs::write(&path, content).expect("writable");
        path.to_str().expect("UTF-8").to_owned()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.cloud);
        command.args(words).env_clear().env("HOME", &self.home);
        if words[0] == "login" {
            command.args(["--endpoint", &self.endpoint]);
        }
        command
    }

    pub fn run(&self, words: &[&str], within: Duration) -> Ended {
        run(&mut self.command(words), within)
    }

    #[track_caller]
    pub fn refused(&self, words: &[&str], exit: i32, code: &str) {
        let ended = self.run(words, PATIENCE);
        assert_eq!(ended.code, Some(exit), "{}", ended.told());
        assert!(
            ended.stderr.contains(&format!("error[{code}]: ")),
            "{}",
            ended.told()
        );
    }

    /// `cloud login` prints an address; the browser goes there and comes back.
    #[track_caller]
    pub fn logs_in(&self, browser: &Browser, more: &[&str]) {
        let words = [&["login", "--provider", "corp"], more].concat();
        self.browse(&words, browser, "You are logged in.");
        self.is_in();
    }

    #[track_caller]
    pub fn logs_in_unnamed(&self, browser: &Browser) {
        self.browse(&["login"], browser, "You are logged in.");
        self.is_in();
    }

    #[track_caller]
    pub fn is_refused_in_browser(&self, browser: &Browser, more: &[&str], code: &str) {
        let words = [&["login", "--provider", "corp"], more].concat();
        let said = self.browse(&words, browser, "The login failed.");
        assert!(said.contains(&format!("error[{code}]: ")), "not {code}: {said}");
    }

    #[track_caller]
    fn browse(&self, words: &[&str], browser: &Browser, page: &str) -> String {
        let mut session = Session::start(&mut self.command(words));
        let said = session.hears("\n\n  http", PATIENCE);
        let url = said
            .lines()
            .find_map(|line| line.strip_prefix("  http"))
            .expect("an address");
        let seen = browser.logs_in(&format!("http{}", url.trim()));
        assert!(seen.body.contains(page), "{seen:?}");
        ended(&mut session)
    }

    #[track_caller]
    pub fn logs_in_on_a_device(&self, browser: &Browser) {
        let mut session = Session::start(&mut self.command(&["login", "--provider", "corp", "--device"]));
        let said = session.hears("type in the code", PATIENCE);
        let mut shown = said.lines().filter_map(|line| line.strip_prefix("  "));
        let url = shown.next().expect("an address").to_owned();
        let said = eventually("a code is shown", PATIENCE, || {
            let said = session.said();
            let code = said.lines().filter_map(|line| line.strip_prefix("  ")).nth(1);
            code.map(str::to_owned).ok_or(said)
        });
        browser.gives_code(&url, &said);
        let said = ended(&mut session);
        assert!(said.contains("logged in to"), "{said}");
        self.is_in();
    }

    #[track_caller]
    fn is_in(&self) {
        self.run(&["whoami"], PATIENCE).ok();
    }

    /// `role place`, by name.
    #[track_caller]
    pub fn roles(&self) -> Vec<String> {
        let text = self.run(&["whoami"], PATIENCE).ok();
        let mut roles: Vec<String> = text
            .lines()
            .filter_map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                let at = words
                    .iter()
                    .position(|word| word.starts_with("project_") || word.starts_with("org_"))?;
                // The most particular place comes last.
                let place = words[at + 1..].iter().rfind(|word| **word != "-")?;
                Some(format!("{} {place}", words[at]))
            })
            .collect();
        roles.sort();
        roles
    }

    pub fn access_token(&self) -> String {
        let file = read(&self.home.join(".config/plasmacloud/credentials.toml"));
        let file: toml::Table = file.parse().expect("TOML");
        let file: Value = serde_json::to_value(file).expect("plain data");
        file["context"][0]["access-token"]
            .as_str()
            .expect("a token")
            .to_owned()
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn ended(session: &mut Session) -> String {
    eventually("it ends", PATIENCE, || match session.goes_on() {
        Ok(()) => Err(session.said()),
        Err(_) => Ok(()),
    });
    session.said()
}
