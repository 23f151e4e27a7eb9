//! `cloud vpc create`

use api::{client::Client, network::NetworkCreate};
use clap::Args;

use crate::{
    commands::Wait,
    failure::Failure,
    follow::{self, follow},
    labels,
    progress::seconds,
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Create {
    /// Name: lower-case letters, digits and '-'
    #[arg(long)]
    name: String,
    /// Range of addresses, such as 10.20.0.0/16
    #[arg(long)]
    cidr: String,
    /// A label, key=value; as often as there are labels
    #[arg(long = "label", value_name = "KEY=VALUE")]
    labels: Vec<String>,
    #[command(flatten)]
    wait: Wait,
}

impl Create {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let accepted = client
            .create_network(&NetworkCreate {
                name: self.name,
                labels: labels::read(&self.labels)?,
                cidr: self.cidr,
            })
            .await?;
        if self.wait.no_wait {
            return print(&format!("{}\n", accepted.operation.id));
        }
        let operation = follow(client, accepted.operation).await?;
        let took = seconds(follow::latest(&operation));
        print(&format!(
            "VPC {} ({}) created in {took}\n",
            accepted.network.name, accepted.network.id
        ))
    }
}
