//! Version 2 without a systemd that owns the tree.

use std::{
    fs::{File, OpenOptions},
    path::Path,
};

use types::machine::Size;

use super::dirs;
use crate::{
    error::{Context, Result},
    host::identity::UidRange,
};

pub fn create(root: &Path, family: &str, name: &str, size: &Size, range: UidRange) -> Result<File> {
    let parent = root.join(family);
    let dir = parent.join(name);
    share(root)?;
    dirs::make(&parent).doing("make", &parent)?;
    share(&parent)?;
    dirs::make(&dir).doing("make", &dir)?;
    set(&dir.join("cpu.weight"), &super::weight(size).to_string())?;
    set(&dir.join("memory.max"), &size.memory.0.to_string())?;
    set(&dir.join("pids.max"), &super::most_processes(size).to_string())?;
    let swap = dir.join("memory.swap.max");
    if swap.exists() {
        set(&swap, "0")?;
    }
    for file in ["", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"] {
        let path = dir.join(file);
        std::os::unix::fs::chown(&path, Some(range.base), Some(range.base)).doing("give away", &path)?;
    }
    let door = dir.join("cgroup.procs");
    OpenOptions::new().write(true).open(&door).doing("open", &door)
}

/// What our limits need; the rest is passed on to the machine where the kernel lets us.
const NEEDED: [&str; 3] = ["cpu", "memory", "pids"];

/// Lets the children of `dir` be limited.
fn share(dir: &Path) -> Result<()> {
    let control = dir.join("cgroup.subtree_control");
    for controller in NEEDED {
        set(&control, &format!("+{controller}"))?;
    }
    let offered = std::fs::read_to_string(dir.join("cgroup.controllers")).unwrap_or_default();
    for controller in offered.split_whitespace().filter(|c| !NEEDED.contains(c)) {
        let _ = set(&control, &format!("+{controller}"));
    }
    Ok(())
}

fn set(file: &Path, value: &str) -> Result<()> {
    std::fs::write(file, value).doing("set", file)
}
