//! The file of credentials: its owner's alone, replaced whole.
//!
//! Whoever reads it sees one state or the next. Whoever changes it holds the lock, which is a file of its own because the
//! one it guards is replaced.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use super::{Credentials, stored::StoredCredentials};
use crate::failure::{Exit, Failure};

const FILE: &str = "credentials.toml";
const LOCK: &str = "credentials.lock";

fn found_directory() -> Option<PathBuf> {
    let said = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    said("PLASMACLOUD_CONFIG_DIR")
        .map(PathBuf::from)
        .or_else(|| said("XDG_CONFIG_HOME").map(|dir| Path::new(&dir).join("plasmacloud")))
        .or_else(|| said("HOME").map(|home| Path::new(&home).join(".config/plasmacloud")))
}

/// Nothing when there are none.
pub fn read() -> Result<Credentials, Failure> {
    found_directory().map_or_else(|| Ok(Credentials::default()), |dir| read_in(&dir))
}

fn read_in(dir: &Path) -> Result<Credentials, Failure> {
    let path = dir.join(FILE);
    let failed = |error: io::Error| {
        Failure::new(
            Exit::Failed,
            "credentials-unreadable",
            format!("{} cannot be read: {error}", path.display()),
            "check whose file it is, or use another with PLASMACLOUD_CONFIG_DIR",
        )
    };
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Credentials::default()),
        Err(error) => return Err(failed(error)),
    };
    let mode = file.metadata().map_err(failed)?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(Failure::new(
            Exit::Refused,
            "credentials-exposed",
            format!("others may read or change {} (mode {mode:o})", path.display()),
            format!(
                "`chmod 600 {}`; if others were there, `cloud logout --all`",
                path.display()
            ),
        ));
    }
    let mut text = String::new();
    io::Read::read_to_string(&mut file, &mut text).map_err(failed)?;
    let stored: StoredCredentials = toml::from_str(&text).map_err(|error| {
        // Not the text around the mistake, which may be a token.
        Failure::new(
            Exit::Failed,
            "credentials-invalid",
            format!("{} is not valid: {}", path.display(), error.message()),
            "remove it and log in again with `cloud login`",
        )
    })?;
    Ok(stored.into())
}

/// While this is held nobody else changes the file.
pub struct Locked {
    dir: PathBuf,
    _lock: File,
}

/// Where what belongs to this user is kept.
pub fn directory() -> Result<PathBuf, Failure> {
    found_directory().ok_or_else(|| {
        Failure::new(
            Exit::Usage,
            "credentials-nowhere",
            "neither PLASMACLOUD_CONFIG_DIR nor XDG_CONFIG_HOME nor HOME is set",
            "set PLASMACLOUD_CONFIG_DIR to the directory to keep logins in",
        )
    })
}

/// Waits for whoever holds it.
pub fn lock() -> Result<Locked, Failure> {
    lock_in(directory()?)
}

fn lock_in(dir: PathBuf) -> Result<Locked, Failure> {
    let failed = |error| unwritable(&dir, &error);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&dir)
        .map_err(failed)?;
    let lock = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(dir.join(LOCK))
        .map_err(failed)?;
    lock.lock().map_err(failed)?;
    Ok(Locked { dir, _lock: lock })
}

fn unwritable(dir: &Path, error: &io::Error) -> Failure {
    Failure::new(
        Exit::Failed,
        "credentials-unwritable",
        format!("logins cannot be kept in {}: {error}", dir.display()),
        "check the directory and the free space there, or name another with PLASMACLOUD_CONFIG_DIR",
    )
}

impl Locked {
    pub fn read(&self) -> Result<Credentials, Failure> {
        read_in(&self.dir)
    }

    pub fn write(&self, credentials: &Credentials) -> Result<(), Failure> {
        let failed = |error| unwritable(&self.dir, &error);
        let text = toml::to_string(&StoredCredentials::from(credentials)).map_err(|error| {
            Failure::new(
                Exit::Failed,
                "credentials-unwritable",
                error.to_string(),
                "report this",
            )
        })?;
        // A link stays a link: its target is replaced.
        let path = self.dir.join(FILE);
        let target = fs::canonicalize(&path).unwrap_or(path);
        let beside = target.parent().unwrap_or(&self.dir);
        let mut file = tempfile::NamedTempFile::new_in(beside).map_err(failed)?;
        file.write_all(text.as_bytes())
            .and_then(|()| file.as_file().sync_all())
            .map_err(failed)?;
        file.persist(&target).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_its_owners_alone() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("new/plasmacloud");
        let locked = lock_in(dir.clone()).unwrap();
        let mut credentials = locked.read().unwrap();
        credentials.current = Some("local".to_owned());
        locked.write(&credentials).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(&dir), mode(&dir.join(FILE)), mode(&dir.join(LOCK))),
            (0o700, 0o600, 0o600)
        );
        assert_eq!(read_in(&dir).unwrap().current.as_deref(), Some("local"));
        fs::set_permissions(dir.join(FILE), fs::Permissions::from_mode(0o640)).unwrap();
        let refused = read_in(&dir).unwrap_err();
        assert_eq!(
            (refused.code.as_str(), refused.exit),
            ("credentials-exposed", Exit::Refused)
        );
    }

    #[test]
    fn a_damaged_one_is_told_without_what_is_in_it() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(FILE);
        fs::write(&path, "[[context]]\nrefresh-token = \"pcr_hidden\nname = 1").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let failure = read_in(home.path()).unwrap_err();
        assert_eq!(failure.code, "credentials-invalid");
        assert!(!failure.to_string().contains("hidden"), "{failure}");
    }
}
