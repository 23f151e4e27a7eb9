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
    pub project: Option<String>,
}

impl Client {
    /// Newest first.
    pub fn audit(&self, query: &AuditQuery) -> Pages<AuditList> {
        let AuditQuery {
            since,
            until,
            actor,
            project,
        } = query;
        let given = [
            ("since", since),
            ("until", until),
            ("actor", actor),
            ("project", project),
        ];
        let parameters = given
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.clone()?)))
            .collect();
        Pages::new(self, routes::AUDIT.to_owned(), parameters)
    }

    /// `known` is a head that was noted down earlier.
    pub async fn verify_audit(&self, known: Option<&str>) -> Result<VerdictView, ClientError> {
        let known = known
            .map(|known| format!("?known={}", routes::escape(known)))
            .unwrap_or_default();
        self.get(&format!("{}{known}", routes::AUDIT_VERIFY)).await
    }
}
