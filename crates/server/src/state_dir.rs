//! The state directory: made for root alone at the first start, never opened up or taken over later.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

use types::{Fault, FaultKind};

const PRIVATE: u32 = 0o700;

#[derive(Debug, Clone)]
pub struct StateDir(PathBuf);

impl StateDir {
    pub fn prepare(path: &Path) -> Result<Self, Fault> {
        make(path)?;
        let found = fs::metadata(path).map_err(|error| failed(path, &error))?;
        let mode = found.mode() & 0o777;
        if mode & 0o077 != 0 {
            // It may be somebody's directory with other things in it: not ours to close.
            return Err(Fault::refused(
                "state-dir-open",
                format!(
                    "{} may be entered by others than its owner (mode {mode:04o})",
                    path.display()
                ),
                format!(
                    "choose a directory of the platform's own, or `chmod 0700 {}`",
                    path.display()
                ),
            ));
        }
        let owner = rustix::process::geteuid().as_raw();
        if found.uid() != owner {
            return Err(Fault::refused(
                "state-dir-owner",
                format!(
                    "{} belongs to user {}, and cloudd runs as user {owner}",
                    path.display(),
                    found.uid()
                ),
                "run cloudd as the directory's owner, or choose another directory",
            ));
        }
        let state = Self(path.to_owned());
        for part in [
            state.auth(),
            state.uploads(),
            state.networks(),
            state.images(),
            state.path().join("edge"),
        ] {
            make(&part)?;
        }
        state.sweep_uploads()?;
        Ok(state)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn lock_file(&self) -> PathBuf {
        self.0.join("cloudd.lock")
    }

    pub fn auth(&self) -> PathBuf {
        self.0.join("auth")
    }

    pub fn client_file(&self) -> PathBuf {
        self.0.join("client.toml")
    }

    pub fn uploads(&self) -> PathBuf {
        self.0.join("uploads")
    }

    pub fn database(&self) -> PathBuf {
        self.0.join("platform.db")
    }

    /// Which generation of each network is in force.
    pub fn networks(&self) -> PathBuf {
        self.0.join("networks")
    }

    /// Images tenants loaded, a directory a cluster.
    pub fn images(&self) -> PathBuf {
        self.0.join("images")
    }

    /// Where the edge takes its configuration.
    /// The edge's own.
    pub fn edge(&self) -> PathBuf {
        self.0.join("edge")
    }

    pub fn edge_socket(&self) -> PathBuf {
        self.edge().join("edge.sock")
    }

    /// What a killed daemon was receiving.
    fn sweep_uploads(&self) -> Result<(), Fault> {
        let dir = self.uploads();
        for entry in fs::read_dir(&dir).map_err(|error| failed(&dir, &error))? {
            let path = entry.map_err(|error| failed(&dir, &error))?.path();
            fs::remove_file(&path).map_err(|error| failed(&path, &error))?;
        }
        Ok(())
    }
}

/// Of the state directory at `path`, which need not be there yet.
pub fn master_key(path: &Path) -> PathBuf {
    path.join("auth/master.key")
}

fn make(path: &Path) -> Result<(), Fault> {
    DirBuilder::new()
        .recursive(true)
        .mode(PRIVATE)
        .create(path)
        .map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &io::Error) -> Fault {
    let kind = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => FaultKind::Exhausted,
        _ => FaultKind::Refused,
    };
    Fault::new(
        kind,
        "state-dir-unusable",
        format!("{} cannot be used: {error}", path.display()),
        "make it a writable directory on a local disk, or choose another with state_dir or --state-dir",
    )
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn made_private_found_again_and_swept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/state");
        let state = StateDir::prepare(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        fs::write(state.uploads().join("half"), "x").unwrap();
        let again = StateDir::prepare(&path).unwrap();
        assert_eq!(fs::read_dir(again.uploads()).unwrap().count(), 0);
    }

    #[test]
    fn a_directory_open_to_others_is_refused_and_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let fault = StateDir::prepare(dir.path()).unwrap_err();
        assert_eq!(fault.code, "state-dir-open");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        assert_eq!(fs::metadata(dir.path()).unwrap().mode() & 0o777, 0o755);
    }

    #[test]
    fn a_file_in_its_place_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(
            StateDir::prepare(file.path()).unwrap_err().code,
            "state-dir-unusable"
        );
    }
}
