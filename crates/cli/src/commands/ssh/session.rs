//! What `ssh` needs of files: a key and its certificate, the machine's key, and what the tunnel takes. All of it is in one
//! directory for its owner alone, in memory where there is a place for that, and worth nothing after some minutes.

use std::{
    fs::{self, DirBuilder, OpenOptions, Permissions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use api::{
    client::Client,
    ssh::{SshAccess, SshRequest, SshTunnel},
};
use serde::{Deserialize, Serialize};
use ssh_key::{LineEnding, PrivateKey, private::Ed25519Keypair, private::KeypairData};
use tempfile::TempDir;
use zeroize::Zeroizing;

use crate::failure::{Exit, Failure};

/// With which key.
pub enum Key {
    /// One made for this instance.
    Made,
    Known {
        name: String,
        identity: Option<PathBuf>,
    },
}

/// What the tunnel takes, in its file.
#[derive(Serialize, Deserialize)]
pub struct Way {
    pub instance: String,
    pub tunnel: SshTunnel,
}

pub struct Session {
    pub instance: String,
    pub user: String,
    pub files: Files,
}

/// Where things lie in a session's directory.
#[derive(Debug, Clone)]
pub struct Files(PathBuf);

impl Files {
    pub fn new(dir: &Path) -> Self {
        Self(dir.to_owned())
    }

    pub fn key(&self) -> PathBuf {
        self.0.join("key")
    }

    pub fn certificate(&self) -> PathBuf {
        self.0.join("key-cert.pub")
    }

    pub fn known_hosts(&self) -> PathBuf {
        self.0.join("known_hosts")
    }

    pub fn way(&self) -> PathBuf {
        self.0.join("way.json")
    }
}

/// A new one, which goes away with the value.
pub fn directory() -> Result<TempDir, Failure> {
    let own = std::env::var_os("XDG_RUNTIME_DIR").filter(|dir| !dir.is_empty());
    let places = [
        own.map(PathBuf::from),
        Some("/dev/shm".into()),
        Some(std::env::temp_dir()),
    ];
    let mut failed = None;
    for place in places.into_iter().flatten() {
        let made = tempfile::Builder::new()
            .prefix("cloud-ssh-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(place);
        match made {
            Ok(dir) => return Ok(dir),
            Err(error) => failed = Some(error),
        }
    }
    Err(unwritable(
        Path::new("a temporary directory"),
        &failed.unwrap_or_else(|| io::ErrorKind::NotFound.into()),
    ))
}

impl Session {
    /// Asks the platform and lays down what it answers.
    pub async fn lay(client: &Client, instance: &str, key: &Key, dir: &Path) -> Result<Self, Failure> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
        made.map_err(|error| unwritable(dir, &error))?;
        let files = Files::new(dir);
        let request = match key {
            Key::Known { name, .. } => SshRequest {
                key: Some(name.clone()),
                public: None,
            },
            Key::Made => SshRequest {
                key: None,
                public: Some(key_at(&files.key())?),
            },
        };
        let SshAccess {
            instance,
            user,
            certificate,
            host_key,
            expires: _,
            tunnel,
        } = client.ssh(instance, &request).await?;
        put(&files.certificate(), format!("{certificate}\n").as_bytes())?;
        put(
            &files.known_hosts(),
            format!("{instance} {host_key}\n").as_bytes(),
        )?;
        let way = Way {
            instance: instance.clone(),
            tunnel,
        };
        let text = serde_json::to_vec(&way).map(Zeroizing::new);
        let text = text.map_err(|error| unwritable(&files.way(), &error.into()))?;
        put(&files.way(), &text)?;
        Ok(Self {
            instance,
            user,
            files,
        })
    }
}

/// Its public half. One that is there already stays: another ssh may be between reading it and its certificate.
fn key_at(path: &Path) -> Result<String, Failure> {
    let failed = |error: ssh_key::Error| {
        Failure::new(
            Exit::Failed,
            "ssh-key-unmade",
            format!("a key for this connection could not be made: {error}"),
            "give one of yours with --key",
        )
    };
    let there = fs::read_to_string(path).map(Zeroizing::new).ok();
    if let Some(key) = there.and_then(|text| PrivateKey::from_openssh(&*text).ok()) {
        return key.public_key().to_openssh().map_err(failed);
    }
    let mut seed = Zeroizing::new([0u8; 32]);
    getrandom::fill(&mut *seed).map_err(|error| unwritable(path, &io::Error::other(error.to_string())))?;
    let pair = KeypairData::Ed25519(Ed25519Keypair::from_seed(&seed));
    let key = PrivateKey::new(pair, "").map_err(failed)?;
    put(path, key.to_openssh(LineEnding::LF).map_err(failed)?.as_bytes())?;
    key.public_key().to_openssh().map_err(failed)
}

/// Whole or not at all: another ssh may be reading.
fn put(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let write = || -> io::Result<()> {
        let new = path.with_extension(format!("new-{}", std::process::id()));
        let _ = fs::remove_file(&new);
        let mut file = OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(&new)?;
        file.write_all(bytes)?;
        fs::rename(&new, path)
    };
    write().map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        Exit::Failed,
        "ssh-files-unwritable",
        format!("{} cannot be written: {error}", path.display()),
        "check the directory and the free space there",
    )
}
