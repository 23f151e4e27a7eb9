//! Rights in a cluster on a screen.

use api::grant::{ClusterGrantView, GrantState, GrantedClusterView, GrantedView};
use types::Timestamp;

use crate::output::{Row, age};

impl Row for ClusterGrantView {
    const TITLES: &'static [&'static str] = &["WHO", "ROLE", "NAMESPACE", "STATE", "BY", "AGE", "+ID"];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        vec![
            self.who.clone(),
            self.role.clone(),
            self.namespace.clone().unwrap_or_else(|| "(all)".to_owned()),
            self.state.as_str().to_owned(),
            self.by.clone(),
            age(&self.created, now),
            self.id.clone(),
        ]
    }
}

impl Row for GrantedClusterView {
    const TITLES: &'static [&'static str] = &["NAME", "STATUS", "VERSION", "ORG", "PROJECT", "GRANTED", "ID"];

    fn cells(&self, _: Timestamp) -> Vec<String> {
        let granted = |granted: &GrantedView| match &granted.namespace {
            Some(namespace) => format!("{} in {namespace}", granted.role),
            None => granted.role.clone(),
        };
        let granted: Vec<String> = self.granted.iter().map(granted).collect();
        vec![
            self.name.clone(),
            self.phase.as_str().to_owned(),
            self.version.clone(),
            self.org.clone(),
            self.project.clone(),
            granted.join(", "),
            self.id.clone(),
        ]
    }
}

fn place(grant: &ClusterGrantView) -> String {
    match &grant.namespace {
        Some(namespace) => format!("in the namespace {namespace}"),
        None => "in the whole cluster".to_owned(),
    }
}

/// What was done, and what its holder types.
pub fn given(grant: &ClusterGrantView, cluster: &str, project: &str) -> String {
    let state = match grant.state {
        GrantState::InForce => String::new(),
        GrantState::Waiting => {
            "\nit is in force in a few seconds, or when there is such a namespace".to_owned()
        }
        GrantState::Unknown => "\nit is in force when the cluster answers".to_owned(),
    };
    format!(
        "{} is {} {}{state}\nthey type: cloud k8s kubeconfig {cluster} --project {project} --merge\n",
        grant.who,
        grant.role,
        place(grant)
    )
}

pub fn taken(grant: &ClusterGrantView) -> String {
    format!("{} is no longer {} {}\n", grant.who, grant.role, place(grant))
}
