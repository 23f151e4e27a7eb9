//! Secrets that a project keeps: what is known of them in the books, every value sealed in a row of its own.
//!
//! A version is the owner of its row, so that one can be forgotten without the others; its number is bound to what is
//! sealed, like the secret's id: no value can be passed off as another.

use ports::{
    store::{Doc, Versioned, Write},
    vault::SecretRef,
};
use types::{
    Fault, FaultKind, KeptSecretId, Name, Principal, ProjectId, Secret,
    kept_secret::{KeptSecret, LARGEST, MOST, SecretVersion, VERSIONS},
};

use super::Tenants;
use crate::{
    books::{self, Decision},
    records,
};

const KIND: &str = "secret";

/// A value, and which it is.
#[derive(Debug)]
pub struct Revealed {
    pub secret: KeptSecret,
    pub version: u32,
    pub value: Secret,
}

fn owner(id: &KeptSecretId, version: u32) -> String {
    format!("{id}/{version}")
}

fn row(id: &KeptSecretId, version: u32) -> SecretRef {
    SecretRef::new(owner(id, version), "value")
}

impl Tenants {
    pub async fn create_secret(
        &self,
        caller: &Principal,
        project: &ProjectId,
        name: Name,
        value: Secret,
    ) -> Result<KeptSecret, Fault> {
        check(&value)?;
        let id = &KeptSecretId::generate();
        let (name, value) = (&name, &value);
        books::accept(&*self.store, &self.signals, move || {
            Box::pin(async move {
                // A project that goes away meanwhile leaves no secret behind.
                self.project(project).await?;
                let present = self.list_secrets(project).await?.len();
                if present >= MOST {
                    return Err(Fault::refused(
                        "secrets-exhausted",
                        format!("the project has {present} secrets of at most {MOST}"),
                        "delete one that nobody needs",
                    ));
                }
                let now = self.clock.now();
                let secret = KeptSecret {
                    id: id.clone(),
                    project: project.clone(),
                    name: name.clone(),
                    versions: vec![version(1, caller, value, now)],
                    created: now,
                };
                Ok(Decision::Write {
                    writes: vec![Write::Put(Doc::new(&secret, 0)), self.seal(id, 1, value)?],
                    answer: secret,
                })
            })
        })
        .await
    }

    pub async fn list_secrets(&self, project: &ProjectId) -> Result<Vec<KeptSecret>, Fault> {
        let all = records::within::<KeptSecret>(&*self.store, project.as_str()).await?;
        let mut all: Vec<KeptSecret> = all.into_iter().map(|secret| secret.value).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// What is known of it, without a value.
    pub async fn get_secret(&self, project: &ProjectId, reference: &str) -> Result<KeptSecret, Fault> {
        Ok(self.kept(project, reference).await?.value)
    }

    /// The newest value, or that of a version.
    pub async fn reveal_secret(
        &self,
        project: &ProjectId,
        reference: &str,
        wanted: Option<u32>,
    ) -> Result<Revealed, Fault> {
        let secret = self.kept(project, reference).await?.value;
        let number = match wanted {
            Some(number) => secret.version(number).map(|version| version.number),
            None => secret.newest().map(|version| version.number),
        };
        let gone = || {
            Fault::new(
                FaultKind::NotFound,
                "secret-version-not-found",
                format!("the secret '{}' has no such version (any more)", secret.name),
                format!("see its versions with `cloud secret versions {}`", secret.name),
            )
        };
        let number = number.ok_or_else(gone)?;
        let opened = records::secret(&*self.store, &*self.vault, &row(&secret.id, number)).await?;
        // Updated or deleted between the two looks.
        let value = opened.ok_or_else(gone)?;
        Ok(Revealed {
            version: number,
            value,
            secret,
        })
    }

    /// A new version; the oldest is forgotten when there are too many.
    pub async fn update_secret(
        &self,
        caller: &Principal,
        project: &ProjectId,
        reference: &str,
        value: Secret,
    ) -> Result<KeptSecret, Fault> {
        check(&value)?;
        let value = &value;
        books::accept(&*self.store, &self.signals, move || {
            Box::pin(async move {
                let Versioned {
                    version: stored,
                    value: mut secret,
                } = self.kept(project, reference).await?;
                let number = secret.newest().map_or(0, |newest| newest.number) + 1;
                let now = self.clock.now();
                secret.versions.push(version(number, caller, value, now));
                let surplus = secret.versions.len().saturating_sub(VERSIONS);
                let mut writes: Vec<Write> = secret
                    .versions
                    .drain(..surplus)
                    .map(|old| Write::DeleteSecrets {
                        owner: owner(&secret.id, old.number),
                    })
                    .collect();
                writes.push(self.seal(&secret.id, number, value)?);
                writes.push(Write::Put(Doc::new(&secret, stored)));
                Ok(Decision::Write {
                    writes,
                    answer: secret,
                })
            })
        })
        .await
    }

    /// With all of its versions, for good.
    pub async fn delete_secret(&self, project: &ProjectId, reference: &str) -> Result<KeptSecret, Fault> {
        books::accept(&*self.store, &self.signals, move || {
            Box::pin(async move {
                let secret = self.kept(project, reference).await?.value;
                let mut writes = vec![Write::Delete {
                    kind: KIND,
                    id: secret.id.to_string(),
                }];
                writes.extend(secret.versions.iter().map(|version| Write::DeleteSecrets {
                    owner: owner(&secret.id, version.number),
                }));
                Ok(Decision::Write {
                    writes,
                    answer: secret,
                })
            })
        })
        .await
    }

    async fn kept(&self, project: &ProjectId, reference: &str) -> Result<Versioned<KeptSecret>, Fault> {
        records::find(&*self.store, project, reference).await
    }

    fn seal(&self, id: &KeptSecretId, version: u32, value: &Secret) -> Result<Write, Fault> {
        let at = row(id, version);
        let sealed = self.vault.seal(&at, value)?;
        Ok(Write::PutSecret { at, sealed })
    }
}

fn version(number: u32, caller: &Principal, value: &Secret, now: types::Timestamp) -> SecretVersion {
    SecretVersion {
        number,
        size: u32::try_from(value.expose().len()).unwrap_or(u32::MAX),
        by: caller.name.clone(),
        created: now,
    }
}

fn check(value: &Secret) -> Result<(), Fault> {
    match value.expose().len() {
        1..=LARGEST => Ok(()),
        0 => Err(Fault::unfit(
            "secret-empty",
            "the value is empty",
            "give a value, or delete the secret",
        )
        .at("value")),
        bytes => Err(Fault::unfit(
            "secret-too-large",
            format!("the value has {bytes} bytes, and a secret has at most {LARGEST}"),
            "keep what is large elsewhere, encrypted, and its key here",
        )
        .at("value")),
    }
}
