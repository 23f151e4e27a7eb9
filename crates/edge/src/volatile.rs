//! Keys of certificates, where they survive this process and not the host: a file for root alone on a tmpfs.
//!
//! The configuration that is kept on disk has no key in it. After a restart of the edge the keys are here; after a restart
//! of the host they are not, and the platform, which sees that they are missing, hands them over again. A host without a
//! tmpfs at either place keeps them nowhere, and it is the same after every restart of the edge.

use std::{
    collections::BTreeMap,
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use ports::edge::EdgeConfig;
use rustix::fs::statfs;
use sha2::{Digest, Sha256};
use types::{NetworkId, Secret};
use zeroize::Zeroizing;

/// Where a tmpfs is, first choice first: `/run` is one wherever systemd is.
const PLACES: [&str; 2] = ["/run", "/dev/shm"];
const TMPFS: u64 = 0x0102_1994;
const RAMFS: u64 = 0x8584_58f6;

pub(crate) struct Volatile(Option<PathBuf>);

/// The keys, as they are written here and sent over the control socket.
pub(crate) type Keys = BTreeMap<NetworkId, Zeroizing<String>>;

/// The file in which the edge with this state directory keeps its keys; for whoever takes the platform away.
pub fn keys_file(state: &Path) -> Option<PathBuf> {
    let digest = Sha256::digest(std::path::absolute(state).ok()?.as_os_str().as_encoded_bytes());
    let name: String = digest[..8].iter().map(|b| format!("{b:02x}")).collect();
    let place = PLACES.into_iter().find(|place| is_volatile(place))?;
    Some(Path::new(place).join(format!("plasmacloud/edge-{name}.keys")))
}

fn is_volatile(place: &str) -> bool {
    statfs(place).is_ok_and(|found| [TMPFS, RAMFS].contains(&(found.f_type as u64 & 0xffff_ffff)))
}

pub(crate) fn keys_of(config: &EdgeConfig) -> Keys {
    let key = |secret: &Secret| secret.expose_str().ok().map(|key| Zeroizing::new(key.to_owned()));
    let keys = config.networks.iter().filter_map(|network| {
        let serving = network.serving.as_ref()?;
        Some((network.id.clone(), key(serving.key_pem.as_ref()?)?))
    });
    keys.collect()
}

pub(crate) fn put_keys(config: &mut EdgeConfig, keys: &Keys) {
    for network in &mut config.networks {
        if let (Some(serving), Some(key)) = (&mut network.serving, keys.get(&network.id)) {
            serving.key_pem = Some(Secret::new(key.as_bytes()));
        }
    }
}

impl Volatile {
    pub(crate) fn new(state: &Path) -> Self {
        let file = keys_file(state);
        if file.is_none() {
            tracing::warn!(
                "neither /run nor /dev/shm is a tmpfs: after a restart keys come from the platform only"
            );
        }
        Self(file)
    }

    /// What cannot be read is not there: the platform sends it again.
    pub(crate) fn load(&self) -> Keys {
        let read = |path: &PathBuf| -> io::Result<Zeroizing<Vec<u8>>> {
            own_directory(path)?;
            fs::read(path).map(Zeroizing::new)
        };
        let Some(bytes) = self.0.as_ref().and_then(|path| read(path).ok()) else {
            return Keys::new();
        };
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// A failure costs a push after the next restart, and no more.
    pub(crate) fn save(&self, keys: &Keys) {
        let Some(path) = &self.0 else { return };
        let text = Zeroizing::new(serde_json::to_vec(keys).expect("keys are plain data"));
        let write = || -> io::Result<()> {
            own_directory(path)?;
            let temporary = path.with_extension("new");
            let _ = fs::remove_file(&temporary);
            let mut file = OpenOptions::new()
                .create_new(true)
                .write(true)
                .mode(0o600)
                .open(&temporary)?;
            file.write_all(&text)?;
            fs::rename(&temporary, path)
        };
        if let Err(error) = write() {
            tracing::warn!(%error, path = %path.display(), "keys could not be kept for a restart");
        }
    }
}

/// The directory, made if it is missing; refused when it is somebody else's, for anybody may write to `/dev/shm`.
fn own_directory(path: &Path) -> io::Result<()> {
    let dir = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    match DirBuilder::new().mode(0o700).create(dir) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let found = fs::symlink_metadata(dir)?;
    if found.is_dir() && found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0 {
        Ok(())
    } else {
        Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "the directory is not ours alone",
        ))
    }
}
