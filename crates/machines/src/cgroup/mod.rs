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
            Layout::Scopes { .. } => Ok(Entrance::Wrapper(scope::wrapper(
                &self.instance,
                id.as_str(),
                size,
            )?)),
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
            scope::stop(&scope::unit(&self.instance, id.as_str()));
        }
        for dir in dirs {
            dirs::remove(&dir).doing("remove", &dir)?;
        }
        for family in self.family_dirs() {
            self.remove_if_empty(&family);
        }
        Ok(())
    }

    /// Other machines may be in it; then it stays.
    fn remove_if_empty(&self, family_dir: &Path) {
        match &self.layout {
            Layout::V1(_) | Layout::V2 { .. } => {
                let _ = std::fs::remove_dir(family_dir);
            }
            Layout::Scopes { .. } => {
                let empty = dirs::children(family_dir).is_ok_and(|children| children.is_empty());
                if family_dir.exists() && empty {
                    scope::stop(&format!("{}.slice", family(&self.instance)));
                }
            }
        }
    }

    /// Every cgroup of this instance: those of its machines, and its own if it is empty.
    pub fn scan(&self) -> io::Result<Vec<PathBuf>> {
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
        let mark = family(&self.instance);
        membership.lines().any(|line| {
            line.splitn(3, ':').nth(2).is_some_and(|path| {
                path.split('/')
                    .any(|part| part == mark || part.strip_suffix(".slice") == Some(&mark))
            })
        })
    }

    fn family_dirs(&self) -> Vec<PathBuf> {
        let family = family(&self.instance);
        match &self.layout {
            Layout::V1(all) => all.iter().map(|hierarchy| hierarchy.at.join(&family)).collect(),
            Layout::V2 { root } => vec![root.join(&family)],
            Layout::Scopes { root } => vec![root.join("plasmacloud.slice").join(format!("{family}.slice"))],
        }
    }

    fn machine_dirs(&self, id: &MachineId) -> Vec<PathBuf> {
        let name = match &self.layout {
            Layout::V1(_) | Layout::V2 { .. } => id.to_string(),
            Layout::Scopes { .. } => scope::unit(&self.instance, id.as_str()),
        };
        self.family_dirs()
            .into_iter()
            .map(|dir| dir.join(&name))
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
