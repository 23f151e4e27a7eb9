//! What a command takes from around it: the time, whether somebody watches, standard output.

use std::{
    io::{self, IsTerminal, Write},
    time::{SystemTime, UNIX_EPOCH},
};

use types::Timestamp;

use crate::failure::{Exit, Failure};

pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

/// Whether progress may be drawn: a person looks, and did not ask for plainness.
pub fn is_live() -> bool {
    let plain = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    io::stderr().is_terminal()
        && !plain("NO_COLOR")
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Writes to standard output. A reader that went away (`| head`) is not an error.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// The same of what may be no text.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            Exit::Failed,
            "output-unwritable",
            format!("standard output cannot be written: {error}"),
            "check where the output goes; the disk may be full",
        )),
        Ok(()) | Err(_) => Ok(()),
    }
}
