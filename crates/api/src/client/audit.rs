//! The audit log through the client.

use super::{Client, ClientError, Pages};
use crate::{
    audit::{AuditList, VerdictView},
    routes,
};

/// What to ask the log for; times as on the wire.
#[derive(Debug, Clone, Default)]
pub struct AuditQuery {
    pub since: Option<String>,
    pub until: Option<String>,
    pub actor: Option<String>,
}

impl Client {
    /// Of the whole platform, newest first.
    pub fn audit(&self, query: &AuditQuery) -> Pages<AuditList> {
        Pages::new(self, routes::AUDIT.to_owned(), query.parameters())
    }

    /// Of an organisation and its projects.
    pub fn org_audit(&self, org: &str, query: &AuditQuery) -> Pages<AuditList> {
        let path = routes::fill(routes::ORG_AUDIT, &[("org", org)]);
        Pages::new(self, path, query.parameters())
    }

    pub fn project_audit(&self, query: &AuditQuery) -> Pages<AuditList> {
        Pages::new(self, self.path(routes::PROJECT_AUDIT, &[]), query.parameters())
    }

    /// `known` is a head that was noted down earlier.
    pub async fn verify_audit(&self, known: Option<&str>) -> Result<VerdictView, ClientError> {
        let known = known
            .map(|known| format!("?known={}", routes::escape(known)))
            .unwrap_or_default();
        self.get(&format!("{}{known}", routes::AUDIT_VERIFY)).await
    }
}

impl AuditQuery {
    fn parameters(&self) -> Vec<(&'static str, String)> {
        let Self { since, until, actor } = self;
        let given = [("since", since), ("until", until), ("actor", actor)];
        given
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.clone()?)))
            .collect()
    }
}
