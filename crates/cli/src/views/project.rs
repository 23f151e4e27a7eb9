//! A project on a screen.

use api::tenant::{ProjectView, QuotaView};
use types::Timestamp;

use super::place::Names;
use crate::output::{Described, Row, age, dash, pairs};

/// A project with the name of its organisation.
pub struct ProjectRow<'a> {
    pub project: &'a ProjectView,
    pub names: &'a Names,
}

/// As it is typed.
pub fn limits(quota: &QuotaView) -> String {
    let QuotaView {
        clusters,
        vcpu,
        memory,
        storage,
        loadbalancers,
    } = quota;
    let number = |limit: &Option<u32>| limit.map(|limit| limit.to_string());
    let all = [
        ("clusters", number(clusters)),
        ("vcpu", number(vcpu)),
        ("memory", memory.clone()),
        ("storage", storage.clone()),
        ("loadbalancers", number(loadbalancers)),
    ];
    let given: Vec<String> = all
        .into_iter()
        .filter_map(|(what, limit)| limit.map(|limit| format!("{what}={limit}")))
        .collect();
    given.join(",")
}

impl Row for ProjectRow<'_> {
    const TITLES: &'static [&'static str] = &["NAME", "ORG", "ROLE", "ID", "AGE", "+QUOTA", "+BY"];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        let Self { project, names } = self;
        vec![
            project.name.clone(),
            names.of(&project.org).to_owned(),
            project.role.clone(),
            project.id.clone(),
            age(&project.created, now),
            dash(&limits(&project.quota)),
            project.created_by.clone(),
        ]
    }
}

impl Described for ProjectRow<'_> {
    fn describe(&self, now: Timestamp, _: bool) -> String {
        let Self { project, names } = self;
        pairs(&[
            ("Name", project.name.clone()),
            ("ID", project.id.clone()),
            (
                "Organisation",
                format!("{} ({})", names.of(&project.org), project.org),
            ),
            ("Your role", project.role.clone()),
            ("Quota", dash(&limits(&project.quota))),
            (
                "Created",
                format!(
                    "{} ({} ago) by {}",
                    project.created,
                    age(&project.created, now),
                    project.created_by
                ),
            ),
        ])
    }
}
