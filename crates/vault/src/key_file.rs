//! The file the master keys are kept in, for its owner alone. It changes as a whole or not at all.
//!
//! Text, a line for each key, the newest last: its mark, how it is kept, and itself: `plain` in hexadecimal, or
//! `transit` as the key service wrapped it. A file of exactly 32 bytes is one plain key, as first releases made it.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use types::{Fault, FaultKind};
use zeroize::Zeroizing;

use crate::{
    hex,
    keyring::{KEY_LEN, MasterKey, Named},
};

const FOR_OTHERS: u32 = 0o077;
/// Far more than the keys of any rotation.
const LONGEST: u64 = 64 * 1024;

/// A key as its line has it.
pub(crate) enum Kept {
    Plain(Named),
    Transit { mark: String, wrapped: String },
}

/// Absent is an answer; everything else that is not keys in order is a fault.
pub(crate) fn load(path: &Path) -> Result<Option<Vec<Kept>>, Fault> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(path, &error)),
    };
    check(path, &file.metadata().map_err(|error| unreadable(path, &error))?)?;
    let mut content = Zeroizing::new(Vec::with_capacity(4096));
    file.read_to_end(&mut content)
        .map_err(|error| unreadable(path, &error))?;
    if let Ok(bytes) = <[u8; KEY_LEN]>::try_from(content.as_slice()) {
        return Ok(Some(vec![Kept::Plain(Named::new(MasterKey::new(bytes)))]));
    }
    parse(&content).map(Some).ok_or_else(|| {
        damaged(
            path,
            &format!("its {} bytes are neither a key nor lines of them", content.len()),
        )
    })
}

fn parse(content: &[u8]) -> Option<Vec<Kept>> {
    let text = std::str::from_utf8(content).ok()?;
    // The last line ends as well: a file that was cut does not.
    let keys: Vec<Kept> = text
        .strip_suffix('\n')?
        .split('\n')
        .map(line)
        .collect::<Option<_>>()?;
    (!keys.is_empty()).then_some(keys)
}

fn line(line: &str) -> Option<Kept> {
    let mut words = line.split(' ');
    let (mark, how, what) = (words.next()?, words.next()?, words.next()?);
    match (how, words.next()) {
        ("plain", None) => {
            let named = Named::new(MasterKey::new(hex::decode(what)?));
            (named.mark().to_string() == mark).then_some(Kept::Plain(named))
        }
        ("transit", None) => Some(Kept::Transit {
            mark: mark.to_owned(),
            wrapped: what.to_owned(),
        }),
        _ => None,
    }
}

fn print(keys: &[Kept]) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(4096));
    for key in keys {
        let (mark, how) = match key {
            Kept::Plain(named) => (named.mark().to_string(), "plain"),
            Kept::Transit { mark, .. } => (mark.clone(), "transit"),
        };
        text.push_str(&format!("{mark} {how} "));
        match key {
            Kept::Plain(named) => hex::encode(&*named.key, &mut text),
            Kept::Transit { wrapped, .. } => text.push_str(wrapped),
        }
        text.push('\n');
    }
    text
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
                "`chmod 0600 {place}`; if somebody may have read it, `cloud admin rotate-key` and treat every secret of the \
                 platform as known"
            ),
        ));
    }
    if !file.is_file() || file.len() > LONGEST {
        return Err(damaged(path, "it is not a small file"));
    }
    Ok(())
}

fn damaged(path: &Path, what: &str) -> Fault {
    Fault::refused(
        "vault-key-damaged",
        format!("the master key {} cannot be used: {what}", path.display()),
        "put the key back from its backup",
    )
}

/// Keeps the first keys of a platform. False when another process was first: then its keys are the platform's.
pub(crate) fn create(path: &Path, keys: &[Kept]) -> Result<bool, Fault> {
    // A link, not a rename: it refuses to take the place of a key that is there.
    match publish(path, keys, |draft| fs::hard_link(draft, path)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(cannot_write(path, error)),
    }
}

/// Puts these keys in the place of those that are there.
pub(crate) fn replace(path: &Path, keys: &[Kept]) -> Result<(), Fault> {
    publish(path, keys, |draft| fs::rename(draft, path)).map_err(|error| cannot_write(path, error))
}

fn publish(path: &Path, keys: &[Kept], put: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let draft = draft(path)?;
    let published = (|| {
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&draft)?;
        file.write_all(print(keys).as_bytes())?;
        file.sync_all()?;
        put(&draft)?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
    })();
    // Linked to its name, renamed, or of no use: in no case is the draft's own name needed.
    let _ = fs::remove_file(&draft);
    published
}

/// Of its own for each attempt, so that two first starts do not write into one file.
fn draft(path: &Path) -> io::Result<PathBuf> {
    let mut unique = [0u8; 8];
    getrandom::fill(&mut unique).map_err(io::Error::other)?;
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{:016x}.new", u64::from_le_bytes(unique)));
    Ok(PathBuf::from(name))
}

fn unreadable(path: &Path, error: &io::Error) -> Fault {
    Fault::refused(
        "vault-key-unreadable",
        format!("the master key {} cannot be read: {error}", path.display()),
        "run as the user the key belongs to, or put the key back from its backup",
    )
}

fn cannot_write(path: &Path, error: impl std::fmt::Display) -> Fault {
    Fault::new(
        FaultKind::Exhausted,
        "vault-key-not-made",
        format!("the master key {} could not be written: {error}", path.display()),
        "make sure that its directory exists, is writable for us and has room",
    )
}
