//! Somebody whom a login provider vouches for: who they are here, and what their groups give them.
//!
//! A person is known by issuer and subject. By their address they are known once, at their first login there, and only
//! where the operator said that the provider answers for that domain: an address is something a provider can make up.

use ports::store::{Doc, Filter, Versioned, Write};
use sha2::{Digest, Sha256};
use types::{
    Email, Fault, FaultKind, Secret, Timestamp, UserId,
    tenant::{ExternalIdentity, ExternalSession, GroupGrant, Organisation, Place, User},
};

use super::{
    Pair, ProviderRules, RulePlace, Tenants, grants,
    invitations::{newcomer, no_invitation},
    login::principal,
};
use crate::{books::Decision, records, root_user};

/// What a provider said, verified by whoever asked it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presented {
    pub provider: String,
    pub issuer: String,
    pub subject: String,
    pub email: Option<String>,
    pub email_verified: bool,
    pub groups: Vec<String>,
}

impl Tenants {
    /// Ends in a login. `invitation`: the code of one to take up with it.
    pub async fn login_presented(
        &self,
        presented: &Presented,
        invitation: Option<&Secret>,
        project: Option<&str>,
    ) -> Result<Pair, Fault> {
        let rules = self
            .provider(&presented.provider)
            .ok_or_else(|| refused(presented))?;
        let email = &admissible(rules, presented)?;
        let now = self.clock.now();
        let id = &UserId::generate();
        let digest = &invitation.map(iam::opaque::digest);
        let user = self
            .accept(move || {
                Box::pin(async move {
                    self.decide(rules, presented, email, id, digest.as_deref(), now)
                        .await
                })
            })
            .await?;
        if user.held().is_empty() {
            return Err(no_role(presented));
        }
        let project = match project {
            Some(reference) => Some(self.enter(&principal(&user), reference).await?.project.id),
            None => None,
        };
        let external = ExternalSession {
            provider: rules.name.clone(),
            ends: now.plus(rules.session_s),
        };
        self.open_session(&user, project.as_ref(), Some(external)).await
    }

    pub(super) async fn is_known_elsewhere(&self, user: &UserId) -> Result<bool, Fault> {
        let known = records::children::<ExternalIdentity>(&*self.store, user.as_str()).await?;
        Ok(!known.is_empty())
    }

    async fn decide(
        &self,
        rules: &ProviderRules,
        presented: &Presented,
        email: &Email,
        id: &UserId,
        invitation: Option<&str>,
        now: Timestamp,
    ) -> Result<Decision<User>, Fault> {
        let identity = ExternalIdentity {
            id: identity_id(&presented.issuer, &presented.subject),
            issuer: presented.issuer.clone(),
            subject: presented.subject.clone(),
            user: id.clone(),
            created: now,
        };
        let known = records::get::<ExternalIdentity>(&*self.store, &identity.id).await?;
        let mut writes = Vec::new();
        let mut user = match known {
            Some(known) => {
                let user = records::get::<User>(&*self.store, known.value.user.as_str()).await?;
                user.ok_or_else(|| refused(presented))?
            }
            None => {
                let user = self.at_first(rules, presented, email, id, now).await?;
                writes.push(Write::Put(Doc::new(
                    &ExternalIdentity {
                        user: user.value.id.clone(),
                        ..identity
                    },
                    0,
                )));
                user
            }
        };
        let before = (user.version > 0).then(|| user.value.clone());
        user.value.by_group.retain(|held| held.provider != rules.name);
        user.value
            .by_group
            .extend(self.given(rules, &presented.groups).await?);
        if let Some(digest) = invitation {
            writes.push(self.with_invitation(&mut user.value, email, digest, now).await?);
        }
        if user.version == 0 && user.value.held().is_empty() {
            // Nobody is written down for having no business here.
            return Err(no_role(presented));
        }
        let held = user.value.held();
        if let Some(before) = &before
            && before.held().iter().any(|grant| !held.contains(grant))
        {
            user.value.end_tokens(now);
            writes.extend(grants::lost(&*self.store, &user.value, None).await?);
        }
        if before.as_ref() != Some(&user.value) {
            writes.push(Write::Put(Doc::new(&user.value, user.version)));
        }
        let answer = user.value;
        Ok(if writes.is_empty() {
            Decision::Answer(answer)
        } else {
            Decision::Write { writes, answer }
        })
    }

