//! What a provider is asked for a login, and what its answers come to.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use iam::external::{self, Expected, IdClaims, IdTokenError, pkce};
use ports::Clock;
use serde::Deserialize;
use types::{Fault, FaultKind, Secret};
use zeroize::Zeroizing;

use crate::{
    discovery::{Discovery, Endpoints},
    form,
    settings::{Settings, shown},
    web::{self, Question},
};

const DEVICE_GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";
const VERIFIED: &str = "email_verified";

/// What a provider says of somebody who logged in there, verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asserted {
    /// The provider's name here.
    pub provider: String,
    pub issuer: String,
    pub subject: String,
    pub email: Option<String>,
    pub email_verified: bool,
    pub groups: Vec<String>,
}

/// What a device shows a person, and asks with.
pub struct DeviceCode {
    pub code: Secret,
    pub user_code: String,
    pub verification_uri: String,
    pub verification_uri_complete: Option<String>,
    pub expires_in_s: u64,
    pub interval_s: u64,
}

/// What a poll for a device came to.
pub enum Poll {
    Done(Asserted),
    Pending,
    SlowDown,
}

pub struct Provider {
    pub settings: Settings,
    discovery: Discovery,
    clock: Arc<dyn Clock>,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: Option<Zeroizing<String>>,
    access_token: Option<Zeroizing<String>>,
}

#[derive(Deserialize, Default)]
struct Refusal {
    #[serde(default)]
    error: String,
    #[serde(default)]
    error_description: String,
}

#[derive(Deserialize)]
struct DeviceAnswer {
    device_code: Zeroizing<String>,
    user_code: String,
    #[serde(alias = "verification_url")]
    verification_uri: String,
    verification_uri_complete: Option<String>,
    expires_in: u64,
    interval: Option<u64>,
}

impl Provider {
    pub fn new(settings: Settings, clock: Arc<dyn Clock>) -> Self {
        Self {
            settings,
            discovery: Discovery::default(),
            clock,
        }
    }

    /// Where a browser goes.
    pub async fn authorization_url(
        &self,
        state: &Secret,
        nonce: &Secret,
        verifier: &Secret,
        redirect_uri: &str,
    ) -> Result<String, Fault> {
        let endpoints = self.endpoints().await?;
        let query = form::encode(&[
            ("response_type", "code"),
            ("client_id", &self.settings.client),
            ("redirect_uri", redirect_uri),
            ("scope", &self.settings.scopes.join(" ")),
            ("state", &state.reveal()),
            ("nonce", &nonce.reveal()),
            ("code_challenge", &pkce::challenge(verifier)),
            ("code_challenge_method", "S256"),
        ]);
        let glue = if endpoints.authorization.contains('?') {
            '&'
        } else {
            '?'
        };
        Ok(format!("{}{glue}{query}", endpoints.authorization))
    }

    /// Of a code that a browser came back with.
    pub async fn redeem(
        &self,
        code: &Secret,
        verifier: &Secret,
        nonce: &Secret,
        redirect_uri: &str,
    ) -> Result<Asserted, Fault> {
        let (code, verifier) = (Zeroizing::new(code.reveal()), Zeroizing::new(verifier.reveal()));
        let fields = [
            ("grant_type", "authorization_code"),
            ("code", &*code),
            ("redirect_uri", redirect_uri),
            ("code_verifier", &*verifier),
        ];
        let endpoints = self.endpoints().await?;
        match self.post(&endpoints, &endpoints.token, &fields).await? {
            Ok(body) => self.asserted(&body, Some(nonce)).await,
            Err(refusal) => Err(self.refused(&refusal)),
        }
    }

