//! A machine's share of its host: one cgroup, in every hierarchy there is, made before the machine's first process and
//! given to the machine's root to divide further. Its limits stay the host's.
//!
//! Three kinds of host: version 1 (a directory in each hierarchy), version 2, and version 2 below a systemd that owns
//! the tree, where a machine is a scope of its own so that restarting our service does not end it.

mod dirs;
mod scope;
mod v1;
mod v2;

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use types::{MachineId, machine::Size};

use crate::{
    error::{Context, Result},
    host::{identity::UidRange, mount_table},
};

/// What the instance's cgroups are called; the machine's id is the next component.
fn family(instance: &str) -> String {
    format!("plasmacloud-{instance}")
}

/// How a process gets into its cgroup as it starts.
pub enum Entrance {
    /// It writes itself into these, between fork and exec.
    Doors(Vec<File>),
    /// It is started by these words.
    Wrapper(Vec<String>),
}

#[derive(Debug, Clone)]
pub struct Cgroups {
    instance: String,
    layout: Layout,
}

#[derive(Debug, Clone)]
enum Layout {
    V1(Vec<v1::Hierarchy>),
    V2 { root: PathBuf },
    Scopes { root: PathBuf },
}

impl Cgroups {
    pub fn detect(instance: &str) -> Result<Self> {
        let table_path = Path::new("/proc/self/mountinfo");
        let table = mount_table::read().doing("read", table_path)?;
        let top = table.iter().rev().find(|m| m.at == Path::new("/sys/fs/cgroup"));
        let layout = match top {
            Some(mount) if mount.kind == "cgroup2" => {
                let root = mount.at.clone();
                // What `sd_booted` looks at.
                let systemd = Path::new("/run/systemd/system").is_dir();
                if systemd {
                    Layout::Scopes { root }
                } else {
                    Layout::V2 { root }
                }
            }
            _ => Layout::V1(v1::hierarchies(&table)),
        };
        Ok(Self {
            instance: instance.to_owned(),
            layout,
        })
    }

    pub fn create(&self, id: &MachineId, size: &Size, range: UidRange) -> Result<Entrance> {
        match &self.layout {
            Layout::V1(all) => {
                let mut doors = Vec::new();
                for hierarchy in all {
                    doors.push(v1::create(
                        hierarchy,
                        &family(&self.instance),
                        id.as_str(),
                        size,
                        range,
                    )?);
                }
                Ok(Entrance::Doors(doors))
            }
            Layout::V2 { root } => {
                let door = v2::create(root, &family(&self.instance), id.as_str(), size, range)?;
                Ok(Entrance::Doors(vec![door]))
            }
            Layout::Scopes { .. } => {
                let unit = scope::unit(&family(&self.instance), id.as_str());
                Ok(Entrance::Wrapper(scope::wrapper(&unit, size)?))
            }
        }
    }

    /// The processes of a machine, its supervisor included.
    pub fn processes(&self, id: &MachineId) -> io::Result<Vec<u32>> {
        match self.machine_dirs(id).first() {
            Some(dir) => dirs::processes(dir),
            None => Ok(Vec::new()),
        }
    }

    /// Takes away the machine's cgroups; its processes are gone already.
    pub fn remove(&self, id: &MachineId) -> Result<()> {
        let dirs = self.machine_dirs(id);
        if matches!(self.layout, Layout::Scopes { .. }) && dirs.iter().any(|dir| dir.exists()) {
            scope::stop(&scope::unit(&family(&self.instance), id.as_str()));
        }
        for dir in dirs {
            dirs::remove(&dir).doing("remove", &dir)?;
        }
        for family in self.family_dirs() {
            // Other machines may be in it; then it stays.
            let _ = std::fs::remove_dir(family);
        }
        Ok(())
    }

    /// Every cgroup of this instance: those of its machines, and its own if it is empty.
    pub fn scan(&self) -> io::Result<Vec<PathBuf>> {
        if let Layout::Scopes { root } = &self.layout {
            let mark = scope::prefix(&family(&self.instance));
            let ours = |dir: &PathBuf| {
                let name = dir.file_name().and_then(|name| name.to_str());
                name.is_some_and(|name| name.starts_with(&mark))
            };
            return Ok(dirs::children(&root.join(scope::SLICE))?
                .into_iter()
                .filter(ours)
                .collect());
        }
        let mut found = Vec::new();
        for dir in self.family_dirs() {
            if !dir.try_exists()? {
                continue;
            }
            let machines = dirs::children(&dir)?;
            // With machines in it, it is theirs.
            if machines.is_empty() {
                found.push(dir);
            }
            found.extend(machines);
        }
        Ok(found)
    }

    /// Whether the process is inside a cgroup of this instance.
    pub fn holds(&self, pid: u32) -> bool {
        let membership = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
        let family = family(&self.instance);
        let unit = scope::prefix(&family);
        membership.lines().any(|line| {
            line.splitn(3, ':').nth(2).is_some_and(|path| {
                path.split('/')
                    .any(|part| part == family || part.starts_with(&unit))
            })
        })
    }

    /// What holds all of the instance's machines; below systemd nothing does, their names tell them apart.
    fn family_dirs(&self) -> Vec<PathBuf> {
        let family = family(&self.instance);
        match &self.layout {
            Layout::V1(all) => all.iter().map(|hierarchy| hierarchy.at.join(&family)).collect(),
            Layout::V2 { root } => vec![root.join(&family)],
            Layout::Scopes { .. } => Vec::new(),
        }
    }

    fn machine_dirs(&self, id: &MachineId) -> Vec<PathBuf> {
        if let Layout::Scopes { root } = &self.layout {
            let unit = scope::unit(&family(&self.instance), id.as_str());
            return vec![root.join(scope::SLICE).join(unit)];
        }
        self.family_dirs()
            .into_iter()
            .map(|dir| dir.join(id.as_str()))
            .collect()
    }
}

/// CPU in proportion to what was bought, on the scale of version 2.
fn weight(size: &Size) -> u64 {
    (100 * u64::from(size.vcpus)).clamp(1, 10_000)
}

/// A fork bomb stays inside; a full node does not come near.
fn most_processes(size: &Size) -> u64 {
    16_384 + 4_096 * u64::from(size.vcpus)
}
