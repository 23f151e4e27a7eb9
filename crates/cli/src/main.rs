//! `cloud`: parses and runs one command.

use std::process::ExitCode;

use clap::Parser;
use cli::{arguments::Cloud, commands, failure::Failure, usage};

fn main() -> ExitCode {
    let cloud = match Cloud::try_parse() {
        Ok(cloud) => cloud,
        Err(error) => return usage::report(&error),
    };
    match commands::run(cloud) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => report(&failure),
    }
}

fn report(failure: &Failure) -> ExitCode {
    eprintln!("{failure}");
    failure.exit.into()
}