    pub async fn begin_device(&self) -> Result<DeviceCode, Fault> {
        let endpoints = self.endpoints().await?;
        let Some(device) = endpoints.device.as_ref().filter(|_| self.settings.device) else {
            return Err(Fault::refused(
                "provider-no-device",
                format!("'{}' has no login for devices", self.settings.name),
                "log in with a browser: leave --device out",
            ));
        };
        let scope = self.settings.scopes.join(" ");
        let body = match self.post(&endpoints, device, &[("scope", &scope)]).await? {
            Ok(body) => body,
            Err(refusal) => return Err(self.refused(&refusal)),
        };
        let answer: DeviceAnswer =
            serde_json::from_slice(&body).map_err(|error| self.odd(&error.to_string()))?;
        let fit =
            |url: &str| url.len() <= 2048 && (url.starts_with("https://") || url.starts_with("http://"));
        if !fit(&answer.verification_uri) || answer.user_code.len() > 64 {
            return Err(self.odd("what it wants to be shown to people is not fit to be"));
        }
        Ok(DeviceCode {
            code: Secret::new(answer.device_code.as_bytes()),
            user_code: shown(&answer.user_code),
            verification_uri: shown_url(&answer.verification_uri),
            verification_uri_complete: answer
                .verification_uri_complete
                .filter(|url| fit(url))
                .map(|url| shown_url(&url)),
            expires_in_s: answer.expires_in,
            interval_s: answer.interval.unwrap_or(5),
        })
    }

    pub async fn poll_device(&self, code: &Secret) -> Result<Poll, Fault> {
        let endpoints = self.endpoints().await?;
        let code = Zeroizing::new(code.reveal());
        let fields = [("grant_type", DEVICE_GRANT), ("device_code", &*code)];
        match self.post(&endpoints, &endpoints.token, &fields).await? {
            Ok(body) => self.asserted(&body, None).await.map(Poll::Done),
            Err(refusal) => match refusal.error.as_str() {
                "authorization_pending" => Ok(Poll::Pending),
                "slow_down" => Ok(Poll::SlowDown),
                _ => Err(self.refused(&refusal)),
            },
        }
    }

    async fn endpoints(&self) -> Result<Arc<Endpoints>, Fault> {
        let found = self.discovery.endpoints(&self.settings, &*self.clock).await;
        found.map_err(|what| self.away(&what))
    }

    /// The body of an answer, or how the provider refuses in the words of OAuth.
    async fn post(
        &self,
        endpoints: &Endpoints,
        url: &str,
        fields: &[(&str, &str)],
    ) -> Result<Result<Zeroizing<Vec<u8>>, Refusal>, Fault> {
        let uri = self.settings.may_ask(url).map_err(|what| self.away(&what))?;
        let client = &self.settings.client;
        let secret = self.settings.secret()?;
        let secret = secret.as_ref().and_then(|secret| secret.expose_str().ok());
        let mut fields = fields.to_vec();
        let mut basic = None;
        let of_device = endpoints.device.as_deref() == Some(url);
        let in_form = match of_device {
            true => endpoints.device_secret_in_form,
            false => endpoints.secret_in_form,
        };
        match secret {
            Some(secret) if !in_form => {
                let pair = Zeroizing::new(format!("{}:{}", form::escape(client), form::escape(secret)));
                let pair = Zeroizing::new(STANDARD.encode(pair.as_bytes()));
                basic = Some(Secret::new(format!("Basic {}", *pair)));
            }
            Some(secret) => fields.extend([("client_id", client.as_str()), ("client_secret", secret)]),
            None => fields.push(("client_id", client)),
        }
        if basic.is_some() && of_device {
            // A device's request names its client in any case (RFC 8628).
            fields.push(("client_id", client));
        }
        let question = Question::Form {
            body: Zeroizing::new(form::encode(&fields)),
            basic,
        };
        let answer = web::ask(&uri, self.settings.ca_file.as_deref(), question).await;
        let answer = answer.map_err(|what| self.away(&what))?;
        if answer.status.is_success() {
            return Ok(Ok(answer.body));
        }
        if answer.status.is_server_error() {
            return Err(self.away(&answer.status.to_string()));
        }
        Ok(Err(serde_json::from_slice(&answer.body).unwrap_or_default()))
    }

