//! Logins of this user, kept as contexts: which platform, as whom, in which project.

mod file;
mod refresh;
mod stored;

use api::{
    client::{Client, Trust},
    tenant::TokenPair,
};
use types::{Secret, Timestamp};

use crate::failure::{Exit, Failure};

pub use file::{Locked, directory, lock, read};
pub use refresh::with_good_token;

/// The context of the platform on this host, whose client file is its credential. It is always there.
pub const LOCAL: &str = "local";
/// An access token that ends sooner may end on the way.
const MARGIN_S: i64 = 60;

#[derive(Debug, Default)]
pub struct Credentials {
    pub current: Option<String>,
    /// The project of the context `local`.
    pub local_project: Option<String>,
    pub contexts: Vec<Context>,
}

/// One login.
#[derive(Debug, Clone)]
pub struct Context {
    pub name: String,
    pub endpoint: String,
    pub email: String,
    pub project: Option<String>,
    /// The authorities that vouch for an `https://` endpoint, in PEM; the system's where there are none.
    pub ca: Option<String>,
    pub access: Secret,
    pub access_ends: Timestamp,
    /// Good once.
    pub refresh: Secret,
}

impl Context {
    pub fn is_good(&self, now: Timestamp) -> bool {
        self.access_ends.0 > now.0.saturating_add(MARGIN_S)
    }

    pub fn trust(&self) -> Trust {
        self.ca.clone().map_or(Trust::System, Trust::Bundle)
    }

    /// A client of its platform, with this token.
    pub fn client(&self, token: Option<&Secret>, project: &str) -> Result<Client, Failure> {
        let token = token.and_then(|token| token.expose_str().ok()).map(str::to_owned);
        Ok(Client::trusting(&self.endpoint, token, project, &self.trust())?)
    }

    /// Takes over what the platform says it is known by from now on, as long as what was known before vouches for it.
    /// Whether that is something else.
    pub async fn follow(&mut self) -> bool {
        if self.ca.is_none() {
            return false;
        }
        let Ok(client) = self.client(Some(&self.access), "") else {
            return false;
        };
        match client.ca().await {
            Ok(ca) if !ca.bundle.is_empty() && self.ca.as_deref() != Some(&ca.bundle) => {
                self.ca = Some(ca.bundle);
                true
            }
            // The next time, then.
            Ok(_) | Err(_) => false,
        }
    }

    pub fn renew(&mut self, pair: TokenPair, now: Timestamp) {
        self.access = Secret::new(pair.access_token);
        self.access_ends = now.plus(pair.expires_in);
        self.refresh = Secret::new(pair.refresh_token);
    }
}

impl Credentials {
    pub fn get(&self, name: &str) -> Result<&Context, Failure> {
        let found = self.contexts.iter().find(|context| context.name == name);
        found.ok_or_else(|| no_context(name))
    }

    pub fn get_mut(&mut self, name: &str) -> Result<&mut Context, Failure> {
        let found = self.contexts.iter_mut().find(|context| context.name == name);
        found.ok_or_else(|| no_context(name))
    }

    /// In the place of its namesake, or at the end; it is the current one from now on.
    pub fn put(&mut self, context: Context) {
        self.current = Some(context.name.clone());
        match self.contexts.iter_mut().find(|other| other.name == context.name) {
            Some(other) => *other = context,
            None => self.contexts.push(context),
        }
    }

    pub fn remove(&mut self, name: &str) {
        self.contexts.retain(|context| context.name != name);
        if self.current.as_deref() == Some(name) {
            self.current = None;
        }
    }

    /// The email address, with the platform's where another platform's context has that name.
    pub fn name_for(&self, email: &str, endpoint: &str) -> String {
        let elsewhere = |context: &&Context| context.name == email && context.endpoint != endpoint;
        match self.contexts.iter().find(elsewhere) {
            Some(_) => format!(
                "{email}@{}",
                endpoint
                    .trim_start_matches("https://")
                    .trim_start_matches("http://")
            ),
            None => email.to_owned(),
        }
    }
}

fn no_context(name: &str) -> Failure {
    Failure::new(
        Exit::NotFound,
        "context-not-found",
        format!("there is no context '{name}'"),
        "see yours with `cloud context list`, or log in with `cloud login`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(email: &str, endpoint: &str) -> Context {
        Context {
            name: email.to_owned(),
            endpoint: endpoint.to_owned(),
            email: email.to_owned(),
            project: None,
            ca: None,
            access: Secret::new("an-access-token"),
            access_ends: Timestamp(1000),
            refresh: Secret::new("a-refresh-token"),
        }
    }

    #[test]
    fn a_second_platform_gets_a_name_of_its_own() {
        let mut all = Credentials::default();
        assert_eq!(all.name_for("ana@x", "http://a:1"), "ana@x");
        all.put(context("ana@x", "http://a:1"));
        assert_eq!(all.name_for("ana@x", "http://a:1"), "ana@x");
        assert_eq!(all.name_for("ana@x", "http://b:2"), "ana@x@b:2");
        assert_eq!(all.current.as_deref(), Some("ana@x"));
        all.remove("ana@x");
        assert!(all.current.is_none() && all.contexts.is_empty());
    }

    #[test]
    fn a_token_about_to_end_is_not_good() {
        let context = context("ana@x", "http://a:1");
        assert!(context.is_good(Timestamp(939)) && !context.is_good(Timestamp(940)));
    }

    #[test]
    fn no_secret_is_shown() {
        let shown = format!("{:?}", context("ana@x", "http://a:1"));
        assert!(!shown.contains("token\""), "{shown}");
        assert!(
            !shown.contains("an-access-token") && !shown.contains("a-refresh-token"),
            "{shown}"
        );
    }
}
