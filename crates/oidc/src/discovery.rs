//! Where a provider's endpoints are and which keys it signs with: asked for when they are needed, kept for a while, and
//! the keys asked for again when a token names one that is not among them.

use std::sync::Arc;

use iam::external::ProviderKeys;
use ports::Clock;
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

/// What was asked for last, and came of it.
struct Kept<T> {
    value: Result<Arc<T>, String>,
    since_ms: u64,
}

type Slot<T> = Mutex<Option<Kept<T>>>;

#[derive(Default)]
pub struct Discovery {
    endpoints: Slot<Endpoints>,
    keys: Slot<ProviderKeys>,
}

impl Discovery {
    pub async fn endpoints(&self, settings: &Settings, clock: &dyn Clock) -> Result<Arc<Endpoints>, String> {
        once(&self.endpoints, FRESH_MS, clock, discover(settings)).await
    }

    /// `another`: the ones that are kept did not do.
    pub async fn keys(
        &self,
        settings: &Settings,
        another: bool,
        clock: &dyn Clock,
    ) -> Result<Arc<ProviderKeys>, String> {
        let endpoints = self.endpoints(settings, clock).await?;
        let good_for_ms = if another { BETWEEN_MS } else { FRESH_MS };
        let ask = async {
            let json = fetch(settings, &endpoints.jwks).await?;
            ProviderKeys::parse(&json).map_err(|error| format!("its keys: {error}"))
        };
        once(&self.keys, good_for_ms, clock, ask).await
    }
}

/// One asks, the others wait for the answer. Those who waited while somebody asked in vain hear the same; who comes later
/// asks anew.
async fn once<T>(
    slot: &Slot<T>,
    good_for_ms: u64,
    clock: &dyn Clock,
    ask: impl Future<Output = Result<T, String>>,
) -> Result<Arc<T>, String> {
    let came_ms = clock.monotonic_ms();
    let mut kept = slot.lock().await;
    if let Some(Kept { value, since_ms }) = &*kept {
        let good = match value {
            Ok(_) => clock.monotonic_ms().saturating_sub(*since_ms) < good_for_ms,
            Err(_) => *since_ms > came_ms,
        };
        if good {
            return value.clone();
        }
    }
    let value = ask.await.map(Arc::new);
    *kept = Some(Kept {
        value: value.clone(),
        since_ms: clock.monotonic_ms(),
    });
    value
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
