//! `cloud apply`: VPCs first, because clusters name them; clusters together, then each is waited for.

use std::{collections::BTreeMap, path::PathBuf};

use api::{
    client::{Client, Condition},
    cluster::ClusterApply,
    network::NetworkCreate,
    operation::OperationView,
    spec::ClusterSpec,
};
use clap::Args;

use crate::{
    commands::Wait,
    failure::{Exit, Failure},
    follow::{self, follow},
    manifest::{self, Document},
    progress::seconds,
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Apply {
    /// File with Cluster and VPC documents, - for standard input
    #[arg(short, long, value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    wait: Wait,
}

pub async fn run(client: Client, command: Apply) -> Result<(), Failure> {
    let mut clusters = Vec::new();
    let documents = manifest::read(&command.file)?;
    // Before anything is made: whoever changes one of these clusters meanwhile is not overwritten.
    let mut found = BTreeMap::new();
    for document in &documents {
        if let Document::Cluster { name, .. } = document {
            let tag = client.cluster_tag(name).await?;
            found.insert(name.clone(), Condition::of(tag));
        }
    }
    for document in documents {
        match document {
            Document::Network { name, cidr } => apply_network(&client, name, cidr).await?,
            Document::Cluster { name, spec } => clusters.push((name, *spec)),
        }
    }
    let mut begun = Vec::new();
    for (name, spec) in clusters {
        let condition = found.remove(&name);
        begun.extend(apply_cluster(&client, &name, spec, condition, command.wait).await?);
    }
    let mut outcome = Ok(());
    for operation in begun {
        // One that failed does not hide how the others ended.
        match follow(&client, operation).await {
            Ok(operation) => {
                let (name, took) = (&operation.subject_name, seconds(follow::latest(&operation)));
                print(&format!("cluster {name} is ready after {took}\n"))?;
            }
            Err(failure) if failure.exit == Exit::Interrupted => return Err(failure),
            Err(failure) => {
                if let Err(earlier) = std::mem::replace(&mut outcome, Err(failure)) {
                    eprintln!("{earlier}");
                }
            }
        }
    }
    outcome
}

/// What is there to do about a VPC of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkChange {
    Create,
    None,
}

pub async fn compare_network(client: &Client, name: &str, cidr: &str) -> Result<NetworkChange, Failure> {
    match client.get_network(name).await {
        Ok(network) if network.cidr == cidr => Ok(NetworkChange::None),
        Ok(network) => Err(Failure::new(
            Exit::Refused,
            "vpc-range-fixed",
            format!(
                "VPC {name} has the range {}, and the file says {cidr}",
                network.cidr
            ),
            "a VPC's range cannot be changed: make a VPC of another name, or delete this one first",
        )),
        Err(error) if error.is_not_found() => Ok(NetworkChange::Create),
        Err(error) => Err(error.into()),
    }
}

async fn apply_network(client: &Client, name: String, cidr: String) -> Result<(), Failure> {
    match compare_network(client, &name, &cidr).await? {
        NetworkChange::None => print(&format!("VPC {name} is unchanged\n")),
        NetworkChange::Create => {
            let accepted = client
                .create_network(&NetworkCreate {
                    name: name.clone(),
                    cidr,
                })
                .await?;
            follow(client, accepted.operation).await?;
            print(&format!("VPC {name} created\n"))
        }
    }
}

/// The operation to wait for, if there is one and it is wanted.
async fn apply_cluster(
    client: &Client,
    name: &str,
    spec: ClusterSpec,
    condition: Option<Condition>,
    wait: Wait,
) -> Result<Option<OperationView>, Failure> {
    let request = ClusterApply { spec };
    let accepted = match condition {
        Some(condition) => client.apply_cluster_if(name, &request, &condition).await?,
        // The file has it twice, and its first document was applied.
        None => client.apply_cluster(name, &request).await?,
    };
    match accepted.operation {
        None => print(&format!("cluster {name} is unchanged\n")).map(|()| None),
        Some(operation) if wait.no_wait => print(&format!("{}\n", operation.id)).map(|()| None),
        Some(operation) => Ok(Some(operation)),
    }
}
