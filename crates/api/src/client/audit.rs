//! The audit log through the client.

use super::{Client, ClientError};
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
    pub cursor: Option<String>,
    pub limit: u32,
}

impl Client {
    pub async fn list_audit(&self, query: &AuditQuery) -> Result<AuditList, ClientError> {
        let AuditQuery {
            since,
            until,
            actor,
            project,
            cursor,
            limit,
        } = query;
        let given = [
            ("since", since),
            ("until", until),
            ("actor", actor),
            ("project", project),
            ("cursor", cursor),
        ];
        let filters: String = given
            .iter()
            .filter_map(|(name, value)| Some(format!("&{name}={}", routes::escape(value.as_deref()?))))
            .collect();
        self.get(&format!("{}?limit={limit}{filters}", routes::AUDIT))
            .await
    }

    /// `known` is a head that was noted down earlier.
    pub async fn verify_audit(&self, known: Option<&str>) -> Result<VerdictView, ClientError> {
        let known = known
            .map(|known| format!("?known={}", routes::escape(known)))
            .unwrap_or_default();
        self.get(&format!("{}{known}", routes::AUDIT_VERIFY)).await
    }
}
