//! Roles and where they are held, on a screen: by the names people gave, where the caller can see them.

use std::collections::BTreeMap;

use api::{
    client::{Client, ClientError},
    tenant::{GrantView, MemberView},
};
use types::Timestamp;

use crate::output::{Row, dash};

/// What organisations and projects are called.
#[derive(Debug, Default)]
pub struct Names(BTreeMap<String, String>);

impl Names {
    pub async fn ask(client: &Client) -> Result<Self, ClientError> {
        let orgs = client.list_orgs().await?.orgs.into_iter();
        let projects = client.list_projects().await?.projects.into_iter();
        let orgs = orgs.map(|org| (org.id, org.name));
        let projects = projects.map(|project| (project.id, project.name));
        Ok(orgs.chain(projects).collect())
    }

    /// The id itself where the name cannot be seen.
    pub fn of<'a>(&'a self, id: &'a str) -> &'a str {
        self.0.get(id).map_or(id, String::as_str)
    }
}

impl FromIterator<(String, String)> for Names {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

/// A role somebody holds.
pub struct Held<'a> {
    pub grant: &'a GrantView,
    pub names: &'a Names,
}

fn place(names: &Names, id: &Option<String>) -> String {
    dash(id.as_deref().map(|id| names.of(id)).unwrap_or_default())
}

impl Row for Held<'_> {
    const TITLES: &'static [&'static str] = &["ROLE", "ORG", "PROJECT"];

    fn cells(&self, _: Timestamp) -> Vec<String> {
        vec![
            self.grant.role.clone(),
            place(self.names, &self.grant.org),
            place(self.names, &self.grant.project),
        ]
    }
}

/// The same with who holds it.
pub struct HeldBy<'a> {
    member: &'a MemberView,
    held: Held<'a>,
}

impl<'a> HeldBy<'a> {
    /// A row for each role of each of them.
    pub fn each(members: &'a [MemberView], names: &'a Names) -> Vec<Self> {
        let of = |member: &'a MemberView| {
            member.grants.iter().map(move |grant| Self {
                member,
                held: Held { grant, names },
            })
        };
        members.iter().flat_map(of).collect()
    }
}

impl Row for HeldBy<'_> {
    const TITLES: &'static [&'static str] = &["EMAIL", "ROLE", "ORG", "PROJECT", "+ID"];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        let mut cells = vec![self.member.email.clone()];
        cells.extend(self.held.cells(now));
        cells.push(self.member.id.clone());
        cells
    }
}
