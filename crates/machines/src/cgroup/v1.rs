//! Version 1: each controller has a hierarchy of its own, and a machine a directory in each of them.

use std::{
    fs::{File, OpenOptions},
    path::{Path, PathBuf},
};

use types::machine::Size;

use super::dirs;
use crate::{
    error::{Context, Result},
    host::{identity::UidRange, mount_table::Mount},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    pub at: PathBuf,
    controllers: Vec<String>,
}

/// Devices a machine may open: null, zero, full, random, urandom, tty, console, ptmx, pseudo terminals, tun, fuse.
/// No disk is among them, and without privilege on the host the list cannot be widened from inside.
const DEVICES: [&str; 11] = [
    "c 1:3 rwm",
    "c 1:5 rwm",
    "c 1:7 rwm",
    "c 1:8 rwm",
    "c 1:9 rwm",
    "c 5:0 rwm",
    "c 5:1 rwm",
    "c 5:2 rwm",
    "c 136:* rwm",
    "c 10:200 rwm",
    "c 10:229 rwm",
];

pub fn hierarchies(table: &[Mount]) -> Vec<Hierarchy> {
    let mut found: Vec<Hierarchy> = Vec::new();
    for mount in table.iter().filter(|m| m.at.starts_with("/sys/fs/cgroup")) {
        let controllers = match mount.kind.as_str() {
            "cgroup" => mount.super_options.split(',').map(str::to_owned).collect(),
            "cgroup2" => vec!["unified".to_owned()],
            _ => continue,
        };
        if !found.iter().any(|h| h.at == mount.at) {
            found.push(Hierarchy {
                at: mount.at.clone(),
                controllers,
            });
        }
    }
    found
}

impl Hierarchy {
    fn has(&self, controller: &str) -> bool {
        self.controllers.iter().any(|c| c == controller)
    }
}

pub fn create(hierarchy: &Hierarchy, family: &str, name: &str, size: &Size, range: UidRange) -> Result<File> {
    let parent = hierarchy.at.join(family);
    let dir = parent.join(name);
    for made in [&parent, &dir] {
        dirs::make(made).doing("make", made)?;
        if hierarchy.has("cpuset") {
            copy_from_above(made)?;
        }
    }
    limit(hierarchy, &dir, size)?;
    for file in [
        "",
        "cgroup.procs",
        "tasks",
        "cgroup.subtree_control",
        "cgroup.threads",
    ] {
        let path = dir.join(file);
        if path.exists() {
            std::os::unix::fs::chown(&path, Some(range.base), Some(range.base)).doing("give away", &path)?;
        }
    }
    let door = dir.join("cgroup.procs");
    OpenOptions::new().write(true).open(&door).doing("open", &door)
}

fn limit(hierarchy: &Hierarchy, dir: &Path, size: &Size) -> Result<()> {
    if hierarchy.has("cpu") {
        let shares = (1024 * u64::from(size.vcpus)).clamp(2, 262_144);
        set(&dir.join("cpu.shares"), &shares.to_string())?;
    }
    if hierarchy.has("memory") {
        set(&dir.join("memory.limit_in_bytes"), &size.memory.0.to_string())?;
        let with_swap = dir.join("memory.memsw.limit_in_bytes");
        if with_swap.exists() {
            set(&with_swap, &size.memory.0.to_string())?;
        }
    }
    if hierarchy.has("pids") {
        set(&dir.join("pids.max"), &super::most_processes(size).to_string())?;
    }
    if hierarchy.has("devices") {
        set(&dir.join("devices.deny"), "a")?;
        for device in DEVICES {
            set(&dir.join("devices.allow"), device)?;
        }
    }
    Ok(())
}

/// A new cpuset is empty, and nothing can run in it.
fn copy_from_above(dir: &Path) -> Result<()> {
    for file in ["cpuset.cpus", "cpuset.mems"] {
        let above = dir.parent().unwrap_or(dir).join(file);
        let value = std::fs::read_to_string(&above).doing("read", &above)?;
        set(&dir.join(file), value.trim())?;
    }
    Ok(())
}

fn set(file: &Path, value: &str) -> Result<()> {
    std::fs::write(file, value).doing("set", file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_and_unified_hierarchies_are_found_once() {
        let mount = |at: &str, kind: &str, options: &str| Mount {
            root: "/".into(),
            at: at.into(),
            kind: kind.into(),
            source: "cgroup".into(),
            super_options: options.into(),
        };
        let table = [
            mount("/", "ext4", "rw"),
            mount("/sys/fs/cgroup", "tmpfs", "rw"),
            mount("/sys/fs/cgroup/cpu,cpuacct", "cgroup", "rw,cpu,cpuacct"),
            mount("/sys/fs/cgroup/unified", "cgroup2", "rw"),
        ];
        let found = hierarchies(&table);
        assert_eq!(found.len(), 2);
        assert!(found[0].has("cpu") && found[0].has("cpuacct") && !found[0].has("memory"));
        assert!(found[1].has("unified"));
    }
}
