//! Staying logged in: a session, its refresh token that is good once, and the short-lived access tokens that come of it.

use iam::{opaque, token};
use ports::store::{Batch, Doc, StoreError, Write};
use types::{
    Email, Fault, ProjectId, Secret, SessionId, TokenId, UserId,
    tenant::{Role, Session, User},
};

use super::{
    AUDIENCE, Tenants,
    login::{not_let_in, principal, roles_in},
};
use crate::{books::Decision, records};

pub(super) const ACCESS_S: i64 = 15 * 60;
const REFRESH_S: i64 = 30 * 86_400;
const REFRESH_PREFIX: &str = "pcr_";

#[derive(Debug)]
pub struct Pair {
    pub user: UserId,
    pub email: Email,
    pub access: Secret,
    pub access_lives_s: i64,
    pub refresh: Secret,
}

impl Tenants {
    /// A new pair for a refresh token, which is good once: shown again, it ends its family and every token of the user.
    pub async fn refresh(&self, refresh: &Secret, project: Option<&str>) -> Result<Pair, Fault> {
        let id = session_of(refresh).ok_or_else(not_let_in)?;
        let now = self.clock.now();
        let found = records::get::<Session>(&*self.store, id.as_str()).await?;
        let mut session = found
            .filter(|session| session.value.expires > now)
            .ok_or_else(not_let_in)?;
        let user = records::get::<User>(&*self.store, session.value.user.as_str()).await?;
        let user = user.ok_or_else(not_let_in)?.value;
        if session.value.refresh != opaque::digest(refresh) {
            tracing::warn!(user = %user.id, session = %id, "a used refresh token was shown again");
            self.end_session(&id, &user.id).await?;
            return Err(not_let_in());
        }
        // Asked before anything is written: what is refused costs nobody their login.
        let project = match project {
            Some(reference) => Some(self.enter(&principal(&user), reference).await?.project.id),
            None => None,
        };
        let access = self.access_token(&user, project.as_ref()).await?;
        let next = refresh_token(&id);
        session.value.refresh = opaque::digest(&next);
        session.value.expires = now.plus(REFRESH_S);
        let writes = vec![Write::Put(Doc::new(&session.value, session.version))];
        match self.store.commit(Batch { fence: None, writes }).await {
            Ok(()) => Ok(Pair {
                user: user.id,
                email: user.email,
                access,
                access_lives_s: ACCESS_S,
                refresh: next,
            }),
            // Somebody showed the same token at the same time.
            Err(StoreError::Stale { .. }) => {
                self.end_session(&id, &user.id).await?;
                Err(not_let_in())
            }
            Err(error) => Err(records::fault(error)),
        }
    }

    /// Ends the login this refresh token belongs to, and the tokens that came of it; what is not a login any more is fine.
    pub async fn logout(&self, refresh: &Secret) -> Result<(), Fault> {
        let Some(id) = session_of(refresh) else {
            return Ok(());
        };
        match records::get::<Session>(&*self.store, id.as_str()).await? {
            Some(session) if session.value.refresh == opaque::digest(refresh) => {
                self.end_session(&id, &session.value.user).await
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Access tokens say whose they are, not of which login: all of the user's end. Their other logins fetch new ones.
    async fn end_session(&self, id: &SessionId, user: &UserId) -> Result<(), Fault> {
        self.accept(move || {
            Box::pin(async move {
                let mut writes = vec![Write::Delete {
                    kind: "session",
                    id: id.to_string(),
                }];
                if let Some(mut user) = records::get::<User>(&*self.store, user.as_str()).await? {
                    user.value.end_tokens(self.clock.now());
                    writes.push(Write::Put(Doc::new(&user.value, user.version)));
                }
                Ok(Decision::Write { writes, answer: () })
            })
        })
        .await
    }

    /// Ends every login and every token of a person.
    pub async fn end_sessions(&self, id: &UserId) -> Result<(), Fault> {
        self.accept(move || {
            Box::pin(async move {
                let found = records::get::<User>(&*self.store, id.as_str()).await?;
                let mut user = found.ok_or_else(|| Fault::not_found("user", id.as_str()))?;
                let mut writes = self.without_logins(&mut user.value).await?;
                writes.push(Write::Put(Doc::new(&user.value, user.version)));
                Ok(Decision::Write { writes, answer: () })
            })
        })
        .await
    }

    pub(super) async fn open_session(&self, user: &User, project: Option<&ProjectId>) -> Result<Pair, Fault> {
        let id = SessionId::generate();
        let refresh = refresh_token(&id);
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
            user: user.id.clone(),
            email: user.email.clone(),
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
}

/// It names its login, so that one that was used before is recognised as its.
fn refresh_token(id: &SessionId) -> Secret {
    opaque::generate(&format!("{REFRESH_PREFIX}{}", id.tail()))
}

fn session_of(refresh: &Secret) -> Option<SessionId> {
    let text = refresh.expose_str().ok()?;
    let (tail, _) = text.strip_prefix(REFRESH_PREFIX)?.split_once('_')?;
    format!("{}-{tail}", SessionId::PREFIX).parse().ok()
}
