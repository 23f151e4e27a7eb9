//! An instance on a screen.

use api::instance::InstanceView;
use types::Timestamp;

use crate::output::{Described, Row, age, dash, pairs};

fn optional(value: &Option<String>) -> String {
    dash(value.as_deref().unwrap_or_default())
}

impl Row for InstanceView {
    const TITLES: &'static [&'static str] = &[
        "NAME", "STATUS", "TYPE", "ADDRESS", "GROUP", "ID", "AGE", "+VCPUS", "+MEMORY", "+DISK", "+PODS",
        "+CLUSTER", "+MAC", "+HOST",
    ];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        vec![
            self.name.clone(),
            self.phase.as_str().to_owned(),
            optional(&self.instance_type),
            self.address.clone(),
            optional(&self.node_group),
            self.id.clone(),
            age(&self.created, now),
            self.vcpus.to_string(),
            self.memory.clone(),
            optional(&self.disk),
            optional(&self.pods),
            self.cluster_id.clone(),
            self.mac.clone(),
            self.host.clone(),
        ]
    }
}

impl Described for InstanceView {
    fn describe(&self, now: Timestamp, wide: bool) -> String {
        let mut rows = vec![
            ("Name", self.name.clone()),
            ("ID", self.id.clone()),
            ("Status", self.phase.as_str().to_owned()),
            ("Power", if self.power { "on" } else { "off" }.to_owned()),
            ("Type", optional(&self.instance_type)),
            ("vCPUs", self.vcpus.to_string()),
            ("Memory", self.memory.clone()),
            ("Disk", optional(&self.disk)),
            ("Address", self.address.clone()),
            ("Pods", optional(&self.pods)),
            ("Node group", optional(&self.node_group)),
            ("Cluster", self.cluster_id.clone()),
            (
                "Created",
                format!("{} ({} ago)", self.created, age(&self.created, now)),
            ),
        ];
        if wide {
            rows.push(("Network", self.network_id.clone()));
            rows.push(("MAC", self.mac.clone()));
            rows.push(("Host", self.host.clone()));
        }
        pairs(&rows)
    }
}
