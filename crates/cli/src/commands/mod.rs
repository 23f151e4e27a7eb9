//! Commands, one file each. A group's `mod.rs` lists what is in it.

pub mod admin;
pub mod apply;
pub mod audit;
pub mod bundle;
pub mod completion;
pub mod events;
pub mod instance;
pub mod k8s;
pub mod man;
pub mod operation;
pub mod version;
pub mod vpc;

use clap::builder::NonEmptyStringValueParser;

use crate::{
    arguments::{Cloud, Command},
    failure::{Exit, Failure},
};

/// What names a thing: its name or its id.
#[derive(Debug, clap::Args)]
pub struct Reference {
    /// Name or id
    #[arg(value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub reference: String,
}

/// Whether to wait for what was begun.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Wait {
    /// Do not wait; print the id of the operation and return
    #[arg(long)]
    pub no_wait: bool,
}

pub fn run(cloud: Cloud) -> Result<(), Failure> {
    let Cloud { connection, command } = cloud;
    let client = || connection.client();
    match command {
        Command::Vpc(command) => wait_for(vpc::run(client()?, command)),
        Command::K8s(command) => wait_for(k8s::run(client()?, command)),
        Command::Apply(command) => wait_for(apply::run(client()?, command)),
        Command::Instance(command) => wait_for(instance::run(client()?, command)),
        Command::Operation(command) => wait_for(operation::run(client()?, command)),
        Command::Events(command) => wait_for(events::run(client()?, command)),
        Command::Admin(command) => wait_for(admin::run(&connection, command)),
        Command::Audit(command) => wait_for(audit::run(client()?, connection.project.clone(), command)),
        Command::Version(command) => wait_for(version::run(&connection, command)),
        Command::Bundle(command) => bundle::run(command),
        Command::Completion(command) => completion::run(&command),
        Command::Man(command) => man::run(&command),
    }
}

/// One thread: a command is one conversation.
fn wait_for(command: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Failure::new(
            Exit::Failed,
            "runtime",
            error.to_string(),
            "check the limits on open files and processes",
        )
    })?;
    runtime.block_on(command)
}
