//! The mount table of this process, as far as we need it.

use std::{io, path::PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Which part of the file system is mounted.
    pub root: String,
    pub at: PathBuf,
    pub read_only: bool,
    pub kind: String,
    pub super_options: String,
}

pub fn read() -> io::Result<Vec<Mount>> {
    Ok(std::fs::read_to_string("/proc/self/mountinfo")?
        .lines()
        .filter_map(parse)
        .collect())
}

fn parse(line: &str) -> Option<Mount> {
    let (left, right) = line.split_once(" - ")?;
    let mut left = left.split(' ').skip(3);
    let (root, at, options) = (left.next()?, left.next()?, left.next()?);
    let mut right = right.split(' ');
    let (kind, super_options) = (right.next()?, right.nth(1)?);
    Some(Mount {
        root: root.to_owned(),
        at: PathBuf::from(at),
        read_only: options.split(',').any(|o| o == "ro"),
        kind: kind.to_owned(),
        super_options: super_options.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_optional_fields_is_understood() {
        let line = "67 60 0:35 / /sys/fs/cgroup/cpu ro,nosuid shared:19 - cgroup cgroup rw,cpu,cpuacct";
        let mount = parse(line).unwrap();
        assert!(mount.read_only);
        assert_eq!(
            (mount.kind.as_str(), mount.super_options.as_str()),
            ("cgroup", "rw,cpu,cpuacct")
        );
        assert_eq!(mount.at, PathBuf::from("/sys/fs/cgroup/cpu"));
    }
}
