//! Which user ids a machine gets. Every machine of every instance on a host has a range of its own: a claim is a file
//! that only one can create, below `/run` because ranges mean nothing after a boot.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use ports::compute::Init;
use types::MachineId;

use crate::{
    error::{Context, MachineError, Result},
    host::identity::UidRange,
};

/// System machines run a handful of processes as root; nodes run pods under the user ids of any image.
///
/// Both regions lie above what distributions and systemd hand out and below systemd's foreign ids, all in the lower half:
/// many kernels, 6.12 among them, take no larger number as the group that owns a machine's terminals.
struct Region {
    name: &'static str,
    first: u32,
    count: u32,
    slots: u32,
}

const SYSTEM: Region = Region {
    name: "system",
    first: 0x7000_0000,
    count: 1 << 16,
    slots: 1024,
};
const NODE: Region = Region {
    name: "node",
    first: 0x7400_0000,
    count: 1 << 20,
    slots: 191,
};

/// Times that a directory which goes away is made again.
const ATTEMPTS: u32 = 100;

#[derive(Debug, Clone)]
pub struct Ranges {
    dir: PathBuf,
    instance: String,
}

impl Ranges {
    pub fn new(instance: &str) -> Self {
        Self {
            dir: PathBuf::from("/run/plasmacloud/ids"),
            instance: instance.to_owned(),
        }
    }

    /// The machine's range: the one it has, or a free one.
    pub fn claim(&self, id: &MachineId, init: Init) -> Result<UidRange> {
        let region = match init {
            Init::Systemd => &NODE,
            Init::Keeper => &SYSTEM,
        };
        let owner = self.owner(id);
        let start = id
            .as_str()
            .bytes()
            .fold(0u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        for step in 0..region.slots {
            let slot = start.wrapping_add(step) % region.slots;
            let path = self.dir.join(format!("{}-{slot}", region.name));
            let taken = match self.create(&path) {
                Ok(mut file) => {
                    file.write_all(owner.as_bytes()).doing("write", &path)?;
                    true
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => holds(&path, &owner),
                Err(error) => return Err(error).doing("create", &path),
            };
            if taken {
                return Ok(UidRange {
                    base: region.first + slot * region.count,
                    count: region.count,
                });
            }
        }
        Err(MachineError::NoRange)
    }

    pub fn release(&self, id: &MachineId) -> Result<()> {
        let owner = self.owner(id);
        for path in self.claims()? {
            if holds(&path, &owner) {
                std::fs::remove_file(&path).doing("remove", &path)?;
            }
        }
        // Other machines, or other instances, may have theirs in it.
        let _ = std::fs::remove_dir(&self.dir);
        let _ = self.dir.parent().map(std::fs::remove_dir);
        Ok(())
    }

    /// This instance's claims, each with the machine it is for.
    pub fn scan(&self) -> Result<Vec<(PathBuf, String)>> {
        let mark = format!("{}/", self.instance);
        let mut found = Vec::new();
        for path in self.claims()? {
            let owner = std::fs::read_to_string(&path).unwrap_or_default();
            if let Some(machine) = owner.strip_prefix(&mark) {
                found.push((path, machine.to_owned()));
            }
        }
        Ok(found)
    }

    /// Another instance may let go of its last range at any moment, and of the directory with it.
    fn create(&self, path: &Path) -> io::Result<File> {
        let mut made = Err(io::ErrorKind::NotFound.into());
        for _ in 0..ATTEMPTS {
            match std::fs::create_dir_all(&self.dir) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
            made = OpenOptions::new().write(true).create_new(true).open(path);
            if !matches!(&made, Err(error) if error.kind() == io::ErrorKind::NotFound) {
                break;
            }
        }
        made
    }

    fn claims(&self) -> Result<Vec<PathBuf>> {
        let entries = match std::fs::read_dir(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.doing("list", &self.dir)?,
        };
        entries
            .map(|entry| Ok(entry.doing("list", &self.dir)?.path()))
            .collect()
    }

    fn owner(&self, id: &MachineId) -> String {
        format!("{}/{id}", self.instance)
    }
}

fn holds(path: &Path, owner: &str) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| text == owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where systemd's range for files of other systems begins.
    const FOREIGN: u64 = 0x7ffe_0000;

    #[test]
    fn ranges_do_not_overlap_and_stay_in_the_kernels_bounds() {
        for region in [SYSTEM, NODE] {
            let end = u64::from(region.first) + u64::from(region.slots) * u64::from(region.count);
            assert!(end <= FOREIGN, "{}", region.name);
        }
        const { assert!(SYSTEM.first + SYSTEM.slots * SYSTEM.count <= NODE.first) };
    }

    #[test]
    fn a_machine_keeps_its_range_and_two_never_share_one() {
        let dir = tempfile::tempdir().unwrap();
        let ranges = |instance: &str| Ranges {
            dir: dir.path().join("ids"),
            instance: instance.to_owned(),
        };
        let (one, two) = (MachineId::generate(), MachineId::generate());
        let first = ranges("a").claim(&one, Init::Systemd).unwrap();
        assert_eq!(ranges("a").claim(&one, Init::Systemd).unwrap(), first);
        assert_ne!(ranges("b").claim(&one, Init::Systemd).unwrap(), first);
        assert_ne!(ranges("a").claim(&two, Init::Systemd).unwrap(), first);
        assert_eq!(ranges("a").scan().unwrap().len(), 2);
        ranges("a").release(&one).unwrap();
        ranges("a").release(&one).unwrap();
        assert_eq!(ranges("a").scan().unwrap().len(), 1);
        assert_eq!(ranges("b").scan().unwrap().len(), 1);
    }
}
