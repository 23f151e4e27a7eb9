//! `cloud k8s`

mod create;
mod delete;
mod get;
mod images;
mod kubeconfig;
mod list;
mod load_image;
mod plan;
mod retry;
mod token;

use api::client::Client;
use clap::Subcommand;

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
    /// Load an OCI or docker archive for every node of a cluster, also those that join later
    LoadImage(load_image::LoadImage),
    /// Images loaded into a cluster
    Images(images::Images),
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
        Command::LoadImage(command) => command.run(&client).await,
        Command::Images(command) => command.run(&client).await,
    }
}
