//! The audit log behind the routes: what of a call is kept (`call`), when it is written (`recorder`), and what a handler
//! can add to it (`Note`).

mod call;
pub mod recorder;

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use ports::{Clock, Store, Vault, audit::AuditFilter};
use types::{
    Fault,
    audit::{Actor, AuditRecord, Entry, Head, Verdict},
};

/// A cheap handle.
#[derive(Clone)]
pub struct Log {
    pub store: Arc<dyn Store>,
    pub vault: Arc<dyn Vault>,
    pub clock: Arc<dyn Clock>,
}

impl Log {
    pub async fn append(&self, entry: Entry) -> Result<AuditRecord, Fault> {
        app::audit::append(&*self.store, &*self.vault, entry).await
    }

    pub async fn list(&self, filter: &AuditFilter) -> Result<Vec<AuditRecord>, Fault> {
        app::audit::list(&*self.store, filter).await
    }

    pub async fn verify(&self, known: Option<Head>) -> Result<Verdict, Fault> {
        app::audit::verify(&*self.store, &*self.vault, known).await
    }
}

/// Where a call happens, by id. The guard sets it on the request, or on its refusal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    pub org: Option<String>,
    pub project: Option<String>,
}

/// What only the handler knows of a call: carried on its answer to the log, not to the client. Nothing secret goes in.
#[derive(Debug, Clone, Default)]
pub struct Note {
    pub name: Option<String>,
    pub id: Option<String>,
    pub change: Option<serde_json::Value>,
    /// Who the caller turned out to be, where the call itself is how that is found out.
    pub actor: Option<Actor>,
}

impl Note {
    pub fn of(name: impl ToString, id: impl ToString) -> Self {
        Self {
            name: Some(name.to_string()),
            id: Some(id.to_string()),
            ..Self::default()
        }
    }

    pub fn change(self, change: serde_json::Value) -> Self {
        Self {
            change: Some(change),
            ..self
        }
    }

    pub fn on(self, answer: impl IntoResponse) -> Response {
        let mut response = answer.into_response();
        response.extensions_mut().insert(self);
        response
    }
}
