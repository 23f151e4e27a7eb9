//! Saying how the processes are. Readers see a whole status or the one before it, never half of one.

use std::{
    io,
    path::{Path, PathBuf},
};

use types::keeper::KeeperStatus;

pub struct StatusFile {
    path: Option<PathBuf>,
    written: Option<KeeperStatus>,
}

impl StatusFile {
    pub fn new(path: Option<PathBuf>) -> Self {
        Self { path, written: None }
    }

    /// Writes only what changed, so that an idle machine writes nothing.
    pub fn update(&mut self, status: KeeperStatus) {
        let Some(path) = &self.path else { return };
        if self.written.as_ref() == Some(&status) {
            return;
        }
        match write(path, &status) {
            Ok(()) => self.written = Some(status),
            Err(error) => eprintln!("cloud-keeper: cannot write {}: {error}", path.display()),
        }
    }
}

fn write(path: &Path, status: &KeeperStatus) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let temporary = path.with_extension("tmp");
    std::fs::write(&temporary, serde_json::to_vec(status)?)?;
    std::fs::rename(&temporary, path)
}
