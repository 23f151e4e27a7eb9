//! The ways into the platform: passwords, and login providers with what the operator lets each of them say.

use types::{
    Email, Fault,
    tenant::{Role, Session},
};

use super::Tenants;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doors {
    /// Whether the platform's own passwords are good.
    pub password: bool,
    pub providers: Vec<ProviderRules>,
}

impl Default for Doors {
    fn default() -> Self {
        Self {
            password: true,
            providers: Vec::new(),
        }
    }
}

/// What a login provider may say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderRules {
    pub name: String,
    /// Domains of addresses that the provider answers for. It lets in nobody of another.
    pub email_domains: Vec<String>,
    pub require_verified_email: bool,
    pub groups: Vec<GroupRule>,
    /// After so long somebody logs in there again.
    pub session_s: i64,
}

/// Whoever is in the group has the role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRule {
    pub group: String,
    pub role: Role,
    pub place: RulePlace,
}

/// By name or id, as they are when somebody logs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RulePlace {
    Platform,
    Org(String),
    Project { org: String, project: String },
}

impl ProviderRules {
    /// Whether the provider answers for this address.
    pub fn answers_for(&self, email: &Email) -> bool {
        let domain = email.as_str().rsplit('@').next().unwrap_or_default();
        self.email_domains
            .iter()
            .any(|own| own.eq_ignore_ascii_case(domain))
    }
}

impl Tenants {
    pub fn doors(&self) -> &Doors {
        &self.doors
    }

    pub(super) fn passwords_are_taken(&self) -> Result<(), Fault> {
        if self.doors.password {
            return Ok(());
        }
        let names: Vec<&str> = self.doors.providers.iter().map(|p| p.name.as_str()).collect();
        Err(Fault::refused(
            "password-login-off",
            "this platform takes no passwords",
            format!(
                "log in with `cloud login --provider NAME`, with an invitation too; there is {}",
                names.join(", ")
            ),
        ))
    }

    /// Whether somebody could come in today as they did for this login.
    pub(super) fn is_still_a_way_in(&self, session: &Session) -> bool {
        match &session.external {
            None => self.doors.password,
            Some(external) => self.provider(&external.provider).is_some(),
        }
    }

    pub(super) fn provider(&self, name: &str) -> Option<&ProviderRules> {
        self.doors.providers.iter().find(|provider| provider.name == name)
    }
}
