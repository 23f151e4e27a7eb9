//! Runs the tools a build needs: output is kept for the error message, a full disk is recognised in it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, Stdio};

use super::BuildError;
use crate::cache::{CacheError, Scratch, io_error};

/// Lines of output that an error message shows.
const TAIL: usize = 30;

/// Runs a command to its end; its output goes to a file in `scratch`.
pub(super) fn run(step: &str, mut command: Command, scratch: &Scratch) -> Result<(), BuildError> {
    let log = scratch.path().join("output.log");
    let out = File::create(&log).map_err(io_error("create", &log))?;
    let err = out.try_clone().map_err(io_error("create", &log))?;
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .status()
        .map_err(|source| BuildError::Start { program, source })?;
    if status.success() {
        return Ok(());
    }
    let tail = tail(&log).unwrap_or_default();
    if tail.to_lowercase().contains("no space left on device") {
        let full = io_error("run", scratch.path())(io::Error::from(io::ErrorKind::StorageFull));
        return Err(BuildError::Cache(full));
    }
    Err(BuildError::Command {
        step: step.to_owned(),
        status: status.to_string(),
        tail,
    })
}

/// A command that is killed when this process dies, so that nothing goes on building for nobody.
pub(super) fn tied(program: &str) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", program]);
    command
}

/// What a command prints.
pub(super) fn output(step: &str, mut command: Command) -> Result<String, BuildError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let out = command
        .stdin(Stdio::null())
        .output()
        .map_err(|source| BuildError::Start { program, source })?;
    if !out.status.success() {
        // `go mod download -json` puts its reason on standard output.
        let said = if out.stderr.is_empty() {
            &out.stdout
        } else {
            &out.stderr
        };
        let tail = String::from_utf8_lossy(said).into_owned();
        return Err(BuildError::Command {
            step: step.to_owned(),
            status: out.status.to_string(),
            tail,
        });
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// Whether a program is on `PATH`.
pub(super) fn exists(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

fn tail(log: &Path) -> Result<String, CacheError> {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(log)?;
        let start = file.metadata()?.len().saturating_sub(16 * 1024);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(io_error("read", log))?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<_> = text.lines().collect();
    Ok(lines[lines.len().saturating_sub(TAIL)..].join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::Cache;

    fn shell(script: &str) -> Result<(), BuildError> {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path()).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run("step", command, &cache.blobs().scratch().unwrap())
    }

    #[test]
    fn a_failure_shows_what_the_tool_said() {
        shell("true").unwrap();
        let error = shell("echo compiling; echo undefined: x >&2; exit 3").unwrap_err();
        assert_eq!(error.code(), "build_failed");
        assert!(error.to_string().contains("undefined: x"), "{error}");
    }

    #[test]
    fn a_full_disk_is_recognised() {
        let error = shell("echo 'write a.o: no space left on device' >&2; exit 1").unwrap_err();
        assert_eq!(error.code(), "disk_full");
    }

    #[test]
    fn a_missing_tool_is_named() {
        assert!(!exists("no-such-tool-here"));
        assert!(exists("sh"));
    }
}
