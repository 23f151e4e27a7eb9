//! `cloud k8s`

mod create;
mod delete;
mod get;
mod grant;
mod grants;
mod images;
mod kubeconfig;
mod list;
mod load_image;
mod plan;
mod retry;
mod revoke;
mod share;
mod token;
mod unshare;

use api::client::Client;
use clap::{Subcommand, ValueEnum};

use crate::{connection::Connection, failure::Failure};

pub use delete::finish_delete;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a cluster
    Create(create::Create),
    /// Show what applying a file would do, and do nothing
    Plan(plan::Plan),
    /// The project's clusters
    List(list::List),
    /// One cluster: endpoint, version, nodes, conditions, recent events
    Get(get::Get),
    /// Take up a creation that failed or was cancelled
    Retry(retry::Retry),
    /// Remove a cluster and all that belongs to it
    Delete(delete::Delete),
    /// Print a cluster's kubeconfig, or merge it into yours
    Kubeconfig(kubeconfig::Kubeconfig),
    /// Print a token of yours for a cluster, as kubectl's exec plugin
    Token(token::Token),
    /// Give somebody of the organisation rights in a cluster, beyond what their project role gives
    Grant(grant::Grant),
    /// Who was given rights in a cluster
    Grants(grants::Grants),
    /// Take what somebody was granted in a cluster
    Revoke(revoke::Revoke),
    /// Let another project of the organisation use a cluster, in a namespace of its own
    Share(share::Share),
    /// End that; what is in the namespace goes after a grace
    Unshare(unshare::Unshare),
    /// Load an OCI or docker archive for every node of a cluster, also those that join later
    LoadImage(load_image::LoadImage),
    /// Images loaded into a cluster
    Images(images::Images),
}

/// The other project.
#[derive(Debug, clap::Args)]
pub struct With {
    /// The other project, by name or id
    #[arg(long, value_name = "PROJECT")]
    with: String,
}

/// In a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// Reads what runs and what it needs, but no secrets
    Viewer,
    /// Works on it
    Member,
    /// Does everything with what is in namespaces
    Admin,
}

impl Role {
    fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Member => "member",
            Self::Admin => "admin",
        }
    }
}

pub async fn run(at: &Connection, client: Client, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create(command) => command.run(&client).await,
        Command::Plan(command) => command.run(&client).await,
        Command::List(command) => command.run(&client).await,
        Command::Get(command) => command.run(&client).await,
        Command::Retry(command) => command.run(&client).await,
        Command::Delete(command) => command.run(&client).await,
        Command::Kubeconfig(command) => command.run(at, &client).await,
        Command::Token(command) => command.run(&client).await,
        Command::Grant(command) => command.run(&client).await,
        Command::Grants(command) => command.run(&client).await,
        Command::Revoke(command) => command.run(&client).await,
        Command::Share(command) => command.run(&client).await,
        Command::Unshare(command) => command.run(&client).await,
        Command::LoadImage(command) => command.run(&client).await,
        Command::Images(command) => command.run(&client).await,
    }
}
