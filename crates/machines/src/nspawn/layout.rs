//! Where the parts of a machine are on its host.

use std::path::{Path, PathBuf};

use types::MachineId;

/// What nspawn calls a machine; it stands in the process's arguments and below `/run`.
pub fn nspawn_name(instance: &str, id: &str) -> String {
    format!("pc-{instance}-{id}")
}

/// nspawn keeps these by name and does not always take them away.
pub fn nspawn_leftovers() -> [&'static Path; 2] {
    [
        Path::new("/run/systemd/nspawn/propagate"),
        Path::new("/run/systemd/nspawn/unix-export"),
    ]
}

#[derive(Debug, Clone)]
pub struct MachineDir {
    pub id: MachineId,
    pub dir: PathBuf,
    pub nspawn_name: String,
}

impl MachineDir {
    pub fn new(state: &Path, instance: &str, id: &MachineId) -> Self {
        Self {
            id: id.clone(),
            dir: machines(state).join(id.as_str()),
            nspawn_name: nspawn_name(instance, id.as_str()),
        }
    }

    /// The sized file system a limited machine lives on.
    pub fn disk_image(&self) -> PathBuf {
        self.dir.join("disk.img")
    }

    /// What stands in for it where the root is not limited.
    pub fn plain_disk(&self) -> PathBuf {
        self.dir.join("disk")
    }

    /// The disk as the machine's root sees it.
    pub fn data(&self) -> PathBuf {
        self.dir.join("data")
    }

    /// The image as the machine's root sees it.
    pub fn lower(&self) -> PathBuf {
        self.dir.join("lower")
    }

    pub fn root(&self) -> PathBuf {
        self.dir.join("root")
    }

    pub fn record(&self) -> PathBuf {
        self.dir.join("leader.json")
    }

    pub fn laid(&self) -> PathBuf {
        self.dir.join("config.json")
    }

    /// While the machine runs its console is on its own disk, so that it cannot fill the host's.
    pub fn live_console(&self) -> PathBuf {
        self.data().join("console.log")
    }

    /// The end of it, kept when the machine is off.
    pub fn kept_console(&self) -> PathBuf {
        self.dir.join("console.log")
    }
}

pub fn machines(state: &Path) -> PathBuf {
    state.join("machines")
}
