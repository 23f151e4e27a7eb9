//! `cloud apply`: VPCs first, because clusters name them; clusters together, then each is waited for.

use std::{collections::BTreeMap, path::PathBuf};

use api::{
    client::{Client, Condition},
    cluster::ClusterApply,
    network::NetworkApply,
    operation::OperationView,
    spec::ClusterSpec,
};
use clap::Args;

use crate::{
    commands::Wait,
    failure::{Exit, Failure},
    follow::{self, follow},
    manifest::{self, Document, Metadata},
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
        if let Document::Cluster { metadata, .. } = document {
            let tag = client.cluster_tag(&metadata.name).await?;
            found.insert(metadata.name.clone(), Condition::of(tag));
        }
    }
    for document in documents {
        match document {
            Document::Network { metadata, cidr } => apply_network(&client, metadata, cidr).await?,
            Document::Cluster { metadata, spec } => clusters.push((metadata, *spec)),
        }
    }
    let mut begun = Vec::new();
    for (metadata, spec) in clusters {
        let condition = found.remove(&metadata.name);
        begun.extend(apply_cluster(&client, metadata, spec, condition, command.wait).await?);
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
    Label,
    None,
}

pub async fn compare_network(
    client: &Client,
    metadata: &Metadata,
    cidr: &str,
) -> Result<NetworkChange, Failure> {
    let name = &metadata.name;
    match client.get_network(name).await {
        Ok(network) if network.cidr == cidr => Ok(if differ(metadata, &network.labels) {
            NetworkChange::Label
        } else {
            NetworkChange::None
        }),
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

/// Whether a file gives a thing other labels than it has.
fn differ(metadata: &Metadata, labels: &BTreeMap<String, String>) -> bool {
    metadata.labels.as_ref().is_some_and(|wanted| wanted != labels)
}

async fn apply_network(client: &Client, metadata: Metadata, cidr: String) -> Result<(), Failure> {
    let change = compare_network(client, &metadata, &cidr).await?;
    let Metadata { name, labels } = metadata;
    if change == NetworkChange::None {
        return print(&format!("VPC {name} is unchanged\n"));
    }
    let request = NetworkApply { cidr, labels };
    let applied = client.apply_network(&name, &request).await?;
    match applied.operation {
        Some(operation) => {
            follow(client, operation).await?;
            print(&format!("VPC {name} created\n"))
        }
        None => print(&format!("VPC {name} has new labels\n")),
    }
}

/// The operation to wait for, if there is one and it is wanted.
async fn apply_cluster(
    client: &Client,
    metadata: Metadata,
    spec: ClusterSpec,
    condition: Option<Condition>,
    wait: Wait,
) -> Result<Option<OperationView>, Failure> {
    let name = metadata.name.as_str();
    let relabelled = match client.get_cluster(name).await {
        Ok(found) => differ(&metadata, &found.cluster.labels),
        Err(error) if error.is_not_found() => false,
        Err(error) => return Err(error.into()),
    };
    let labels = metadata.labels.clone();
    let request = ClusterApply { labels, spec };
    let accepted = match condition {
        Some(condition) => client.apply_cluster_if(name, &request, &condition).await?,
        // The file has it twice, and its first document was applied.
        None => client.apply_cluster(name, &request).await?,
    };
    match accepted.operation {
        None if relabelled => print(&format!("cluster {name} has new labels\n")).map(|()| None),
        None => print(&format!("cluster {name} is unchanged\n")).map(|()| None),
        Some(operation) if wait.no_wait => print(&format!("{}\n", operation.id)).map(|()| None),
        Some(operation) => Ok(Some(operation)),
    }
}
