//! `[login]` of the settings: whether passwords are taken, and which providers vouch for people.

use std::{collections::BTreeSet, path::PathBuf};

use app::tenants::{Doors, GroupRule, ProviderRules, RulePlace};
use serde::Deserialize;
use types::{Fault, tenant::Role};

const LONGEST_SESSION_H: i64 = 30 * 24;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LoginFile {
    password: bool,
    session_hours: i64,
    oidc: Vec<ProviderFile>,
}

impl Default for LoginFile {
    fn default() -> Self {
        Self {
            password: true,
            session_hours: 12,
            oidc: Vec::new(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProviderFile {
    name: String,
    issuer: String,
    client_id: String,
    client_secret_file: Option<PathBuf>,
    #[serde(default = "default_scopes")]
    scopes: Vec<String>,
    #[serde(default = "default_email_claim")]
    email_claim: String,
    #[serde(default = "default_groups_claim")]
    groups_claim: String,
    email_domains: Vec<String>,
    #[serde(default = "yes")]
    require_verified_email: bool,
    #[serde(default)]
    hosts: Vec<String>,
    ca_file: Option<PathBuf>,
    #[serde(default)]
    loopback: LoopbackFile,
    #[serde(default = "yes")]
    device: bool,
    #[serde(default)]
    groups: Vec<GroupFile>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
enum LoopbackFile {
    #[default]
    #[serde(rename = "127.0.0.1")]
    Address,
    #[serde(rename = "localhost")]
    Localhost,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupFile {
    group: String,
    role: String,
    org: Option<String>,
    project: Option<String>,
}

fn yes() -> bool {
    true
}

fn default_scopes() -> Vec<String> {
    ["openid", "email", "groups"].map(str::to_owned).to_vec()
}

fn default_email_claim() -> String {
    "email".to_owned()
}

fn default_groups_claim() -> String {
    "groups".to_owned()
}

/// How people log in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoginSettings {
    pub doors: Doors,
    pub providers: Vec<oidc::Settings>,
}

impl LoginFile {
    pub fn resolve(self) -> Result<LoginSettings, Fault> {
        if !(1..=LONGEST_SESSION_H).contains(&self.session_hours) {
            return Err(Fault::invalid(
                "config-session-hours",
                format!(
                    "login.session_hours: {} is not a number of hours",
                    self.session_hours
                ),
                format!(
                    "give 1 to {LONGEST_SESSION_H}, such as 12: after that one logs in at the provider again"
                ),
            ));
        }
        if !self.password && self.oidc.is_empty() {
            return Err(Fault::invalid(
                "config-no-login",
                "login.password: without passwords and without a provider nobody could log in",
                "describe a provider under [[login.oidc]], or leave password = false out",
            ));
        }
        let (mut names, mut issuers) = (BTreeSet::new(), BTreeSet::new());
        let mut settings = LoginSettings::default();
        settings.doors.password = self.password;
        for file in self.oidc {
            if !names.insert(file.name.clone()) || !issuers.insert(file.issuer.clone()) {
                return Err(Fault::invalid(
                    "config-provider-twice",
                    format!(
                        "login.oidc '{}': its name or its issuer is there twice",
                        file.name
                    ),
                    "describe each provider once, under a name of its own",
                ));
            }
            settings.doors.providers.push(file.rules(self.session_hours)?);
            let provider = file.settings();
            provider.check()?;
            settings.providers.push(provider);
        }
        Ok(settings)
    }
}

impl ProviderFile {
    fn settings(self) -> oidc::Settings {
        oidc::Settings {
            name: self.name,
            issuer: self.issuer,
            client: self.client_id,
            secret_file: self.client_secret_file,
            scopes: self.scopes,
            email_claim: self.email_claim,
            groups_claim: self.groups_claim,
            hosts: self.hosts,
            ca_file: self.ca_file,
            loopback: match self.loopback {
                LoopbackFile::Address => oidc::Loopback::Address,
                LoopbackFile::Localhost => oidc::Loopback::Localhost,
            },
            device: self.device,
        }
    }

    fn rules(&self, session_hours: i64) -> Result<ProviderRules, Fault> {
        let is_domain = |domain: &String| format!("x@{domain}").parse::<types::Email>().is_ok();
        if self.email_domains.is_empty() || !self.email_domains.iter().all(is_domain) {
            return Err(Fault::invalid(
                "config-email-domains",
                format!(
                    "login.oidc '{}': email_domains: the provider is to answer for addresses of some domains",
                    self.name
                ),
                "give the domains whose people it knows, such as [\"acme.example\"]; it is believed about no others",
            ));
        }
        let groups = self.groups.iter().map(|group| group.rule(&self.name));
        Ok(ProviderRules {
            name: self.name.clone(),
            email_domains: self.email_domains.clone(),
            require_verified_email: self.require_verified_email,
            groups: groups.collect::<Result<_, _>>()?,
            session_s: session_hours * 3600,
        })
    }
}

impl GroupFile {
    fn rule(&self, provider: &str) -> Result<GroupRule, Fault> {
        let wrong = |cause: String| {
            Fault::invalid(
                "config-group",
                format!("login.oidc '{provider}': group '{}': {cause}", self.group),
                "give project_admin, project_member or project_viewer with org and project, org_admin with org, or \
                 platform_admin with neither",
            )
        };
        let role: Role = self.role.parse().map_err(|error| wrong(format!("{error}")))?;
        let place = match (role, &self.org, &self.project) {
            (Role::PlatformAdmin, None, None) => RulePlace::Platform,
            (Role::OrgAdmin, Some(org), None) => RulePlace::Org(org.clone()),
            (Role::ProjectAdmin | Role::ProjectMember | Role::ProjectViewer, Some(org), Some(project)) => {
                RulePlace::Project {
                    org: org.clone(),
                    project: project.clone(),
                }
            }
            _ => return Err(wrong(format!("the role {role} is not held there"))),
        };
        if self.group.is_empty() {
            return Err(wrong("a group has a name".to_owned()));
        }
        Ok(GroupRule {
            group: self.group.clone(),
            role,
            place,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORP: &str = "[[oidc]]\nname = \"corp\"\nissuer = \"https://id.acme.example\"\nclient_id = \"cloud\"\n\
                        email_domains = [\"acme.example\"]\n";

    fn resolve(text: &str) -> Result<LoginSettings, Fault> {
        let file: LoginFile = toml::from_str(text).unwrap();
        file.resolve()
    }

    #[test]
    fn without_a_word_passwords_are_taken_and_nobody_else_vouches() {
        let settings = resolve("").unwrap();
        assert!(settings.doors.password && settings.providers.is_empty());
    }

    #[test]
    fn a_provider_needs_four_words() {
        let settings = resolve(CORP).unwrap();
        let provider = &settings.providers[0];
        assert_eq!(provider.scopes, ["openid", "email", "groups"]);
        assert_eq!(
            (provider.device, provider.loopback),
            (true, oidc::Loopback::Address)
        );
        let rules = &settings.doors.providers[0];
        assert!(rules.require_verified_email);
        assert_eq!(rules.session_s, 12 * 3600);
    }

    #[test]
    fn groups_are_held_where_their_role_can_be() {
        let with = |group: &str| resolve(&format!("{CORP}[[oidc.groups]]\ngroup = \"g\"\n{group}"));
        let good = with("role = \"project_member\"\norg = \"acme\"\nproject = \"shop\"").unwrap();
        assert_eq!(
            good.doors.providers[0].groups[0].place,
            RulePlace::Project {
                org: "acme".to_owned(),
                project: "shop".to_owned()
            }
        );
        with("role = \"org_admin\"\norg = \"acme\"").unwrap();
        with("role = \"platform_admin\"").unwrap();
        for bad in [
            "role = \"king\"",
            "role = \"project_member\"\norg = \"acme\"",
            "role = \"project_member\"\nproject = \"shop\"",
            "role = \"org_admin\"\norg = \"acme\"\nproject = \"shop\"",
            "role = \"platform_admin\"\norg = \"acme\"",
        ] {
            assert_eq!(with(bad).unwrap_err().code, "config-group", "{bad}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let twice = format!("{CORP}{CORP}");
        let anybody = CORP.replace("\"acme.example\"", "");
        let plain = CORP.replace("https://", "http://");
        let secret = format!("{CORP}client_secret_file = \"/nonexistent/secret\"");
        for (text, code) in [
            ("password = false", "config-no-login"),
            ("session_hours = 0", "config-session-hours"),
            (&twice, "config-provider-twice"),
            (&anybody, "config-email-domains"),
            (&plain, "provider-issuer"),
            (&secret, "provider-secret"),
        ] {
            let fault = resolve(text).unwrap_err();
            assert_eq!(fault.code, code, "{text}");
            assert!(!fault.cause.is_empty() && !fault.remedy.is_empty());
        }
    }
}
