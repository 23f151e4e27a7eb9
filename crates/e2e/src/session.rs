//! A program that goes on while a test does other things: `kubectl get -w`, an exec session, a port-forward.

use std::{
    io::{Read, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

use crate::{command::shown, wait::eventually};

pub struct Session {
    line: String,
    child: Child,
    stdin: Option<ChildStdin>,
    said: Arc<Mutex<String>>,
}

impl Session {
    pub fn start(command: &mut Command) -> Self {
        let line = shown(command);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("`{line}` does not start: {error}"));
        let said = Arc::new(Mutex::new(String::new()));
        follow(child.stdout.take().expect("piped"), said.clone());
        follow(child.stderr.take().expect("piped"), said.clone());
        Self {
            line,
            stdin: child.stdin.take(),
            child,
            said,
        }
    }

    pub fn say(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().expect("open until the end");
        stdin
            .write_all(text.as_bytes())
            .and_then(|()| stdin.flush())
            .expect("it listens");
    }

    /// All it said up to now, both streams.
    pub fn said(&self) -> String {
        self.said.lock().expect("not poisoned").clone()
    }

    pub fn goes_on(&mut self) -> Result<(), String> {
        match self.child.try_wait().expect("our own child") {
            None => Ok(()),
            Some(status) => Err(format!("`{}` ended with {status}: {}", self.line, self.said())),
        }
    }

    /// Waits until it has said this.
    pub fn hears(&mut self, word: &str, within: Duration) -> String {
        let what = format!("`{}` says '{word}'", self.line);
        eventually(&what, within, || {
            let said = self.said();
            if said.contains(word) {
                return Ok(said);
            }
            self.goes_on().map_err(|ended| format!("{ended}; {said}"))?;
            Err(said)
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn follow(mut pipe: impl Read + Send + 'static, said: Arc<Mutex<String>>) {
    std::thread::spawn(move || {
        let mut buffer = [0u8; 4096];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            said.lock()
                .expect("not poisoned")
                .push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
    });
}
