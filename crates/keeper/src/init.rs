//! The first process of a system machine. It must not end by mistake: the machine would end with it. What cannot be
//! prepared is said in the status, and the rest goes on.

use std::{io, path::PathBuf};

use types::keeper::{CONFIG_PATH, STATUS_PATH};

use crate::{config, launch::Tie, prepare, signals::Signals, status::StatusFile, supervisor::Supervisor};

pub fn init() -> Result<(), Box<dyn std::error::Error>> {
    let signals = Signals::block()?;
    let mut problems = Vec::new();
    if let Err(error) = prepare::prepare() {
        eprintln!("cloud-keeper: {error}");
        problems.push(format!("prepare: {error}"));
    }
    let path = PathBuf::from(CONFIG_PATH);
    let config = config::load(&path)?;
    let mut supervisor = Supervisor::new(
        path,
        config,
        StatusFile::new(Some(STATUS_PATH.into())),
        Tie::Confined,
    );
    supervisor.problems.extend(problems);
    // The machine is told apart from one that hangs by its console.
    eprintln!("cloud-keeper: the machine is prepared");
    Ok(supervisor
        .supervise(&signals)
        .map_err(|error| io::Error::new(error.kind(), format!("supervision: {error}")))?)
}
