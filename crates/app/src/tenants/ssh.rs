//! SSH keys of people and programs, and tickets for the tunnel to an instance.

use cluster::ssh::PublicKey;
use iam::{ticket, token::Claims};
use ports::store::{Doc, Write};
use types::{
    Fault, FaultKind, MachineId, Name, Principal, ProjectId, SshKeyId, TokenId,
    ssh_key::{MOST, SshKey},
    tenant::User,
};

use super::{Fresh, Tenants, login::roles_in};
use crate::{
    books::{self, Decision},
    records,
};

const KIND: &str = "ssh-key";

impl Tenants {
    pub async fn add_ssh_key(
        &self,
        caller: &Principal,
        name: Name,
        public: &PublicKey,
    ) -> Result<SshKey, Fault> {
        let key = SshKey {
            id: SshKeyId::generate(),
            owner: caller.id.clone(),
            name,
            public: public.openssh()?,
            fingerprint: public.fingerprint(),
            created: self.clock.now(),
        };
        let key = &key;
        books::accept(&*self.store, &self.signals, move || {
            Box::pin(async move {
                let present = self.list_ssh_keys(caller).await?;
                if present.len() >= MOST {
                    return Err(Fault::refused(
                        "ssh-keys-exhausted",
                        format!("you have {} keys of at most {MOST}", present.len()),
                        "delete one that you do not use any more",
                    ));
                }
                if let Some(same) = present.iter().find(|other| other.fingerprint == key.fingerprint) {
                    return Err(Fault::conflict(
                        "ssh-key-known",
                        format!("that key is known already, as '{}'", same.name),
                        "use that name, or delete it first",
                    ));
                }
                Ok(Decision::Write {
                    writes: vec![Write::Put(Doc::new(key, 0))],
                    answer: key.clone(),
                })
            })
        })
        .await
    }

    /// The caller's own.
    pub async fn list_ssh_keys(&self, caller: &Principal) -> Result<Vec<SshKey>, Fault> {
        let all = records::within::<SshKey>(&*self.store, &caller.id).await?;
        let mut all: Vec<SshKey> = all.into_iter().map(|key| key.value).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// One of the caller's, by name, id or fingerprint.
    pub async fn get_ssh_key(&self, caller: &Principal, reference: &str) -> Result<SshKey, Fault> {
        let is_it = |key: &SshKey| {
            key.name.as_str() == reference || key.id.as_str() == reference || key.fingerprint == reference
        };
        let own = self.list_ssh_keys(caller).await?;
        own.into_iter().find(is_it).ok_or_else(|| {
            Fault::new(
                FaultKind::NotFound,
                "ssh-key-not-found",
                format!("you have no SSH key '{reference}'"),
                "see yours with `cloud ssh-key list`, or add it with `cloud ssh-key add`",
            )
        })
    }

    pub async fn delete_ssh_key(&self, caller: &Principal, reference: &str) -> Result<SshKey, Fault> {
        books::accept(&*self.store, &self.signals, move || {
            Box::pin(async move {
                let key = self.get_ssh_key(caller, reference).await?;
                Ok(Decision::Write {
                    writes: vec![Write::Delete {
                        kind: KIND,
                        id: key.id.to_string(),
                    }],
                    answer: key,
                })
            })
        })
        .await
    }

    /// Forgetting those of somebody who goes.
    pub(super) async fn without_ssh_keys(&self, owner: &str) -> Result<Vec<Write>, Fault> {
        let keys = records::children::<SshKey>(&*self.store, owner).await?;
        let forgotten = keys.into_iter().map(|key| Write::Delete {
            kind: KIND,
            id: key.value.id.to_string(),
        });
        Ok(forgotten.collect())
    }

    /// For the edge: good at this one instance and nowhere else, for some minutes.
    pub async fn ssh_ticket(
        &self,
        caller: &Principal,
        project: &ProjectId,
        instance: &MachineId,
    ) -> Result<Fresh, Fault> {
        let project = self.project(project).await?;
        let now = self.clock.now();
        // Whoever ended all tokens a moment ago and logged in again holds good ones from the next second on.
        let user = records::get::<User>(&*self.store, &caller.id).await?;
        let since = user.map_or(now, |user| user.value.not_before.max(now));
        let expires = self.not_after(caller, now.plus(ticket::LIFE_S)).await?;
        // Made from a service account's token, it ends when that one is revoked.
        let id = caller.token.clone().unwrap_or_else(TokenId::generate);
        let claims = Claims {
            iss: self.issuer.to_string(),
            aud: ticket::audience(instance),
            sub: caller.id.clone(),
            email: caller.name.clone(),
            org_id: Some(project.org.clone()),
            roles: roles_in(caller, &project),
            project_id: Some(project.id),
            iat: since,
            exp: expires,
            jti: id.clone(),
        };
        Ok(Fresh {
            id,
            token: self.mint(&claims).await?,
            expires,
        })
    }
}