    async fn asserted(&self, body: &[u8], nonce: Option<&Secret>) -> Result<Asserted, Fault> {
        let tokens: Tokens =
            serde_json::from_slice(body).map_err(|_| self.odd("it is not an answer of OAuth"))?;
        let Some(id_token) = tokens.id_token else {
            return Err(self.odd("it holds no ID token"));
        };
        let id_token = Secret::new(id_token.as_bytes());
        let access = tokens.access_token.map(|access| Secret::new(access.as_bytes()));
        let claims = self.verified(&id_token, nonce, access.as_ref()).await?;
        Ok(Asserted {
            provider: self.settings.name.clone(),
            issuer: self.settings.issuer.clone(),
            email: claims.text(&self.settings.email_claim).map(str::to_owned),
            email_verified: claims.is_true(VERIFIED),
            groups: claims.words(&self.settings.groups_claim),
            subject: claims.subject,
        })
    }

    async fn verified(
        &self,
        id_token: &Secret,
        nonce: Option<&Secret>,
        access_token: Option<&Secret>,
    ) -> Result<IdClaims, Fault> {
        let expected = Expected {
            issuer: &self.settings.issuer,
            client: &self.settings.client,
            nonce,
            access_token,
        };
        let mut another = false;
        loop {
            let keys = self.discovery.keys(&self.settings, another, &*self.clock).await;
            let keys = keys.map_err(|what| self.away(&what))?;
            match external::verify(id_token, &keys, &expected, self.clock.now()) {
                Ok(claims) => return Ok(claims),
                // It may sign with a key that it made since.
                Err(IdTokenError::UnknownKey) if !another => another = true,
                Err(error) => {
                    tracing::warn!(provider = %self.settings.name, %error, "an ID token was refused");
                    return Err(Fault::new(
                        FaultKind::Unauthenticated,
                        "login-refused",
                        format!("what '{}' says of you cannot be believed", self.settings.name),
                        "log in again with `cloud login`; the platform's log says what is wrong",
                    ));
                }
            }
        }
    }

    fn away(&self, what: &dyn std::fmt::Display) -> Fault {
        let Settings { name, issuer, .. } = &self.settings;
        tracing::warn!(provider = %name, %issuer, cause = %what, "the login provider cannot be used");
        Fault::unavailable(
            "provider-unreachable",
            format!("the login provider '{name}' at {issuer} cannot be used: {what}"),
            "try again when it is back; an operator finds its settings under [[login.oidc]]",
        )
    }

    fn odd(&self, what: &str) -> Fault {
        let name = &self.settings.name;
        tracing::warn!(provider = %name, cause = %what, "the login provider's answer is not understood");
        Fault::unavailable(
            "provider-answer",
            format!("the answer of the login provider '{name}' is not understood: {what}"),
            "tell the platform's operator; the settings are under [[login.oidc]]",
        )
    }

    fn refused(&self, refusal: &Refusal) -> Fault {
        let name = &self.settings.name;
        let (error, more) = (shown(&refusal.error), shown(&refusal.error_description));
        match refusal.error.as_str() {
            "invalid_grant" | "access_denied" | "expired_token" => Fault::new(
                FaultKind::Unauthenticated,
                "login-refused",
                format!("the login provider '{name}' refuses: {error} {more}")
                    .trim_end()
                    .to_owned(),
                "log in again with `cloud login`",
            ),
            _ => {
                tracing::warn!(provider = %name, %error, %more, "the login provider refuses this platform");
                Fault::unavailable(
                    "provider-refused",
                    format!("the login provider '{name}' refuses this platform: {error} {more}")
                        .trim_end()
                        .to_owned(),
                    "an operator checks client_id, client_secret_file and scopes under [[login.oidc]]",
                )
            }
        }
    }
}

fn shown_url(url: &str) -> String {
    url.chars().filter(char::is_ascii_graphic).collect()
}
