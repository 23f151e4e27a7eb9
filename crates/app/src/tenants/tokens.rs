//! Tokens on request: a service account's for the platform, anybody's for one cluster.

use iam::token::Claims;
use ports::{
    paging::Order,
    store::{Doc, Write},
};
use types::{
    ClusterId, Fault, Principal, ProjectId, Secret, Timestamp, TokenId,
    tenant::{IssuedToken, Project, Role, ServiceAccount},
};

use super::{AUDIENCE, Tenants, keys::LONGEST_TOKEN_S, login::roles_in, sessions::ACCESS_S};
use crate::{
    books::Decision,
    paged::{self, Paged, Part},
    records,
};

const SHORTEST_S: i64 = 60;

/// A token just made; it is shown once.
#[derive(Debug)]
pub struct Fresh {
    pub id: TokenId,
    pub token: Secret,
    pub expires: Timestamp,
}

impl Tenants {
    pub async fn create_token(
        &self,
        caller: &Principal,
        project: &ProjectId,
        account: &str,
        lives_s: i64,
    ) -> Result<Fresh, Fault> {
        if !(SHORTEST_S..=LONGEST_TOKEN_S).contains(&lives_s) {
            return Err(Fault::invalid(
                "ttl-invalid",
                format!(
                    "a token lives from {SHORTEST_S} seconds to {} hours",
                    LONGEST_TOKEN_S / 3600
                ),
                "give a ttl such as 1h; ask for a new token before the old one ends",
            )
            .at("ttlSeconds"));
        }
        let now = self.clock.now();
        let id = &TokenId::generate();
        let (account, project) = self
            .accept(move || {
                Box::pin(async move {
                    let account = records::find::<ServiceAccount>(&*self.store, project, account)
                        .await?
                        .value;
                    let project = self.project(project).await?;
                    let issued = IssuedToken {
                        id: id.clone(),
                        project: project.id.clone(),
                        holder: account.id.to_string(),
                        holder_name: shown(&account, &project),
                        issued_by: caller.name.clone(),
                        created: now,
                        expires: now.plus(lives_s),
                        revoked: false,
                    };
                    let mut writes = vec![Write::Put(Doc::new(&issued, 0))];
                    writes.extend(self.ended(&project.id, now).await?);
                    Ok(Decision::Write {
                        writes,
                        answer: (account, project),
                    })
                })
            })
            .await?;
        let claims = Claims {
            iss: self.issuer.to_string(),
            aud: AUDIENCE.to_owned(),
            sub: account.id.to_string(),
            email: shown(&account, &project),
            org_id: Some(project.org),
            project_id: Some(project.id),
            roles: vec![account.role],
            iat: now.max(account.not_before),
            exp: now.plus(lives_s),
            jti: id.clone(),
        };
        Ok(Fresh {
            id: id.clone(),
            token: self.mint(&claims).await?,
            expires: now.plus(lives_s),
        })
    }

    /// For `kubectl`: good at this one cluster and nowhere else, for a short time.
    pub async fn cluster_token(
        &self,
        caller: &Principal,
        project: &ProjectId,
        cluster: &ClusterId,
    ) -> Result<Fresh, Fault> {
        let project = self.project(project).await?;
        let roles: Vec<Role> = roles_in(caller, &project);
        // Whoever comes by a grant belongs to neither, and must not be told to.
        let (org, project) = match roles.is_empty() {
            true => (None, None),
            false => (Some(project.org), Some(project.id)),
        };
        let now = self.clock.now();
        let expires = self.not_after(caller, now.plus(ACCESS_S)).await?;
        // One made from a service account's token is revoked with that one.
        let id = caller.token.clone().unwrap_or_else(TokenId::generate);
        let claims = Claims {
            iss: self.issuer.to_string(),
            aud: format!("k8s:{cluster}"),
            sub: caller.id.clone(),
            email: caller.name.clone(),
            org_id: org,
            project_id: project,
            roles,
            iat: now,
            exp: expires,
            jti: id.clone(),
        };
        Ok(Fresh {
            id,
            token: self.mint(&claims).await?,
            expires,
        })
    }

    /// What is made from a service account's token ends with it at the latest: a revocation is remembered that long.
    pub(super) async fn not_after(&self, caller: &Principal, wanted: Timestamp) -> Result<Timestamp, Fault> {
        let Some(id) = &caller.token else {
            return Ok(wanted);
        };
        let issued = records::get::<IssuedToken>(&*self.store, id.as_str()).await?;
        let ends = issued.map_or(Timestamp(0), |issued| issued.value.expires);
        Ok(ends.min(wanted))
    }

    /// Those that have not ended, newest first.
    pub async fn list_tokens(&self, project: &ProjectId, part: &Part) -> Result<Paged<IssuedToken>, Fault> {
        let now = self.clock.now();
        let lives = |token: IssuedToken| (token.expires > now).then_some(token);
        paged::read(&*self.store, Some(project.as_str()), Order::Newest, part, lives).await
    }

    pub async fn revoke_token(&self, project: &ProjectId, id: &str) -> Result<(), Fault> {
        self.accept(move || {
            Box::pin(async move {
                let found = records::get::<IssuedToken>(&*self.store, id).await?;
                let mut token = found
                    .filter(|token| token.value.project == *project)
                    .ok_or_else(|| Fault::not_found("token", id))?;
                if token.value.revoked {
                    return Ok(Decision::Answer(()));
                }
                token.value.revoked = true;
                Ok(Decision::Write {
                    writes: vec![Write::Put(Doc::new(&token.value, token.version))],
                    answer: (),
                })
            })
        })
        .await
    }

    async fn tokens_of(&self, project: &ProjectId) -> Result<Vec<IssuedToken>, Fault> {
        let all = records::within::<IssuedToken>(&*self.store, project.as_str()).await?;
        Ok(all.into_iter().map(|token| token.value).collect())
    }

    /// Removing those whose time is over: nobody asks for them any more.
    async fn ended(&self, project: &ProjectId, now: Timestamp) -> Result<Vec<Write>, Fault> {
        let gone = |token: IssuedToken| Write::Delete {
            kind: "token",
            id: token.id.to_string(),
        };
        let all = self.tokens_of(project).await?;
        Ok(all
            .into_iter()
            .filter(|token| token.expires < now)
            .map(gone)
            .collect())
    }
}

/// As it is called in Kubernetes.
fn shown(account: &ServiceAccount, project: &Project) -> String {
    format!("sa-{}@{}", account.name, project.name)
}
