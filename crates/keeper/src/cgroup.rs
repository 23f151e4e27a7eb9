//! A share of the machine for each process: a sub-cgroup with a CPU weight and a memory limit. What cannot be enforced
//! is returned as a problem, never dropped silently.

use std::{
    fs::{File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use types::keeper::Limits;

use crate::mounts;

/// Below the supervisor's own cgroup, in each hierarchy that limits something.
pub enum Tree {
    /// One directory for each controller.
    V1 {
        memory: Option<PathBuf>,
        cpu: Option<PathBuf>,
    },
    V2 {
        base: PathBuf,
    },
}

/// Where a starting process enters: its own `cgroup.procs` files, opened before the fork.
pub type Doors = Vec<File>;

impl Tree {
    pub fn of_self() -> io::Result<Self> {
        let mounts = mounts::read()?;
        let membership = std::fs::read_to_string("/proc/self/cgroup")?;
        let has = |mount: &mounts::Mount, controller: &str| {
            mount.kind == "cgroup" && mount.super_options.split(',').any(|o| o == controller)
        };
        let v1 = |controller: &str| {
            let mount = mounts.iter().find(|m| has(m, controller))?;
            let path = membership.lines().find_map(|line| {
                let mut fields = line.splitn(3, ':').skip(1);
                let (controllers, path) = (fields.next()?, fields.next()?);
                controllers.split(',').any(|c| c == controller).then_some(path)
            })?;
            below(mount, path)
        };
        let (memory, cpu) = (v1("memory"), v1("cpu"));
        if memory.is_some() || cpu.is_some() {
            return Ok(Self::V1 { memory, cpu });
        }
        let mount = mounts.iter().find(|m| m.kind == "cgroup2");
        let path = membership.lines().find_map(|line| line.strip_prefix("0::"));
        match (mount, path) {
            (Some(mount), Some(path)) => {
                let base = below(mount, path).ok_or(io::ErrorKind::NotFound)?;
                Ok(Self::V2 { base })
            }
            _ => Err(io::Error::new(
                io::ErrorKind::NotFound,
                "no cgroup hierarchy is mounted",
            )),
        }
    }

    /// A cgroup with processes of its own cannot share out memory in v2: the supervisor steps into a leaf.
    pub fn open_for_children(&self) -> io::Result<()> {
        match self {
            Self::V1 { .. } => Ok(()),
            Self::V2 { base } => {
                let leaf = base.join("keeper");
                make(&leaf)?;
                write(&leaf.join("cgroup.procs"), "0")?;
                write(&base.join("cgroup.subtree_control"), "+cpu +memory")
            }
        }
    }

    pub fn place(&self, name: &str, limits: Limits) -> io::Result<Doors> {
        match self {
            Self::V1 { memory, cpu } => {
                let mut doors = Doors::new();
                if let Some(limit) = limits.memory {
                    let dir = required(memory.as_deref(), "memory")?.join(name);
                    make(&dir)?;
                    write(&dir.join("memory.limit_in_bytes"), &limit.0.to_string())?;
                    doors.push(door(&dir)?);
                }
                if let Some(weight) = limits.cpu {
                    let dir = required(cpu.as_deref(), "cpu")?.join(name);
                    make(&dir)?;
                    write(&dir.join("cpu.shares"), &shares(weight.0).to_string())?;
                    doors.push(door(&dir)?);
                }
                Ok(doors)
            }
            Self::V2 { base } => {
                let dir = base.join(name);
                make(&dir)?;
                if let Some(limit) = limits.memory {
                    write(&dir.join("memory.max"), &limit.0.to_string())?;
                }
                if let Some(weight) = limits.cpu {
                    write(&dir.join("cpu.weight"), &weight_of(shares(weight.0)).to_string())?;
                }
                Ok(vec![door(&dir)?])
            }
        }
    }
}

fn below(mount: &mounts::Mount, path: &str) -> Option<PathBuf> {
    let inside = Path::new(path).strip_prefix(&mount.root).ok()?;
    Some(if inside.as_os_str().is_empty() {
        mount.at.clone()
    } else {
        mount.at.join(inside)
    })
}

fn required<'a>(dir: Option<&'a Path>, controller: &str) -> io::Result<&'a Path> {
    let missing = || {
        io::Error::new(
            io::ErrorKind::NotFound,
            format!("no {controller} controller here"),
        )
    };
    dir.ok_or_else(missing)
}

fn make(dir: &Path) -> io::Result<()> {
    match std::fs::create_dir(dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn write(file: &Path, value: &str) -> io::Result<()> {
    std::fs::write(file, value)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", file.display())))
}

fn door(dir: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(dir.join("cgroup.procs"))
}

/// 1024 shares are one CPU.
fn shares(milli: u64) -> u64 {
    (milli * 1024 / 1000).clamp(2, 262_144)
}

/// The same ratio on the scale of v2. One CPU is the default there too, so that what has no weight of its own is not
/// preferred to what has.
fn weight_of(shares: u64) -> u64 {
    (shares * 100 / 1024).clamp(1, 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_keep_their_order_and_range() {
        assert_eq!(shares(1000), 1024);
        assert_eq!((weight_of(shares(0)), weight_of(shares(1000))), (1, 100));
        assert_eq!(weight_of(shares(u64::from(u32::MAX))), 10_000);
        assert!(weight_of(shares(500)) < weight_of(shares(1000)));
    }

    #[test]
    fn a_path_is_found_below_what_is_mounted() {
        let mount = mounts::Mount {
            root: "/a".into(),
            at: "/sys/fs/cgroup/cpu".into(),
            read_only: false,
            kind: "cgroup".into(),
            super_options: "rw,cpu".into(),
        };
        assert_eq!(below(&mount, "/a/b"), Some("/sys/fs/cgroup/cpu/b".into()));
        assert_eq!(below(&mount, "/a"), Some("/sys/fs/cgroup/cpu".into()));
        assert_eq!(below(&mount, "/c"), None);
    }
}
