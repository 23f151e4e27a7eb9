//! Commands, one file each. A group's `mod.rs` lists what is in it.

pub mod admin;
pub mod apply;
pub mod audit;
pub mod bundle;
pub mod completion;
pub mod context;
pub mod events;
pub mod instance;
pub mod k8s;
pub mod login;
pub mod logout;
pub mod man;
pub mod operation;
pub mod org;
pub mod password;
pub mod project;
pub mod quota;
pub mod sa;
pub mod secret;
pub mod ssh;
pub mod ssh_key;
pub mod token;
pub mod user;
pub mod version;
pub mod vpc;
pub mod whoami;

use api::client::Client;
use clap::builder::NonEmptyStringValueParser;

use crate::{
    arguments::{Cloud, Command},
    connection::Connection,
    failure::{Exit, Failure},
};

/// The platform's word for a token that is not good, or not any more.
const TOKEN_WRONG: &str = "token-wrong";

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
    let at = &connection;
    match command {
        Command::Login(command) => wait_for(login::run(at, command)),
        Command::Logout(command) => wait_for(looked_into(at, logout::run(at, command))),
        Command::Whoami(command) => wait_for(looked_into(at, whoami::run(at, command))),
        Command::Password(command) => wait_for(looked_into(at, password::run(at, command))),
        Command::Context(command) => context::run(at, command),
        Command::Org(command) => with_client(at, |client| org::run(client, command)),
        Command::Project(command) => with_client(at, |client| project::run(client, command)),
        Command::Quota(command) => with_client(at, |client| quota::run(client, command)),
        Command::User(command) => with_client(at, |client| user::run(client, command)),
        Command::Sa(command) => with_client(at, |client| sa::run(client, command)),
        Command::Token(command) => with_client(at, |client| token::run(client, command)),
        Command::Vpc(command) => with_client(at, |client| vpc::run(client, command)),
        Command::K8s(command) => with_client(at, |client| k8s::run(at, client, command)),
        Command::Apply(command) => with_client(at, |client| apply::run(client, command)),
        Command::Instance(command) => with_client(at, |client| instance::run(client, command)),
        Command::Secret(command) => with_client(at, |client| secret::run(client, command)),
        Command::SshKey(command) => with_client(at, |client| ssh_key::run(client, command)),
        Command::Ssh(command) => with_client(at, |client| async move { command.run(&client, at).await }),
        Command::SshProxy(command) => wait_for(command.run()),
        Command::Operation(command) => with_client(at, |client| operation::run(client, command)),
        Command::Events(command) => with_client(at, |client| events::run(client, command)),
        Command::Admin(command) => admin::run(at, command),
        Command::Audit(command) => {
            let in_project = connection.project.is_some();
            with_client(at, |client| audit::run(client, in_project, command))
        }
        Command::Version(command) => wait_for(version::run(at, command)),
        Command::Bundle(command) => bundle::run(command),
        Command::Completion(command) => completion::run(&command),
        Command::Man(command) => man::run(&command),
    }
}

fn with_client<F: Future<Output = Result<(), Failure>>>(
    connection: &Connection,
    command: impl FnOnce(Client) -> F,
) -> Result<(), Failure> {
    wait_for(looked_into(connection, async {
        command(connection.client().await?).await
    }))
}

/// A token that the platform does not take any more is not shown to it again.
async fn looked_into(
    connection: &Connection,
    command: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    let done = command.await;
    match done {
        Err(failure) if failure.code == TOKEN_WRONG => Err(connection.spent(failure)),
        done => done,
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
