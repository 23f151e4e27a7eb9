//! What is mounted where, as this process sees it.

use std::{io, path::PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Which part of the file system it shows.
    pub root: String,
    pub at: PathBuf,
    pub kind: String,
    pub source: String,
    pub super_options: String,
}

/// In the order they were made: a later one may lie on an earlier one.
pub fn read() -> io::Result<Vec<Mount>> {
    Ok(std::fs::read_to_string("/proc/self/mountinfo")?
        .lines()
        .filter_map(parse)
        .collect())
}

fn parse(line: &str) -> Option<Mount> {
    let (left, right) = line.split_once(" - ")?;
    let mut left = left.split(' ').skip(3);
    let (root, at) = (left.next()?, left.next()?);
    let mut right = right.split(' ');
    Some(Mount {
        root: root.to_owned(),
        at: PathBuf::from(unescape(at)),
        kind: right.next()?.to_owned(),
        source: right.next()?.to_owned(),
        super_options: right.next().unwrap_or_default().to_owned(),
    })
}

/// The kernel writes white space and backslashes as three octal digits.
fn unescape(given: &str) -> String {
    let mut parts = given.split('\\');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.get(..3).and_then(|octal| u8::from_str_radix(octal, 8).ok()) {
            Some(byte) => {
                text.push(char::from(byte));
                text.push_str(&part[3..]);
            }
            None => text.push_str(part),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_understood() {
        let line = r"53 22 0:49 /sys /a\040b/c rw,nosuid shared:1 - overlay overlay rw,lowerdir=/l";
        let mount = parse(line).unwrap();
        assert_eq!(mount.at, PathBuf::from("/a b/c"));
        assert_eq!((mount.root.as_str(), mount.kind.as_str()), ("/sys", "overlay"));
        assert_eq!(mount.super_options, "rw,lowerdir=/l");
    }
}
