//! Inviting a person to a role, and taking an invitation up.

use iam::{opaque, password};
use ports::{
    paging::Order,
    store::{Doc, Filter, PLATFORM, Versioned, Write},
};
use types::{
    Email, Fault, FaultKind, InvitationId, Principal, Secret, Timestamp, UserId,
    tenant::{Grant, Invitation, Place, Role, User},
};

use super::{Tenants, passwords, sessions::Pair};
use crate::{
    books::Decision,
    paged::{self, Paged, Part},
    records,
};

const GOOD_FOR_S: i64 = 7 * 86_400;

/// The code is shown once; it goes to the person by whatever way the inviter trusts.
#[derive(Debug)]
pub struct Invited {
    pub invitation: Invitation,
    pub code: Secret,
}

impl Tenants {
    /// A second invitation to the same role takes the place of the first.
    pub async fn invite(
        &self,
        caller: &Principal,
        place: Place,
        role: Role,
        email: Email,
    ) -> Result<Invited, Fault> {
        let fits = match &place {
            Place::Platform => role == Role::PlatformAdmin,
            Place::Org(_) => role == Role::OrgAdmin,
            Place::Project(..) => role <= Role::ProjectAdmin,
        };
        if !fits {
            return Err(Fault::unfit(
                "role-misplaced",
                format!("the role {role} cannot be held there"),
                "give platform_admin for the platform, org_admin for an organisation; project_admin, project_member or project_viewer for a project",
            )
            .at("role"));
        }
        let code = opaque::generate("pci");
        let now = self.clock.now();
        let invitation = &Invitation {
            id: InvitationId::generate(),
            email,
            grant: Grant { role, place },
            code: opaque::digest(&code),
            invited_by: caller.name.clone(),
            created: now,
            expires: now.plus(GOOD_FOR_S),
        };
        self.accept(move || {
            Box::pin(async move {
                let earlier = records::list::<Invitation>(&*self.store, &Filter::default()).await?;
                let mut writes: Vec<Write> = earlier
                    .into_iter()
                    .filter(|other| {
                        let other = &other.value;
                        let same = other.email == invitation.email && other.grant == invitation.grant;
                        same || other.expires < now
                    })
                    .map(|other| Write::Delete {
                        kind: "invitation",
                        id: other.value.id.to_string(),
                    })
                    .collect();
                writes.push(Write::Put(Doc::new(invitation, 0)));
                Ok(Decision::Write { writes, answer: () })
            })
        })
        .await?;
        Ok(Invited {
            invitation: invitation.clone(),
            code,
        })
    }

    /// What waits to be taken up, at a place and below it.
    pub async fn list_invitations(&self, place: &Place) -> Result<Vec<Invitation>, Fault> {
        let now = self.clock.now();
        let mut waiting: Vec<Invitation> = records::list::<Invitation>(&*self.store, &Filter::default())
            .await?
            .into_iter()
            .map(|invitation| invitation.value)
            .filter(|invitation| invitation.expires > now && invitation.grant.place.is_within(place))
            .collect();
        waiting.sort_by(|a, b| (&a.email, &a.id).cmp(&(&b.email, &b.id)));
        Ok(waiting)
    }

    /// The same by the page, as they were made.
    pub async fn page_invitations(&self, place: &Place, part: &Part) -> Result<Paged<Invitation>, Fault> {
        let now = self.clock.now();
        let waits = |invitation: Invitation| {
            (invitation.expires > now && invitation.grant.place.is_within(place)).then_some(invitation)
        };
        paged::read(&*self.store, Some(PLATFORM), Order::Oldest, part, waits).await
    }

    /// By id, or all of an address; their codes are good for nothing then.
    pub async fn withdraw(&self, place: &Place, reference: &str) -> Result<(), Fault> {
        self.accept(move || {
            Box::pin(async move {
                let waiting = self.list_invitations(place).await?;
                let writes: Vec<Write> = waiting
                    .into_iter()
                    .filter(|invitation| {
                        invitation.id.as_str() == reference
                            || invitation.email.as_str().eq_ignore_ascii_case(reference)
                    })
                    .map(|invitation| Write::Delete {
                        kind: "invitation",
                        id: invitation.id.to_string(),
                    })
                    .collect();
                if writes.is_empty() {
                    return Err(Fault::new(
                        FaultKind::NotFound,
                        "invitation-not-found",
                        format!("no invitation '{reference}' waits to be taken up here"),
                        "see which do with `cloud user invitations`",
                    ));
                }
                Ok(Decision::Write { writes, answer: () })
            })
        })
        .await
    }

