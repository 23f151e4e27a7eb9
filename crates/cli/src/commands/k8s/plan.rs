//! `cloud k8s plan`

use std::path::PathBuf;

use api::{client::Client, plan::PlanRequest};
use clap::Args;

use crate::{
    commands::apply::{NetworkChange, compare_network},
    failure::Failure,
    manifest::{self, Document},
    surroundings::print,
    views,
};

#[derive(Debug, Args)]
pub struct Plan {
    /// File with Cluster and VPC documents, - for standard input
    #[arg(short, long, value_name = "FILE")]
    file: PathBuf,
}

impl Plan {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        for document in manifest::read(&self.file)? {
            let text = match document {
                Document::Network { metadata, cidr } => match compare_network(client, &metadata, &cidr)
                    .await?
                {
                    NetworkChange::Create => format!("VPC {} would be created with {cidr}\n", metadata.name),
                    NetworkChange::Label => format!("VPC {} would get new labels\n", metadata.name),
                    NetworkChange::None => {
                        format!(
                            "VPC {} is as the file says; nothing would be done\n",
                            metadata.name
                        )
                    }
                },
                Document::Cluster { metadata, spec } => {
                    let name = metadata.name;
                    let plan = client
                        .plan_cluster(&PlanRequest {
                            name: name.clone(),
                            labels: metadata.labels,
                            spec: *spec,
                        })
                        .await?;
                    views::plan::show(&name, &plan)
                }
            };
            print(&text)?;
        }
        Ok(())
    }
}
