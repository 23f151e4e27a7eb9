//! Where the master keys come from, and where a new one is kept.

use std::{fmt, path::PathBuf};

use types::{Fault, Secret};

use crate::{
    hex,
    key_file::{self, Kept},
    keyring::{Keyring, MasterKey, Named},
    transit::{Transit, TransitOptions},
};

/// Where the master keys come from.
#[derive(Debug, Clone)]
pub enum KeySource {
    /// In the file itself. Who has the file has the keys.
    File { path: PathBuf },
    /// In the words of a variable: 64 hexadecimal digits a key, the newest first, with commas between. They are kept by
    /// whoever starts us, so we can neither make one nor drop one. `name` is for what is said of it.
    Environment { name: String, value: Secret },
    /// In the file, each wrapped by a key service that alone can unwrap it. It is asked when the platform starts and when
    /// a key is made; in between it may be away.
    Transit { path: PathBuf, service: TransitOptions },
}

impl KeySource {
    /// What is there, or a first key, unless `expect_existing` says that data is sealed already: a new key would open none
    /// of it, and would hide that the right one is lost.
    pub(crate) async fn load(&self, expect_existing: bool) -> Result<Keyring, Fault> {
        match self {
            Self::Environment { name, value } => from_words(name, value),
            Self::File { path } | Self::Transit { path, .. } => {
                if let Some(kept) = key_file::load(path)? {
                    return self.unwrap(kept).await;
                }
                if expect_existing {
                    return Err(missing(path));
                }
                let first = self.wrap(&random()?).await?;
                key_file::create(path, &[first])?;
                let kept = key_file::load(path)?.ok_or_else(|| missing(path))?;
                self.unwrap(kept).await
            }
        }
    }

    /// Keeps one more key; when it is answered, the key is on the disk.
    pub(crate) async fn add(&self, key: &Named) -> Result<(), Fault> {
        let (Self::File { path } | Self::Transit { path, .. }) = self else {
            return Err(not_ours(self));
        };
        let mut kept = key_file::load(path)?.ok_or_else(|| missing(path))?;
        kept.push(self.wrap(key).await?);
        key_file::replace(path, &kept)
    }

    pub(crate) fn drop(&self, mark: &str) -> Result<(), Fault> {
        match self {
            // Whoever starts us takes it out of the variable; nothing is sealed under it any more.
            Self::Environment { .. } => Ok(()),
            Self::File { path } | Self::Transit { path, .. } => {
                let mut kept = key_file::load(path)?.ok_or_else(|| missing(path))?;
                kept.retain(|key| match key {
                    Kept::Plain(named) => named.mark().to_string() != mark,
                    Kept::Transit { mark: known, .. } => known != mark,
                });
                key_file::replace(path, &kept)
            }
        }
    }

    async fn wrap(&self, key: &Named) -> Result<Kept, Fault> {
        match self {
            Self::Transit { service, .. } => Ok(Kept::Transit {
                mark: key.mark().to_string(),
                wrapped: Transit::new(service)?.encrypt(&key.key).await?,
            }),
            Self::File { .. } | Self::Environment { .. } => Ok(Kept::Plain(key.clone())),
        }
    }

    async fn unwrap(&self, kept: Vec<Kept>) -> Result<Keyring, Fault> {
        let mut keys = Vec::new();
        for key in kept {
            keys.push(match (key, self) {
                (Kept::Plain(named), _) => named,
                (Kept::Transit { mark, wrapped }, Self::Transit { service, .. }) => {
                    let named = Named::new(Transit::new(service)?.decrypt(&wrapped).await?);
                    if named.mark().to_string() != mark {
                        return Err(other_key(&mark));
                    }
                    named
                }
                (Kept::Transit { mark, .. }, _) => return Err(needs_service(&mark)),
            });
        }
        Keyring::new(keys).ok_or_else(|| Fault::internal("vault-no-keys", "a key file without keys was read"))
    }
}

fn from_words(name: &str, value: &Secret) -> Result<Keyring, Fault> {
    let wrong = || {
        Fault::invalid(
            "vault-key-environment",
            format!("{name} does not hold master keys"),
            "set it to 64 hexadecimal digits (`openssl rand -hex 32`); with several, the newest first, commas between",
        )
    };
    let words = value.expose_str().map_err(|_| wrong())?;
    let keys: Option<Vec<Named>> = words
        .split(',')
        .rev()
        .map(|word| Some(Named::new(MasterKey::new(hex::decode(word.trim())?))))
        .collect();
    keys.and_then(Keyring::new).ok_or_else(wrong)
}

fn random() -> Result<Named, Fault> {
    Named::random().map_err(|error| Fault::internal("vault-random", error.to_string()))
}

fn missing(path: &std::path::Path) -> Fault {
    Fault::refused(
        "vault-key-missing",
        format!(
            "the master key {} is gone, but there are secrets sealed with it",
            path.display()
        ),
        "put the key back from its backup; without it they cannot be opened, and no new key is made in its place",
    )
}

fn not_ours(source: &KeySource) -> Fault {
    Fault::refused(
        "vault-key-elsewhere",
        format!("the master key comes from {source}, where the platform cannot keep a new one"),
        "put a new key there in front of the old one, with a comma between, and restart cloudd: it goes over to the new key \
         by itself; `cloud admin keys` shows when the old one can go",
    )
}

fn needs_service(mark: &str) -> Fault {
    Fault::refused(
        "vault-key-wrapped",
        format!("the master key {mark} was wrapped by a key service, and none is set"),
        "set the key service again under [master_key] in cloudd.toml",
    )
}

fn other_key(mark: &str) -> Fault {
    Fault::refused(
        "vault-key-damaged",
        format!("the key service unwraps the master key {mark} to another one"),
        "set the key service and key name that the platform was made with, or put the key file back from its backup",
    )
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path } => write!(f, "the file {}", path.display()),
            Self::Environment { name, .. } => write!(f, "the variable {name}"),
            Self::Transit { service, .. } => write!(f, "the key service {}", service.address),
        }
    }
}
