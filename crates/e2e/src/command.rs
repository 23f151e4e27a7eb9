//! Running a program to its end, which comes within a given time.

use std::{
    io::{Read, Write},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// How a program ended and what it said.
#[derive(Debug, Clone)]
pub struct Ended {
    pub line: String,
    /// Absent if a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

impl Ended {
    /// Its standard output, if it ended well.
    #[track_caller]
    pub fn ok(self) -> String {
        assert!(self.code == Some(0), "{}", self.told());
        self.stdout
    }

    /// As [`Ended::ok`], for a condition that is asked again.
    pub fn try_ok(self) -> Result<String, String> {
        if self.code == Some(0) {
            Ok(self.stdout)
        } else {
            Err(self.told())
        }
    }

    #[track_caller]
    pub fn json(self) -> serde_json::Value {
        let line = self.line.clone();
        serde_json::from_str(&self.ok()).unwrap_or_else(|error| panic!("{line}: not JSON: {error}"))
    }

    pub fn told(&self) -> String {
        let Self {
            line,
            code,
            stdout,
            stderr,
            took,
        } = self;
        format!(
            "`{line}` ended with {code:?} after {:.1} s\n{stdout}{stderr}",
            took.as_secs_f64()
        )
    }
}

pub fn run(command: &mut Command, within: Duration) -> Ended {
    run_with_input(command, "", within)
}

pub fn run_with_input(command: &mut Command, input: &str, within: Duration) -> Ended {
    let line = shown(command);
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("`{line}` does not start: {error}"));
    let (mut stdin, input) = (child.stdin.take().expect("piped"), input.to_owned());
    // Each pipe has its reader or writer: a program that fills one must not hang on another.
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let (stdout, stderr) = (collect(child.stdout.take()), collect(child.stderr.take()));
    let mut late = false;
    let status = loop {
        if let Some(status) = child.try_wait().expect("our own child") {
            break status;
        }
        if !late && start.elapsed() >= within {
            late = true;
            let _ = child.kill();
        }
        brief();
    };
    let took = start.elapsed();
    let _ = writer.join();
    let text = |reader: std::thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
    };
    let mut ended = Ended {
        line,
        code: status.code(),
        stdout: text(stdout),
        stderr: text(stderr),
        took,
    };
    if late {
        ended.stderr.push_str(&format!(
            "\n(killed: it was not done within {} s)\n",
            within.as_secs()
        ));
    }
    ended
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    let mut pipe = pipe.expect("piped");
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

/// Most commands end in milliseconds; then a coarser look is enough.
fn brief() {
    #[expect(
        clippy::disallowed_methods,
        reason = "a child's end is looked for, and the deadline with it"
    )]
    std::thread::sleep(Duration::from_millis(10));
}

pub(crate) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let ended = run(Command::new("sleep").arg("60"), Duration::from_millis(50));
        assert_eq!(ended.code, None);
        assert!(ended.stderr.contains("killed"));
    }
}
