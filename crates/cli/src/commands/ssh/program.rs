//! The system's `ssh`, told everything and asked nothing: no file of its user's is read, no host key is taken on trust.

use std::{ffi::OsString, io, os::unix::process::ExitStatusExt, path::PathBuf, process::ExitStatus};

use tokio::{
    process::{Child, Command},
    signal::unix::{SignalKind, signal},
};

use super::session::{Key, Session};
use crate::failure::{Exit, Failure};

/// What ssh ends with when it was ssh that failed.
const SSH_FAILED: i32 = 255;

pub fn find() -> Result<PathBuf, Failure> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|dir| dir.join("ssh"))
        .find(|file| file.is_file());
    found.ok_or_else(|| {
        Failure::new(
            Exit::Failed,
            "ssh-missing",
            "there is no `ssh` in the PATH",
            "install OpenSSH's client: `apt install openssh-client` or your system's package",
        )
    })
}

/// What it ended with.
pub async fn run(ssh: &PathBuf, session: &Session, key: &Key, command: &[String]) -> Result<i32, Failure> {
    let mut child = Command::new(ssh);
    child.args(["-F", "none"]);
    for option in options(session, key)? {
        child.arg("-o").arg(option);
    }
    child.arg("-l").arg(&session.user).arg(&session.instance);
    if !command.is_empty() {
        child.arg("--").args(command);
    }
    let failed = |error: io::Error| {
        Failure::new(
            Exit::Failed,
            "ssh-failed",
            format!("{} could not be run: {error}", ssh.display()),
            "check that it is OpenSSH's client",
        )
    };
    let child = child.kill_on_drop(true).spawn().map_err(failed)?;
    watched(child).await.map(code).map_err(failed)
}

/// Keys that end a program go to ssh, which has the terminal; this one stays to clear up behind it.
async fn watched(mut child: Child) -> io::Result<ExitStatus> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    loop {
        tokio::select! {
            ended = child.wait() => return ended,
            _ = interrupt.recv() => {}
            _ = terminate.recv() => child.start_kill()?,
            _ = hangup.recv() => child.start_kill()?,
        }
    }
}

fn code(status: ExitStatus) -> i32 {
    let by_signal = || status.signal().map(|signal| 128 + signal);
    status.code().or_else(by_signal).unwrap_or(SSH_FAILED)
}

fn options(session: &Session, key: &Key) -> Result<Vec<OsString>, Failure> {
    let files = &session.files;
    let with = |name: &str, path: PathBuf| {
        let mut option = OsString::from(format!("{name}="));
        option.push(path);
        option
    };
    let mut options: Vec<OsString> = [
        format!("ProxyCommand={}", proxy_command(&files.way())?),
        format!("HostKeyAlias={}", session.instance),
    ]
    .map(OsString::from)
    .to_vec();
    options.push(with("CertificateFile", files.certificate()));
    options.push(with("UserKnownHostsFile", files.known_hosts()));
    options.extend(
        [
            "GlobalKnownHostsFile=/dev/null",
            "StrictHostKeyChecking=yes",
            "UpdateHostKeys=no",
            "PreferredAuthentications=publickey",
            "PasswordAuthentication=no",
            "KbdInteractiveAuthentication=no",
        ]
        .map(OsString::from),
    );
    match key {
        Key::Made => {
            options.push(with("IdentityFile", files.key()));
            options.extend(["IdentitiesOnly=yes", "IdentityAgent=none", "BatchMode=yes"].map(OsString::from));
        }
        Key::Known {
            identity: Some(path), ..
        } => {
            options.push(with("IdentityFile", path.clone()));
            options.push("IdentitiesOnly=yes".into());
        }
        // Its agent, or where ssh looks by itself.
        Key::Known { identity: None, .. } => {}
    }
    Ok(options)
}

/// As ssh hands it to a shell.
pub fn proxy_command(way: &std::path::Path) -> Result<String, Failure> {
    let own = own_program()?;
    let words = [own.as_str(), "ssh-proxy", "--way", &way.display().to_string()].map(quoted);
    // ssh replaces what stands behind a percent sign.
    Ok(words.join(" ").replace('%', "%%"))
}

pub fn own_program() -> Result<String, Failure> {
    let path = std::env::current_exe().map_err(|error| {
        Failure::new(
            Exit::Failed,
            "own-program-unknown",
            format!("where this program is cannot be told: {error}"),
            "run it by its whole path",
        )
    })?;
    Ok(path.display().to_string())
}

/// One word to a shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(quoted("/usr/bin/cloud"), "/usr/bin/cloud");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted(""), "''");
    }
}