    /// Somebody who was never here by this provider: new, or known by their address.
    async fn at_first(
        &self,
        rules: &ProviderRules,
        presented: &Presented,
        email: &Email,
        id: &UserId,
        now: Timestamp,
    ) -> Result<Versioned<User>, Fault> {
        let Some(user) = self.user_named(email.as_str()).await? else {
            return Ok(Versioned {
                version: 0,
                value: newcomer(id.clone(), email.clone(), now),
            });
        };
        let caller = principal(&user.value);
        let is_operator = user.value.id == root_user() || caller.is_platform_admin();
        // An address that had another owner at this provider is not its first owner's account.
        let others = records::children::<ExternalIdentity>(&*self.store, user.value.id.as_str()).await?;
        let was_another = others.iter().any(|other| other.value.issuer == presented.issuer);
        if is_operator || was_another || !presented.email_verified || !rules.answers_for(email) {
            tracing::warn!(
                provider = %rules.name, user = %user.value.id,
                "somebody came with the address of a user they are not taken for"
            );
            return Err(refused(presented));
        }
        tracing::info!(provider = %rules.name, user = %user.value.id, "linked by address");
        Ok(user)
    }

    /// What groups give today. A place that is not there gives nothing.
    async fn given(&self, rules: &ProviderRules, groups: &[String]) -> Result<Vec<GroupGrant>, Fault> {
        let mut given = Vec::new();
        for rule in rules.groups.iter().filter(|rule| groups.contains(&rule.group)) {
            let Some(place) = self.place_of(&rule.place).await? else {
                tracing::warn!(provider = %rules.name, group = %rule.group, "a group is mapped to a place that is not there");
                continue;
            };
            given.push(GroupGrant {
                provider: rules.name.clone(),
                group: rule.group.clone(),
                grant: types::tenant::Grant {
                    role: rule.role,
                    place,
                },
            });
        }
        Ok(given)
    }

    async fn place_of(&self, place: &RulePlace) -> Result<Option<Place>, Fault> {
        let (org, project) = match place {
            RulePlace::Platform => return Ok(Some(Place::Platform)),
            RulePlace::Org(org) => (org, None),
            RulePlace::Project { org, project } => (org, Some(project)),
        };
        let orgs = records::list::<Organisation>(&*self.store, &Filter::default()).await?;
        let named = |org_id: &str, name: &str, wanted: &str| org_id == wanted || name == wanted;
        let found = orgs
            .into_iter()
            .map(|found| found.value)
            .find(|found| named(found.id.as_str(), found.name.as_str(), org));
        let (Some(org), Some(project)) = (&found, project) else {
            return Ok(found.map(|org| Place::Org(org.id)));
        };
        let projects = self.projects_of(&org.id).await?;
        let found = projects
            .into_iter()
            .map(|found| found.value)
            .find(|found| named(found.id.as_str(), found.name.as_str(), project));
        Ok(found.map(|project| Place::Project(project.org, project.id)))
    }

    /// An invitation is to an address, and the provider answers for it.
    async fn with_invitation(
        &self,
        user: &mut User,
        email: &Email,
        digest: &str,
        now: Timestamp,
    ) -> Result<Write, Fault> {
        let found = self.invitation(digest, now).await?;
        let invitation = found
            .map(|found| found.value)
            .filter(|invitation| invitation.email == *email && user.email == *email)
            .ok_or_else(no_invitation)?;
        if !user.grants.contains(&invitation.grant) {
            user.grants.push(invitation.grant);
        }
        Ok(Write::Delete {
            kind: "invitation",
            id: invitation.id.to_string(),
        })
    }
}

/// The address, if the provider may say it.
fn admissible(rules: &ProviderRules, presented: &Presented) -> Result<Email, Fault> {
    let email: Option<Email> = presented.email.as_deref().and_then(|email| email.parse().ok());
    let Some(email) = email else {
        return Err(wrong_address(
            presented,
            "it says no address that could be used".to_owned(),
        ));
    };
    if rules.require_verified_email && !presented.email_verified {
        return Err(wrong_address(presented, format!("it has not verified {email}")));
    }
    if !rules.answers_for(&email) {
        return Err(wrong_address(
            presented,
            format!("it does not answer for {email} here"),
        ));
    }
    Ok(email)
}

/// The length is in it, so that no two pairs are written alike.
fn identity_id(issuer: &str, subject: &str) -> String {
    let digest = Sha256::digest(format!("{}:{issuer}{subject}", issuer.len()));
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("ext-{hex}")
}

fn wrong_address(presented: &Presented, what: String) -> Fault {
    Fault::new(
        FaultKind::Unauthenticated,
        "login-address",
        format!("'{}' vouches for you, but {what}", presented.provider),
        "have your address verified there; or ask the platform's operator, who sets which addresses are taken",
    )
}

fn no_role(presented: &Presented) -> Fault {
    Fault::new(
        FaultKind::Unauthenticated,
        "login-no-role",
        format!(
            "'{}' vouches for you, but you have no role here",
            presented.provider
        ),
        "ask to be put into a group that has one, or to be invited",
    )
}

fn refused(presented: &Presented) -> Fault {
    Fault::new(
        FaultKind::Unauthenticated,
        "login-refused",
        format!(
            "'{}' vouches for you, but not for the user of your address",
            presented.provider
        ),
        "log in as you did before; else ask the platform's operator",
    )
}
