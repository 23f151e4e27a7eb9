//! `cloud k8s list`

use api::{
    client::{Client, Select},
    cluster::ClusterView,
    share::SharedClusterView,
};
use clap::Args;
use serde::Serialize;

use crate::{
    failure::Failure,
    output::{Output, section, table},
    selecting::{ByLabel, Selecting},
    surroundings::now,
};

#[derive(Debug, Args)]
pub struct List {
    /// Those of any project in which you were granted something, instead of the project's own
    #[arg(long)]
    granted: bool,
    #[command(flatten)]
    by: ByLabel,
    #[command(flatten)]
    selecting: Selecting,
    #[command(flatten)]
    output: Output,
}

#[derive(Serialize)]
struct Whole<'a> {
    clusters: &'a [ClusterView],
    /// Those of other projects that this one may use.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    shared: &'a [SharedClusterView],
}

impl List {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        if self.granted {
            let list = client.list_granted_clusters().await?;
            return self.output.list(&list, &list.clusters);
        }
        let select = self.selecting.with(&self.by);
        if self.selecting.watches() || select != Select::default() {
            let watch = client.watch_clusters(&select, None);
            let pages = client.clusters(&select);
            return self.selecting.show(self.output, pages, watch).await;
        }
        let list = client.clusters(&select).first(self.selecting.most()).await?;
        let shared = client.list_shared_clusters().await?.clusters;
        let whole = Whole {
            clusters: &list.clusters,
            shared: &shared,
        };
        self.output.show(&whole, |wide| {
            let now = now();
            let own = table(&list.clusters, now, wide);
            own + &section("Shared with this project", &shared, now, wide)
        })
    }
}
