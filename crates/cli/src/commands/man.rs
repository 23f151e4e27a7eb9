//! `cloud man`: man pages from the same definitions as the help, written at installation.

use std::path::PathBuf;

use clap::{Args, CommandFactory};

use crate::{
    arguments::Cloud,
    failure::{Exit, Failure},
};

#[derive(Debug, Args)]
pub struct Man {
    directory: PathBuf,
}

pub fn run(command: &Man) -> Result<(), Failure> {
    let written = std::fs::create_dir_all(&command.directory)
        .and_then(|()| clap_mangen::generate_to(Cloud::command(), &command.directory));
    written.map_err(|error| {
        Failure::new(
            Exit::Failed,
            "man-unwritable",
            format!("{} cannot be written: {error}", command.directory.display()),
            "give a directory you may write to",
        )
    })
}
