//! `cloud completion`

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::{generate, shells};

use crate::{arguments::Cloud, failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Completion {
    shell: Shell,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

pub fn run(command: &Completion) -> Result<(), Failure> {
    let mut cloud = Cloud::command();
    let mut script = Vec::new();
    match command.shell {
        Shell::Bash => generate(shells::Bash, &mut cloud, "cloud", &mut script),
        Shell::Zsh => generate(shells::Zsh, &mut cloud, "cloud", &mut script),
        Shell::Fish => generate(shells::Fish, &mut cloud, "cloud", &mut script),
    }
    print(&String::from_utf8_lossy(&script))
}
