//! Logging in and staying so: a short-lived access token, and a refresh token that is good once.
//!
//! Wrong passwords lock an account for a while. Unknown address, wrong password and locked account look alike, in text
//! and in time.

use iam::{opaque, password, token};
use ports::{
    store::{Batch, Doc, Filter, PLATFORM, Versioned, Write},
    vault::SecretRef,
};
use types::{
    Email, Fault, FaultKind, Principal, ProjectId, Secret, SessionId, TokenId, UserId,
    tenant::{Role, Session, User},
};

use super::{AUDIENCE, Tenants};
use crate::{books::Decision, records};

pub(super) const ACCESS_S: i64 = 15 * 60;
const REFRESH_S: i64 = 30 * 86_400;
/// Wrong passwords that cost nothing but the wait for the answer.
const TRIES: u32 = 5;
const LOCK_S: i64 = 60;
const LONGEST_LOCK_S: i64 = 15 * 60;
const PASSWORD: &str = "password";
const REFRESH_PREFIX: &str = "pcr_";

#[derive(Debug)]
pub struct Pair {
    pub access: Secret,
    pub access_lives_s: i64,
    pub refresh: Secret,
}

impl Tenants {
    pub async fn login(&self, email: &str, given: &Secret, project: Option<&str>) -> Result<Pair, Fault> {
        let user = match email.parse::<Email>() {
            Ok(email) => self.user_named(email.as_str()).await?,
            Err(_) => None,
        };
        let stored = match &user {
            Some(user) => self.password_of(&user.value.id).await?,
            None => None,
        };
        let given = given.clone();
        let right = at_leisure(move || password::verify(&given, stored.as_deref())).await?;
        let Some(user) = user else {
            return Err(not_let_in());
        };
        if user
            .value
            .locked_until
            .is_some_and(|until| until > self.clock.now())
        {
            return Err(not_let_in());
        }
        if !right {
            self.failed(user).await?;
            return Err(not_let_in());
        }
        let user = self.succeeded(user).await?;
        let project = match project {
            Some(reference) => Some(self.enter(&principal(&user), reference).await?.project.id),
            None => None,
        };
        self.open_session(&user, project.as_ref()).await
    }

    /// A new pair for a refresh token, which is good once: shown again, it ends its family and every token of the user.
    pub async fn refresh(&self, refresh: &Secret, project: Option<&str>) -> Result<Pair, Fault> {
        let digest = &opaque::digest(refresh);
        let id = &session_of(refresh).ok_or_else(not_let_in)?;
        let next = opaque::generate(&format!("{REFRESH_PREFIX}{}_", id.tail()));
        let next_digest = &opaque::digest(&next);
        let now = self.clock.now();
        let user = self
            .accept(move || {
                Box::pin(async move {
                    let found = records::get::<Session>(&*self.store, id.as_str()).await?;
                    let mut session = found
                        .filter(|session| session.value.expires > now)
                        .ok_or_else(not_let_in)?;
                    let user = records::get::<User>(&*self.store, session.value.user.as_str()).await?;
                    let mut user = user.ok_or_else(not_let_in)?;
                    if session.value.refresh != *digest {
                        tracing::warn!(user = %user.value.id, session = %id, "a used refresh token was shown again");
                        user.value.end_tokens(now);
                        let writes = vec![
                            Write::Delete {
                                kind: "session",
                                id: id.to_string(),
                            },
                            Write::Put(Doc::new(&user.value, user.version)),
                        ];
                        return Ok(Decision::Write { writes, answer: None });
                    }
                    session.value.refresh.clone_from(next_digest);
                    session.value.expires = now.plus(REFRESH_S);
                    Ok(Decision::Write {
                        writes: vec![Write::Put(Doc::new(&session.value, session.version))],
                        answer: Some(user.value),
                    })
                })
            })
            .await?
            .ok_or_else(not_let_in)?;
        let project = match project {
            Some(reference) => Some(self.enter(&principal(&user), reference).await?.project.id),
            None => None,
        };
        Ok(Pair {
            access: self.access_token(&user, project.as_ref()).await?,
            access_lives_s: ACCESS_S,
            refresh: next,
        })
    }

    /// Ends the login this refresh token belongs to; what is not a login any more is fine.
    pub async fn logout(&self, refresh: &Secret) -> Result<(), Fault> {
        let Some(id) = session_of(refresh) else {
            return Ok(());
        };
        let found = records::get::<Session>(&*self.store, id.as_str()).await?;
        if found.is_none_or(|session| session.value.refresh != opaque::digest(refresh)) {
            return Ok(());
        }
        let writes = vec![Write::Delete {
            kind: "session",
            id: id.to_string(),
        }];
        let gone = self.store.commit(Batch { fence: None, writes }).await;
        gone.map_err(records::fault)
    }

    /// Ends every login and every token of a person.
    pub async fn end_sessions(&self, id: &UserId) -> Result<(), Fault> {
        self.accept(move || {
            Box::pin(async move {
                let found = records::get::<User>(&*self.store, id.as_str()).await?;
                let mut user = found.ok_or_else(|| Fault::not_found("user", id.as_str()))?;
                user.value.end_tokens(self.clock.now());
                let mut writes = vec![Write::Put(Doc::new(&user.value, user.version))];
                for session in records::children::<Session>(&*self.store, id.as_str()).await? {
                    writes.push(Write::Delete {
                        kind: "session",
                        id: session.value.id.to_string(),
                    });
                }
                Ok(Decision::Write { writes, answer: () })
            })
        })
        .await
    }

