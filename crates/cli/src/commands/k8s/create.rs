//! `cloud k8s create`: the flags are a short way of writing a spec.

use api::{
    client::Client,
    cluster::ClusterCreate,
    operation::OperationView,
    quantity::Quantity,
    spec::{ClusterSpec, NodeGroup, Ranges},
};
use clap::Args;

use crate::{
    commands::Wait,
    failure::{Exit, Failure},
    follow::{self, follow},
    labels,
    progress::seconds,
    surroundings::print,
};

/// The node group that `--workers` is about.
const GROUP: &str = "default";

#[derive(Debug, Args)]
pub struct Create {
    /// Name: lower-case letters, digits and '-'
    #[arg(long)]
    name: String,
    /// Name or id of the VPC
    #[arg(long)]
    vpc: String,
    /// Number of worker nodes; 0 is fine
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    workers: i64,
    /// Kubernetes release: a line (v1.36, its newest patch) or a patch (v1.36.4) [default: the platform's]
    #[arg(long)]
    version: Option<String>,
    /// Size of a worker, such as u1.medium
    #[arg(long, value_name = "TYPE")]
    instance_type: Option<String>,
    /// Disk of a worker, such as 20Gi
    #[arg(long, value_name = "SIZE")]
    disk: Option<String>,
    /// Addresses of pods [default: 10.244.0.0/16]
    #[arg(long, value_name = "CIDR")]
    pods_cidr: Option<String>,
    /// Addresses of services [default: 10.96.0.0/12]
    #[arg(long, value_name = "CIDR")]
    services_cidr: Option<String>,
    /// How strictly pods of the project's namespace are looked at: baseline or restricted [default: baseline]
    #[arg(long, value_name = "LEVEL")]
    pod_security: Option<String>,
    /// How the cluster is run: hosted, kubeadm, k3s or cloud
    #[arg(long, default_value = "hosted")]
    engine: String,
    /// A label, key=value; as often as there are labels
    #[arg(long = "label", value_name = "KEY=VALUE")]
    labels: Vec<String>,
    #[command(flatten)]
    wait: Wait,
}

impl Create {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let request = ClusterCreate {
            name: self.name.clone(),
            labels: labels::read(&self.labels)?,
            spec: self.spec()?,
        };
        // The same reading the platform does: a mistake is found before it is sent.
        types::cluster::ClusterSpec::try_from(&request.spec)?;
        let accepted = client.create_cluster(&request).await?;
        let operation = accepted.operation.ok_or_else(no_operation)?;
        if self.wait.no_wait {
            return print(&format!("{}\n", operation.id));
        }
        let operation = follow(client, operation).await?;
        print(&ready(&operation))
    }

    fn spec(&self) -> Result<ClusterSpec, Failure> {
        let workers = u32::try_from(self.workers).map_err(|_| {
            Failure::new(
                Exit::Usage,
                "workers-invalid",
                format!("--workers: a cluster cannot have {} workers", self.workers),
                "give 0 or more",
            )
        })?;
        let group = NodeGroup {
            min_replicas: Some(workers),
            max_replicas: Some(workers),
            instance_type: self.instance_type.clone(),
            ephemeral_storage: self.disk.clone().map(Quantity),
            ..NodeGroup::default()
        };
        let ranges = Ranges {
            pods: self.pods_cidr.clone(),
            services: self.services_cidr.clone(),
            ..Ranges::default()
        };
        Ok(ClusterSpec {
            engine: Some(self.engine.clone()),
            pod_security: self.pod_security.clone(),
            version: self.version.clone(),
            vpc: Some(self.vpc.clone()),
            ranges: Some(ranges),
            node_groups: [(GROUP.to_owned(), group)].into(),
            ..ClusterSpec::default()
        })
    }
}

pub fn ready(operation: &OperationView) -> String {
    let (name, took) = (&operation.subject_name, seconds(follow::latest(operation)));
    format!("cluster {name} is ready after {took}\nuse it with: cloud k8s kubeconfig {name} --merge\n")
}

fn no_operation() -> Failure {
    Failure::new(
        Exit::Failed,
        "answer-unexpected",
        "the platform made the cluster without an operation to follow",
        "see `cloud operation list`; check that `cloud` and the platform have the same version",
    )
}
