//! Where a provider's endpoints are and which keys it signs with: asked for when they are needed, kept for a while, and
//! the keys asked for again when a token names one that is not among them.

use std::sync::Arc;

use iam::external::ProviderKeys;
use serde::Deserialize;
use tokio::sync::Mutex;

use crate::{
    settings::{Settings, shown},
    web::{self, Question},
};

/// How long a document is used before it is asked for again.
const FRESH_MS: u64 = 3600 * 1000;
/// A stranger who shows made-up tokens makes us ask for keys no more often than this.
const BETWEEN_MS: u64 = 30 * 1000;

/// Each address was checked: it may be asked.
#[derive(Debug, Clone)]
pub struct Endpoints {
    pub authorization: String,
    pub token: String,
    pub device: Option<String>,
    /// The client's secret goes into the form, because the provider takes it nowhere else.
    pub secret_in_form: bool,
    /// The same where a device's login begins: not every provider that takes it in a header takes it so there.
    pub device_secret_in_form: bool,
    jwks: String,
}

#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    device_authorization_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

struct Kept<T> {
    value: Arc<T>,
    since_ms: u64,
}

#[derive(Default)]
pub struct Discovery {
    endpoints: Mutex<Option<Kept<Endpoints>>>,
    keys: Mutex<Option<Kept<ProviderKeys>>>,
}

impl Discovery {
    /// One asks, the others wait for the answer.
    pub async fn endpoints(&self, settings: &Settings, now_ms: u64) -> Result<Arc<Endpoints>, String> {
        let mut kept = self.endpoints.lock().await;
        if let Some(kept) = kept.as_ref().filter(|kept| kept.is_younger(FRESH_MS, now_ms)) {
            return Ok(kept.value.clone());
        }
        let value = Arc::new(discover(settings).await?);
        *kept = Some(Kept {
            value: value.clone(),
            since_ms: now_ms,
        });
        Ok(value)
    }

    /// `another`: the ones that are kept did not do.
    pub async fn keys(
        &self,
        settings: &Settings,
        another: bool,
        now_ms: u64,
    ) -> Result<Arc<ProviderKeys>, String> {
        let endpoints = self.endpoints(settings, now_ms).await?;
        let mut kept = self.keys.lock().await;
        let good_for = if another { BETWEEN_MS } else { FRESH_MS };
        if let Some(kept) = kept.as_ref().filter(|kept| kept.is_younger(good_for, now_ms)) {
            return Ok(kept.value.clone());
        }
        let json = fetch(settings, &endpoints.jwks).await?;
        let value = ProviderKeys::parse(&json).map_err(|error| format!("its keys: {error}"))?;
        let value = Arc::new(value);
        *kept = Some(Kept {
            value: value.clone(),
            since_ms: now_ms,
        });
        Ok(value)
    }
}

impl<T> Kept<T> {
    fn is_younger(&self, than_ms: u64, now_ms: u64) -> bool {
        now_ms.saturating_sub(self.since_ms) < than_ms
    }
}

async fn discover(settings: &Settings) -> Result<Endpoints, String> {
    let base = settings.issuer.trim_end_matches('/');
    let json = fetch(settings, &format!("{base}/.well-known/openid-configuration")).await?;
    let document: Document =
        serde_json::from_slice(&json).map_err(|error| format!("its discovery document: {error}"))?;
    if document.issuer != settings.issuer {
        return Err(format!("it calls itself '{}'", shown(&document.issuer)));
    }
    for url in [
        Some(&document.authorization_endpoint),
        Some(&document.token_endpoint),
        Some(&document.jwks_uri),
        document.device_authorization_endpoint.as_ref(),
    ]
    .into_iter()
    .flatten()
    {
        settings.may_ask(url)?;
    }
    let methods = document.token_endpoint_auth_methods_supported;
    // What is not said is `client_secret_basic`.
    let offers = |method: &str| {
        methods
            .as_ref()
            .is_some_and(|all| all.iter().any(|one| one == method))
    };
    Ok(Endpoints {
        secret_in_form: offers("client_secret_post") && !offers("client_secret_basic"),
        device_secret_in_form: offers("client_secret_post"),
        authorization: document.authorization_endpoint,
        token: document.token_endpoint,
        device: document.device_authorization_endpoint,
        jwks: document.jwks_uri,
    })
}

async fn fetch(settings: &Settings, url: &str) -> Result<Vec<u8>, String> {
    let uri = settings.may_ask(url)?;
    let answer = web::ask(&uri, settings.ca_file.as_deref(), Question::Get).await?;
    if !answer.status.is_success() {
        return Err(format!("{} answers {}", uri.path(), answer.status));
    }
    Ok(answer.body.to_vec())
}
