//! `cloud bundle`: works on this host's cache itself, with or without a platform.

mod build;
mod export;
mod import;
mod list;
mod path;
mod steps;
mod verify;

use std::path::PathBuf;

use bundle::Cache;
use clap::{Args, Subcommand};

use crate::{
    connection,
    failure::{Exit, Failure},
};

#[derive(Debug, Args)]
pub struct Bundle {
    /// Directory of the bundles [default: the platform's, or /var/cache/plasmacloud]
    #[arg(
        long,
        global = true,
        env = "PLASMACLOUD_CACHE_DIR",
        hide_env_values = true,
        value_name = "DIR"
    )]
    cache_dir: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The bundles on this host
    List(list::List),
    /// Make the bundle of a release, or find it made
    Build(build::Build),
    /// Look at every byte of a bundle
    Verify(verify::Verify),
    /// Write a bundle into one file
    Export(export::Export),
    /// Take a bundle from a file
    Import(import::Import),
    /// Where a program of a bundle is, such as kubectl or helm
    Path(path::Path),
}

pub fn run(command: Bundle) -> Result<(), Failure> {
    let cache = Cache::open(connection::cache_dir(command.cache_dir))?;
    match command.command {
        Command::List(command) => command.run(&cache),
        Command::Build(command) => command.run(&cache),
        Command::Verify(command) => command.run(&cache),
        Command::Export(command) => command.run(&cache),
        Command::Import(command) => command.run(&cache),
        Command::Path(command) => command.run(&cache),
    }
}

fn find(cache: &Cache, version: &str) -> Result<bundle::Bundle, Failure> {
    cache.resolve(version)?.ok_or_else(|| {
        Failure::new(
            Exit::NotFound,
            "bundle-not-found",
            format!("there is no bundle of {version} in {}", cache.root().display()),
            format!("make it with `cloud bundle build {version}`, or import it; `cloud bundle list` shows what is there"),
        )
    })
}
