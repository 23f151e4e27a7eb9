//! A cluster on a screen.

use api::cluster::{ClusterDetailView, ClusterView, ConditionView};
use types::Timestamp;

use crate::{
    labels,
    output::{Described, Row, age, dash, pairs, section},
};

impl Row for ClusterView {
    const TITLES: &'static [&'static str] = &[
        "NAME",
        "STATUS",
        "VERSION",
        "NODES",
        "VPC",
        "ID",
        "AGE",
        "+ENGINE",
        "+SERVER NAME",
        "+REASON",
        "+LABELS",
    ];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        vec![
            self.name.clone(),
            self.phase.as_str().to_owned(),
            self.version.clone(),
            format!("{}/{}", self.nodes_ready, self.nodes_wanted),
            self.vpc.clone(),
            self.id.clone(),
            age(&self.created, now),
            self.engine.clone(),
            self.server_name.clone(),
            dash(&self.reason),
            dash(&labels::show(&self.labels)),
        ]
    }
}

impl Row for ConditionView {
    const TITLES: &'static [&'static str] = &["CONDITION", "HOLDS", "SINCE", "REASON", "MESSAGE"];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        vec![
            self.kind.clone(),
            if self.holds { "yes" } else { "no" }.to_owned(),
            age(&self.since, now),
            dash(&self.reason),
            dash(&self.message),
        ]
    }
}

impl Described for ClusterDetailView {
    fn describe(&self, now: Timestamp, wide: bool) -> String {
        let cluster = &self.cluster;
        let ranges = cluster.spec.ranges.clone().unwrap_or_default();
        let mut rows = vec![
            ("Name", cluster.name.clone()),
            ("ID", cluster.id.clone()),
            ("Labels", labels::show(&cluster.labels)),
            ("Status", cluster.phase.as_str().to_owned()),
            ("Reason", cluster.reason.clone()),
            ("Version", cluster.version.clone()),
            ("Engine", cluster.engine.clone()),
            ("Endpoint", self.endpoint.clone()),
            ("Server name", cluster.server_name.clone()),
            ("VPC", format!("{} ({})", cluster.vpc, cluster.network_id)),
            (
                "Nodes",
                format!("{} of {} ready", cluster.nodes_ready, cluster.nodes_wanted),
            ),
            (
                "Created",
                format!("{} ({} ago)", cluster.created, age(&cluster.created, now)),
            ),
        ];
        if wide {
            rows.extend([
                ("Pods", ranges.pods.unwrap_or_default()),
                ("Services", ranges.services.unwrap_or_default()),
                ("Node ports", ranges.node_ports.unwrap_or_default()),
                ("Domain", ranges.domain.unwrap_or_default()),
                ("Bundle", cluster.pins.bundle.clone()),
                ("Node image", cluster.pins.node_image.clone()),
                ("Recipe", cluster.pins.recipe.clone()),
                (
                    "Generation",
                    format!(
                        "{} (observed {})",
                        cluster.generation, cluster.observed_generation
                    ),
                ),
            ]);
        }
        [
            pairs(&rows),
            section("Conditions", &cluster.conditions, now, wide),
            section("Nodes", &self.instances, now, wide),
            section("Shared with", &self.shares, now, wide),
            section("Granted", &self.grants, now, wide),
            section("Recent events", &self.events, now, wide),
        ]
        .concat()
    }
}