    /// With the code and a password: the new one of somebody new, their own of somebody known. Ends in a login.
    pub async fn take_up(&self, code: &Secret, given: &Secret) -> Result<Pair, Fault> {
        self.passwords_are_taken()?;
        let digest = opaque::digest(code);
        let now = self.clock.now();
        let found = self.invitation(&digest, now).await?;
        let known = match &found {
            Some(invitation) => self.user_named(invitation.value.email.as_str()).await?,
            None => None,
        };
        // The same work in every case, so that nothing can be learnt from the time it takes.
        let stored = match &known {
            Some(user) => self.password_of(&user.value.id).await?,
            None => None,
        };
        let (hash, right) = {
            let (given, stored) = (given.clone(), stored.clone());
            let both = move || {
                (
                    password::hash(&given),
                    password::verify(&given, stored.as_deref()),
                )
            };
            super::login::at_leisure(both).await?
        };
        let Some(invitation) = found else {
            return Err(no_invitation());
        };
        let user = match known {
            Some(user) if stored.is_some() && !right => {
                self.failed(user).await?;
                return Err(no_invitation());
            }
            // Somebody whom a provider vouches for is let in by it alone: whoever holds a code of theirs sets no password.
            Some(user) if stored.is_none() && self.is_known_elsewhere(&user.value.id).await? => {
                return Err(no_invitation());
            }
            known => known,
        };
        let hash = hash.map_err(|error| passwords::unfit(&error))?;
        let id = user
            .as_ref()
            .map_or_else(UserId::generate, |user| user.value.id.clone());
        let sealed = match stored {
            Some(_) => None,
            None => Some(self.seal_password(&id, &hash)?),
        };
        let (id, digest, sealed) = (&id, &digest, &sealed);
        let user = self
            .accept(move || {
                Box::pin(async move {
                    let invitation = self.invitation(digest, now).await?.ok_or_else(no_invitation)?;
                    let known = self.user_named(invitation.value.email.as_str()).await?;
                    let mut user = known.unwrap_or_else(|| Versioned {
                        version: 0,
                        value: newcomer(id.clone(), invitation.value.email.clone(), now),
                    });
                    if user.value.id != *id {
                        return Err(no_invitation());
                    }
                    if !user.value.grants.contains(&invitation.value.grant) {
                        user.value.grants.push(invitation.value.grant.clone());
                    }
                    user.value.failures = 0;
                    let mut writes = vec![
                        Write::Put(Doc::new(&user.value, user.version)),
                        Write::Delete {
                            kind: "invitation",
                            id: invitation.value.id.to_string(),
                        },
                    ];
                    writes.extend(sealed.clone());
                    Ok(Decision::Write {
                        writes,
                        answer: user.value,
                    })
                })
            })
            .await?;
        self.open_session(&user, invitation.value.grant.place.project(), None)
            .await
    }

    pub(super) async fn invitation(
        &self,
        digest: &str,
        now: Timestamp,
    ) -> Result<Option<Versioned<Invitation>>, Fault> {
        let found = records::named::<Invitation>(&*self.store, PLATFORM, digest).await?;
        Ok(found.filter(|found| found.value.expires > now))
    }
}

pub(super) fn newcomer(id: UserId, email: Email, now: Timestamp) -> User {
    User {
        id,
        email,
        grants: Vec::new(),
        by_group: Vec::new(),
        failures: 0,
        locked_until: None,
        not_before: Timestamp(0),
        created: now,
    }
}

pub(super) fn no_invitation() -> Fault {
    Fault::new(
        FaultKind::Unauthenticated,
        "invitation-refused",
        "the code or the password is wrong, or the invitation has run out",
        "somebody the platform knows already gives their own password, or logs in with their provider and the code; else ask for a new invitation",
    )
}
