//! Shared clusters on a screen.

use api::{
    cluster::ClusterView,
    share::{ClusterShareView, SharedClusterView},
};
use types::Timestamp;

use crate::output::{Row, age, dash};

impl Row for ClusterShareView {
    const TITLES: &'static [&'static str] = &["PROJECT", "NAMESPACE", "REMOVED AT", "BY", "AGE", "+ID"];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        vec![
            self.project.clone(),
            self.namespace.clone(),
            dash(self.remove_after.as_deref().unwrap_or_default()),
            self.by.clone(),
            age(&self.created, now),
            self.project_id.clone(),
        ]
    }
}

impl Row for SharedClusterView {
    const TITLES: &'static [&'static str] = &["NAME", "STATUS", "VERSION", "NODES", "SHARED BY", "ID", "AGE"];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        let ClusterView {
            name,
            phase,
            version,
            nodes_ready,
            nodes_wanted,
            id,
            created,
            ..
        } = &self.cluster;
        vec![
            name.clone(),
            phase.as_str().to_owned(),
            version.clone(),
            format!("{nodes_ready}/{nodes_wanted}"),
            self.project.clone(),
            id.clone(),
            age(created, now),
        ]
    }
}
