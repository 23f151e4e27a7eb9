//! The master key's file: 32 bytes, for its owner alone.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use types::{Fault, FaultKind};
use zeroize::Zeroizing;

pub(crate) const KEY_LEN: usize = 32;
pub(crate) type MasterKey = Zeroizing<[u8; KEY_LEN]>;

const FOR_OTHERS: u32 = 0o077;

/// Absent is an answer; everything else that is not a key in order is a fault.
pub(crate) fn load(path: &Path) -> Result<Option<MasterKey>, Fault> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(path, &error)),
    };
    check(path, &file.metadata().map_err(|error| unreadable(path, &error))?)?;
    let mut key = MasterKey::default();
    file.read_exact(&mut *key)
        .map_err(|error| unreadable(path, &error))?;
    Ok(Some(key))
}

fn check(path: &Path, file: &fs::Metadata) -> Result<(), Fault> {
    let place = path.display();
    let us = rustix::process::geteuid().as_raw();
    if file.uid() != 0 && file.uid() != us {
        return Err(Fault::refused(
            "vault-key-owner",
            format!(
                "the master key {place} belongs to user {}, who could have put another in its place",
                file.uid()
            ),
            format!("make sure it is the right key, then `chown {us} {place}`"),
        ));
    }
    if file.mode() & FOR_OTHERS != 0 {
        return Err(Fault::refused(
            "vault-key-exposed",
            format!(
                "the master key {place} is open to others (mode {:04o})",
                file.mode() & 0o7777
            ),
            format!(
                "`chmod 0600 {place}`; if somebody may have read it, treat every secret of the platform as known"
            ),
        ));
    }
    if !file.is_file() || file.len() != KEY_LEN as u64 {
        return Err(Fault::refused(
            "vault-key-damaged",
            format!(
                "the master key {place} is not a file of {KEY_LEN} bytes, but of {}",
                file.len()
            ),
            "put the key back from its backup",
        ));
    }
    Ok(())
}

/// Makes a key. When another process was first, its key is the answer.
pub(crate) fn create(path: &Path) -> Result<MasterKey, Fault> {
    let mut key = MasterKey::default();
    getrandom::fill(&mut *key).map_err(|error| Fault::internal("vault-random", error.to_string()))?;
    let draft = draft(path)?;
    let published = publish(&key, &draft, path);
    // Linked to its name, or of no use: in neither case is the draft's own name needed.
    let _ = fs::remove_file(&draft);
    match published {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            load(path)?.ok_or_else(|| cannot_create(path, "it came and went meanwhile"))
        }
        Err(error) => Err(cannot_create(path, error)),
    }
}

/// Of its own for each attempt, so that two first starts do not write into one file.
fn draft(path: &Path) -> Result<PathBuf, Fault> {
    let mut unique = [0u8; 8];
    getrandom::fill(&mut unique).map_err(|error| Fault::internal("vault-random", error.to_string()))?;
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{:016x}.new", u64::from_le_bytes(unique)));
    Ok(PathBuf::from(name))
}

/// A link, not a rename: it refuses to take the place of a key that is there.
fn publish(key: &MasterKey, draft: &Path, path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(draft)?;
    file.write_all(&**key)?;
    file.sync_all()?;
    fs::hard_link(draft, path)?;
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    File::open(parent)?.sync_all()
}

fn unreadable(path: &Path, error: &io::Error) -> Fault {
    Fault::refused(
        "vault-key-unreadable",
        format!("the master key {} cannot be read: {error}", path.display()),
        "run as the user the key belongs to, or put the key back from its backup",
    )
}

fn cannot_create(path: &Path, error: impl std::fmt::Display) -> Fault {
    Fault::new(
        FaultKind::Exhausted,
        "vault-key-not-made",
        format!("the master key {} could not be made: {error}", path.display()),
        "make sure that its directory exists, is writable for us and has room",
    )
}
