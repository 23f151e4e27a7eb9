//! Asking a person, and reading what must not be seen: from a file, from standard input, or from the terminal without
//! showing it. Never from an argument, which every user of the host can read.

use std::{
    fs,
    io::{self, BufRead, IsTerminal, Read, Write},
    path::Path,
};

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use types::Secret;

use crate::failure::{Exit, Failure};

/// No password or code is longer; what is, is another file.
const LONGEST: usize = 4096;
const STDIN: &str = "-";

const INTERRUPT: u8 = 3;
const END: u8 = 4;
const BACKSPACE: [u8; 2] = [8, 127];
const KILL: u8 = 21;

pub fn is_somebody_there() -> bool {
    io::stdin().is_terminal()
}

/// A line that may be seen.
pub fn line(question: &str) -> Result<String, Failure> {
    say(question);
    let mut line = String::new();
    let read = io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|e| unreadable(&e))?;
    if read == 0 {
        return Err(nothing(question));
    }
    Ok(line.trim().to_owned())
}

/// A secret: the first line of a file; without one (or with `-`) asked for, or the next line of standard input.
pub fn secret(question: &str, file: Option<&Path>) -> Result<Secret, Failure> {
    match file {
        Some(path) if path != Path::new(STDIN) => from_file(question, path),
        _ if is_somebody_there() => unseen(question),
        _ => from_stdin(question),
    }
}

/// A secret nobody has typed before: twice, if somebody types it.
pub fn new_secret(question: &str, file: Option<&Path>) -> Result<Secret, Failure> {
    let first = secret(question, file)?;
    let typed = file.is_none_or(|path| path == Path::new(STDIN)) && is_somebody_there();
    if typed && unseen("The same again")? != first {
        return Err(Failure::new(
            Exit::Usage,
            "password-differs",
            "the two are not the same",
            "type it again; nothing was changed",
        ));
    }
    Ok(first)
}

fn say(question: &str) {
    let mut out = io::stderr().lock();
    let _ = write!(out, "{question}: ").and_then(|()| out.flush());
}

fn from_file(question: &str, path: &Path) -> Result<Secret, Failure> {
    let bytes = fs::read(path).map_err(|error| {
        Failure::new(
            Exit::Usage,
            "file-unreadable",
            format!("{question}: {} cannot be read: {error}", path.display()),
            "give a file that holds it and that you may read",
        )
    })?;
    first_line(question, &bytes)
}

/// Byte by byte: what is behind the line stays for the next question.
fn from_stdin(question: &str) -> Result<Secret, Failure> {
    let mut bytes = Vec::new();
    let mut stdin = io::stdin().lock();
    let mut byte = [0u8];
    while bytes.len() <= LONGEST && stdin.read(&mut byte).map_err(|e| unreadable(&e))? == 1 {
        if byte == *b"\n" {
            break;
        }
        bytes.push(byte[0]);
    }
    first_line(question, &bytes)
}

fn first_line(question: &str, bytes: &[u8]) -> Result<Secret, Failure> {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() || line.len() > LONGEST || std::str::from_utf8(line).is_err() {
        return Err(nothing(question));
    }
    Ok(Secret::new(line))
}

fn nothing(question: &str) -> Failure {
    Failure::new(
        Exit::Usage,
        "answer-missing",
        format!("{question}: none was given, or not a line of text"),
        "run it in a terminal, give a file, or write it to standard input as one line",
    )
}

fn unreadable(error: &io::Error) -> Failure {
    Failure::new(
        Exit::Failed,
        "input-unreadable",
        format!("standard input cannot be read: {error}"),
        "run it in a terminal, or give a file",
    )
}

/// A terminal that shows nothing and hands over each key, until this is dropped. Keys that end a program come as keys, so
/// that the terminal never stays silent after it.
struct Silent(Termios);

impl Silent {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut silent = before.clone();
        silent
            .local_modes
            .remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
        silent.special_codes[SpecialCodeIndex::VMIN] = 1;
        silent.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(io::stdin(), OptionalActions::Drain, &silent)?;
        Ok(Self(before))
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Drain, &self.0);
        eprintln!();
    }
}

fn unseen(question: &str) -> Result<Secret, Failure> {
    say(question);
    let silent = Silent::begin().map_err(|e| unreadable(&e))?;
    let mut typed = Vec::new();
    let mut key = [0u8];
    loop {
        // Unbuffered: the next question reads the same terminal.
        let read = rustix::io::read(io::stdin(), &mut key).map_err(|e| unreadable(&e.into()))?;
        match key[0] {
            _ if read == 0 => break,
            b'\r' | b'\n' | END => break,
            INTERRUPT => {
                drop(silent);
                return Err(Failure::new(
                    Exit::Interrupted,
                    "interrupted",
                    "stopped",
                    "nothing was changed",
                ));
            }
            KILL => typed.clear(),
            byte if BACKSPACE.contains(&byte) => drop_last(&mut typed),
            byte if typed.len() < LONGEST => typed.push(byte),
            _ => {}
        }
    }
    drop(silent);
    first_line(question, &typed)
}

/// A character, however many bytes it has.
fn drop_last(typed: &mut Vec<u8>) {
    let is_continuation = |byte: u8| byte & 0xC0 == 0x80;
    while typed.pop().is_some_and(is_continuation) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_it() {
        for (given, wanted) in [
            ("hunter2\n", "hunter2"),
            ("hunter2\r\nmore\n", "hunter2"),
            (" a b ", " a b "),
        ] {
            assert_eq!(first_line("x", given.as_bytes()).unwrap(), Secret::new(wanted));
        }
        assert_eq!(first_line("x", b"\nhunter2").unwrap_err().code, "answer-missing");
        assert!(first_line("x", &[0xff]).is_err());
    }

    #[test]
    fn backspace_takes_a_character() {
        let mut typed = "aü€".as_bytes().to_vec();
        drop_last(&mut typed);
        assert_eq!(typed, "aü".as_bytes());
        drop_last(&mut typed);
        drop_last(&mut typed);
        drop_last(&mut typed);
        assert!(typed.is_empty());
    }
}
