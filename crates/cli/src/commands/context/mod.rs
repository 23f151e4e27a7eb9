//! `cloud context`: the logins of this user, and the platform on this host.

mod choose;
mod current;
mod list;

use clap::Subcommand;

use crate::{connection::Connection, failure::Failure};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Logins, and the platform on this host
    List(list::List),
    /// Make a context the current one; with --project, that is its project from now on
    Use(choose::Use),
    /// Print the name of the current context
    Current,
}

pub fn run(connection: &Connection, command: Command) -> Result<(), Failure> {
    match command {
        Command::List(command) => command.run(),
        Command::Use(command) => command.run(connection.project.as_deref()),
        Command::Current => current::run(),
    }
}

/// A context that was chosen and is not used would be a riddle.
pub fn warn_of_environment() {
    if let Some(name) = Connection::before_contexts() {
        eprintln!("note: {name} is set and goes before the current context");
    }
}
