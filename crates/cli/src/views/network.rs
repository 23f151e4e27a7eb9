//! A VPC on a screen.

use api::network::NetworkView;
use types::Timestamp;

use crate::{
    labels,
    output::{Described, Row, age, dash, pairs},
};

fn state(network: &NetworkView) -> &'static str {
    if network.deleting { "DELETING" } else { "ACTIVE" }
}

impl Row for NetworkView {
    const TITLES: &'static [&'static str] = &[
        "NAME",
        "STATUS",
        "CIDR",
        "ID",
        "AGE",
        "+GATEWAY",
        "+PLATFORM",
        "+ACCOUNT",
        "+HOST",
        "+LABELS",
    ];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        vec![
            self.name.clone(),
            state(self).to_owned(),
            self.cidr.clone(),
            self.id.clone(),
            age(&self.created, now),
            self.gateway.clone(),
            self.platform_address.clone(),
            self.account.clone(),
            self.host.clone(),
            dash(&labels::show(&self.labels)),
        ]
    }
}

impl Described for NetworkView {
    fn describe(&self, now: Timestamp, wide: bool) -> String {
        let mut rows = vec![
            ("Name", self.name.clone()),
            ("ID", self.id.clone()),
            ("Labels", labels::show(&self.labels)),
            ("Status", state(self).to_owned()),
            ("CIDR", self.cidr.clone()),
            ("Gateway", self.gateway.clone()),
            ("Platform address", self.platform_address.clone()),
            (
                "Created",
                format!("{} ({} ago)", self.created, age(&self.created, now)),
            ),
        ];
        if wide {
            rows.push(("Account", self.account.clone()));
            rows.push(("Host", self.host.clone()));
            rows.push(("Generation", self.generation.to_string()));
        }
        pairs(&rows)
    }
}
