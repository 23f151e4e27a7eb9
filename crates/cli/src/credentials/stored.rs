//! Credentials as they stand in their file. The only place where they are written in clear, and nothing here prints.

use serde::{Deserialize, Serialize};
use types::{Secret, Timestamp};

use super::{Context, Credentials};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct StoredCredentials {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    current: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    local_project: Option<String>,
    #[serde(default, rename = "context", skip_serializing_if = "Vec::is_empty")]
    contexts: Vec<StoredContext>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct StoredContext {
    name: String,
    endpoint: String,
    email: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ca: Option<String>,
    access_token: String,
    access_token_ends: i64,
    refresh_token: String,
}

impl From<&Credentials> for StoredCredentials {
    fn from(credentials: &Credentials) -> Self {
        let stored = |context: &Context| StoredContext {
            name: context.name.clone(),
            endpoint: context.endpoint.clone(),
            email: context.email.clone(),
            project: context.project.clone(),
            ca: context.ca.clone(),
            access_token: context.access.reveal(),
            access_token_ends: context.access_ends.0,
            refresh_token: context.refresh.reveal(),
        };
        Self {
            current: credentials.current.clone(),
            local_project: credentials.local_project.clone(),
            contexts: credentials.contexts.iter().map(stored).collect(),
        }
    }
}

impl From<StoredCredentials> for Credentials {
    fn from(stored: StoredCredentials) -> Self {
        let context = |stored: StoredContext| Context {
            name: stored.name,
            endpoint: stored.endpoint,
            email: stored.email,
            project: stored.project,
            ca: stored.ca,
            access: Secret::new(stored.access_token),
            access_ends: Timestamp(stored.access_token_ends),
            refresh: Secret::new(stored.refresh_token),
        };
        Self {
            current: stored.current,
            local_project: stored.local_project,
            contexts: stored.contexts.into_iter().map(context).collect(),
        }
    }
}
