//! What a person is asked on a terminal, and that it shows no secret.

use std::{
    fs::File,
    io::{Read, Write},
    os::fd::OwnedFd,
    process::{Child, Command, Stdio},
};

use rustix::{
    fs::{Mode, OFlags},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{LocalModes, tcgetattr},
};

use crate::{
    person::{PASSWORD, Person, invitation},
    site::{Ran, Site},
};

/// A terminal with somebody at its keyboard.
struct Terminal {
    keyboard: File,
    line: OwnedFd,
}

impl Terminal {
    fn open() -> Self {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap();
        let line = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        Self {
            keyboard: keyboard.into(),
            line,
        }
    }

    fn spawn(&self, command: &mut Command) -> Child {
        command
            .stdin(self.line.try_clone().unwrap())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Once the question was asked, and whatever is typed is not shown any more.
    fn answer(&mut self, child: &mut Child, question: &str, keys: &str) {
        let mut asked = String::new();
        let mut byte = [0u8];
        while !asked.ends_with(&format!("{question}: ")) {
            let read = child.stderr.as_mut().unwrap().read(&mut byte).unwrap();
            assert_eq!(read, 1, "ended after: {asked}");
            asked.push(byte[0].into());
        }
        if question != "Email" {
            while tcgetattr(&self.line)
                .unwrap()
                .local_modes
                .contains(LocalModes::ECHO)
            {
                assert!(child.try_wait().unwrap().is_none(), "it ended");
                std::thread::yield_now();
            }
        }
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    fn end(self, child: Child) -> (Ran, String) {
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert!(
            tcgetattr(&self.line)
                .unwrap()
                .local_modes
                .contains(LocalModes::ECHO | LocalModes::ICANON)
        );
        drop(self.line);
        let (mut keyboard, mut shown) = (self.keyboard, Vec::new());
        // It ends with an error: nobody holds the other side any more.
        let _ = keyboard.read_to_end(&mut shown);
        (ran, String::from_utf8(shown).unwrap())
    }
}

#[test]
fn an_invitation_is_taken_up_and_used_to_log_in() {
    let site = Site::start();
    let code = invitation(&site, "ana@acme.example", "project_member", "default");
    let ana = Person::at(&site, "ana");
    let question = "Password (a new one, or your own if you have logged in here before)";
    let invitation = ["login", "--endpoint", &site.endpoint, "--invitation-file", "-"];

    let mut terminal = Terminal::open();
    let mut child = terminal.spawn(&mut ana.command(&invitation));
    terminal.answer(&mut child, "Invitation code", &format!("{code}\r"));
    terminal.answer(&mut child, question, &format!("{PASSWORD}\r"));
    terminal.answer(&mut child, "The same again", "something else\r");
    let (ran, _) = terminal.end(child);
    ran.failed(2, "password-differs");

    let mut terminal = Terminal::open();
    let mut child = terminal.spawn(&mut ana.command(&invitation));
    terminal.answer(&mut child, "Invitation code", &format!("{code}\r"));
    terminal.answer(&mut child, question, &format!("wrong\x15{PASSWORD}ü\x7f\r"));
    terminal.answer(&mut child, "The same again", &format!("{PASSWORD}\r"));
    let (ran, shown) = terminal.end(child);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!shown.contains(PASSWORD) && !shown.contains(&code), "{shown}");

    let mut terminal = Terminal::open();
    let mut child = terminal.spawn(&mut ana.command(&["login"]));
    terminal.answer(&mut child, "Email", "ana@acme.example\r");
    terminal.answer(&mut child, "Password", &format!("{PASSWORD}\r"));
    let (ran, shown) = terminal.end(child);
    assert_eq!(
        ran.out,
        format!(
            "logged in to {} as ana@acme.example, project default\n",
            site.endpoint
        ),
        "{ran:?}"
    );
    assert!(
        shown.contains("ana@acme.example") && !shown.contains(PASSWORD),
        "{shown}"
    );
}

#[test]
fn stopping_at_the_password_leaves_the_terminal_as_it_was() {
    let site = Site::start();
    let ana = Person::at(&site, "ana");
    let mut terminal = Terminal::open();
    let words = [
        "login",
        "--endpoint",
        &site.endpoint,
        "--email",
        "ana@acme.example",
    ];
    let mut child = terminal.spawn(&mut ana.command(&words));
    terminal.answer(&mut child, "Password", "half\x03");
    let (ran, _) = terminal.end(child);
    ran.failed(130, "interrupted");
}