    pub(super) async fn open_session(&self, user: &User, project: Option<&ProjectId>) -> Result<Pair, Fault> {
        let id = SessionId::generate();
        let refresh = opaque::generate(&format!("{REFRESH_PREFIX}{}_", id.tail()));
        let now = self.clock.now();
        let session = Session {
            id,
            user: user.id.clone(),
            refresh: opaque::digest(&refresh),
            created: now,
            expires: now.plus(REFRESH_S),
        };
        let mut writes = vec![Write::Put(Doc::new(&session, 0))];
        for old in records::children::<Session>(&*self.store, user.id.as_str()).await? {
            if old.value.expires < now {
                writes.push(Write::Delete {
                    kind: "session",
                    id: old.value.id.to_string(),
                });
            }
        }
        let kept = self.store.commit(Batch { fence: None, writes }).await;
        kept.map_err(records::fault)?;
        Ok(Pair {
            access: self.access_token(user, project).await?,
            access_lives_s: ACCESS_S,
            refresh,
        })
    }

    /// `project`: the one the token speaks for at clusters; their only one, if it is not said.
    async fn access_token(&self, user: &User, project: Option<&ProjectId>) -> Result<Secret, Fault> {
        let caller = principal(user);
        let project = match project {
            Some(id) => Some(self.project(id).await?),
            None => {
                let mut own = self.list_projects(&caller).await?;
                (own.len() == 1).then(|| own.remove(0).project)
            }
        };
        let org = project.as_ref().map(|project| project.org.clone());
        let roles: Vec<Role> = match &project {
            Some(project) => roles_in(&caller, project),
            None => user
                .grants
                .iter()
                .map(|grant| grant.role)
                .filter(|role| *role == Role::PlatformAdmin)
                .collect(),
        };
        let now = self.clock.now();
        let claims = token::Claims {
            iss: self.issuer.to_string(),
            aud: AUDIENCE.to_owned(),
            sub: user.id.to_string(),
            email: user.email.to_string(),
            org_id: org,
            project_id: project.map(|project| project.id),
            roles,
            iat: now.max(user.not_before),
            exp: now.plus(ACCESS_S),
            jti: TokenId::generate(),
        };
        self.mint(&claims).await
    }

    pub(super) async fn user_named(&self, email: &str) -> Result<Option<Versioned<User>>, Fault> {
        let filter = Filter {
            scope: Some(PLATFORM.to_owned()),
            name: Some(email.to_owned()),
            ..Filter::default()
        };
        Ok(records::list(&*self.store, &filter).await?.into_iter().next())
    }

    pub(super) async fn password_of(&self, user: &UserId) -> Result<Option<String>, Fault> {
        let at = SecretRef::new(user.as_str(), PASSWORD);
        let Some(sealed) = self.store.secret(&at).await.map_err(records::fault)? else {
            return Ok(None);
        };
        let hash = self.vault.open(&at, &sealed)?;
        Ok(hash.expose_str().ok().map(str::to_owned))
    }

    pub(super) fn seal_password(&self, user: &UserId, hash: &str) -> Result<Write, Fault> {
        let at = SecretRef::new(user.as_str(), PASSWORD);
        let sealed = self.vault.seal(&at, &Secret::new(hash))?;
        Ok(Write::PutSecret { at, sealed })
    }

    /// Counts a wrong password; a try that races with another may go uncounted, never a lock.
    pub(super) async fn failed(&self, mut user: Versioned<User>) -> Result<(), Fault> {
        user.value.failures = user.value.failures.saturating_add(1);
        if user.value.failures >= TRIES {
            let doubled = LOCK_S << (user.value.failures - TRIES).min(8);
            user.value.locked_until = Some(self.clock.now().plus(doubled.min(LONGEST_LOCK_S)));
            tracing::warn!(user = %user.value.id, failures = user.value.failures, "locked after wrong passwords");
        }
        self.put(&user).await
    }

    async fn succeeded(&self, mut user: Versioned<User>) -> Result<User, Fault> {
        if user.value.failures > 0 {
            user.value.failures = 0;
            user.value.locked_until = None;
            self.put(&user).await?;
        }
        Ok(user.value)
    }

    async fn put(&self, user: &Versioned<User>) -> Result<(), Fault> {
        let writes = vec![Write::Put(Doc::new(&user.value, user.version))];
        match self.store.commit(Batch { fence: None, writes }).await {
            Ok(()) | Err(ports::store::StoreError::Stale { .. }) => Ok(()),
            Err(error) => Err(records::fault(error)),
        }
    }
}

/// Hashing a password takes tens of milliseconds on purpose: not on the threads that serve everybody.
pub(super) async fn at_leisure<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Fault> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Fault::internal("password-work", error.to_string()))
}

pub(super) fn principal(user: &User) -> Principal {
    Principal {
        id: user.id.to_string(),
        name: user.email.to_string(),
        grants: user.grants.clone(),
        token: None,
    }
}

/// Every role that counts in this project, and being an administrator of the platform, which counts everywhere.
pub(super) fn roles_in(caller: &Principal, project: &types::tenant::Project) -> Vec<Role> {
    let place = types::tenant::Place::Project(project.org.clone(), project.id.clone());
    let mut roles: Vec<Role> = caller
        .grants
        .iter()
        .filter(|grant| place.is_within(&grant.place))
        .map(|grant| grant.role)
        .collect();
    roles.sort_unstable();
    roles.dedup();
    roles
}

fn session_of(refresh: &Secret) -> Option<SessionId> {
    let text = refresh.expose_str().ok()?;
    let (tail, _) = text.strip_prefix(REFRESH_PREFIX)?.split_once('_')?;
    format!("{}-{tail}", SessionId::PREFIX).parse().ok()
}

fn not_let_in() -> Fault {
    Fault::new(
        FaultKind::Unauthenticated,
        "login-refused",
        "the address or the password is wrong, or the login has ended",
        "log in again with `cloud login`; after several wrong passwords wait a quarter of an hour",
    )
}
