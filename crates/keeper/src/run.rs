//! The same supervision as in a machine, for a host without systemd: `cloudd` and the edge.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use rustix::fs::FlockOperation;

use crate::{config, launch::Tie, signals::Signals, status::StatusFile, supervisor::Supervisor};

pub struct Options {
    pub config: PathBuf,
    pub pidfile: Option<PathBuf>,
    pub status: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("{0} is held by another supervisor that is running")]
    Running(PathBuf),
    #[error("cannot write {path}: {source}")]
    Pidfile { path: PathBuf, source: io::Error },
}

pub fn run(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let signals = Signals::block()?;
    rustix::process::set_child_subreaper(rustix::process::Pid::from_raw(1))?;
    let config = config::load(&options.config)?;
    let lock = options.pidfile.as_deref().map(hold).transpose()?;
    let status = StatusFile::new(options.status.clone());
    let supervisor = Supervisor::new(options.config.clone(), config, status, Tie::EndsWithUs);
    let result = supervisor.supervise(&signals);
    for file in options.pidfile.iter().chain(&options.status) {
        let _ = std::fs::remove_file(file);
    }
    drop(lock);
    Ok(result?)
}

/// The lock, not the number in the file, says that a supervisor is there.
fn hold(path: &Path) -> Result<File, RunError> {
    let failed = |source| RunError::Pidfile {
        path: path.to_owned(),
        source,
    };
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(failed)?;
    if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Err(RunError::Running(path.to_owned()));
    }
    file.set_len(0).map_err(failed)?;
    writeln!(file, "{}", std::process::id()).map_err(failed)?;
    Ok(file)
}
