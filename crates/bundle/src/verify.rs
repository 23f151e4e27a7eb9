//! Checks a bundle byte by byte: every blob against its digest, every file of every unpacked tree against what it was
//! unpacked from. A flipped byte, a missing file and a file too many are all found.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::Digest;
use crate::bundle::Bundle;
use crate::cache::Cache;
use crate::tree::{TreeSpec, relative};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Fault {
    pub path: PathBuf,
    pub kind: FaultKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    Missing,
    /// Content, type, size or permissions differ.
    Changed,
    /// Does not belong to the tree.
    Unexpected,
    Unreadable,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            FaultKind::Missing => "is missing",
            FaultKind::Changed => "is not what was stored",
            FaultKind::Unexpected => "does not belong there",
            FaultKind::Unreadable => "cannot be read",
        };
        write!(f, "{} {what}", self.path.display())
    }
}

/// Everything that is wrong with a bundle; empty when it is whole.
pub fn verify(bundle: &Bundle) -> Vec<Fault> {
    let cache = bundle.cache();
    let mut faults = Vec::new();
    let mut good = BTreeSet::new();
    for blob in bundle.manifest().blobs() {
        let path = cache.blob_path(&blob.digest);
        match check_file(&path, &blob.digest) {
            Ok(()) => drop(good.insert(blob.digest.clone())),
            Err(kind) => faults.push(Fault { path, kind }),
        }
    }
    for tree in bundle.manifest().trees.values() {
        // What a tree should be is read from its base; if that is damaged it says so above.
        if tree.base.as_ref().is_none_or(|base| good.contains(&base.digest)) {
            faults.extend(check_tree(cache, tree));
        }
    }
    faults
}

/// Trees of a bundle that have a fault. Blobs are taken as good.
pub(crate) fn damaged_trees(bundle: &Bundle) -> Vec<(&str, &TreeSpec)> {
    let trees = bundle.manifest().trees.iter();
    trees
        .map(|(n, t)| (n.as_str(), t))
        .filter(|(_, t)| !check_tree(bundle.cache(), t).is_empty())
        .collect()
}

fn check_file(path: &Path, digest: &Digest) -> Result<(), FaultKind> {
    match File::open(path).and_then(Digest::of_reader) {
        Ok((found, _)) if found == *digest => Ok(()),
        Ok(_) => Err(FaultKind::Changed),
        Err(e) => Err(absent_or(&e, FaultKind::Unreadable)),
    }
}

fn absent_or(error: &io::Error, other: FaultKind) -> FaultKind {
    if error.kind() == io::ErrorKind::NotFound {
        FaultKind::Missing
    } else {
        other
    }
}

fn check_tree(cache: &Cache, tree: &TreeSpec) -> Vec<Fault> {
    let root = cache.tree_path(&tree.digest());
    if !root.is_dir() {
        return vec![Fault {
            path: root,
            kind: FaultKind::Missing,
        }];
    }
    let mut check = TreeCheck {
        root: &root,
        expected: BTreeSet::new(),
        faults: Vec::new(),
    };
    for file in &tree.files {
        let path = root.join(&file.path);
        if let Err(kind) = check_linked(cache, &path, &file.blob.digest) {
            check.faults.push(Fault { path, kind });
        }
        check.expect(Path::new(&file.path));
    }
    if let Some(base) = &tree.base {
        let path = cache.blob_path(&base.digest);
        if check.base(&path).is_err() {
            check.faults.push(Fault {
                path,
                kind: FaultKind::Unreadable,
            });
        }
    }
    check.find_unexpected(&root);
    check.faults
}

/// A link to the blob needs no second reading.
fn check_linked(cache: &Cache, path: &Path, digest: &Digest) -> Result<(), FaultKind> {
    let inode = |path: &Path| fs::symlink_metadata(path).map(|m| (m.dev(), m.ino()));
    let here = inode(path).map_err(|e| absent_or(&e, FaultKind::Unreadable))?;
    match inode(&cache.blob_path(digest)) {
        Ok(blob) if blob == here => Ok(()),
        _ => check_file(path, digest),
    }
}

struct TreeCheck<'a> {
    root: &'a Path,
    expected: BTreeSet<PathBuf>,
    faults: Vec<Fault>,
}

impl TreeCheck<'_> {
    fn expect(&mut self, path: &Path) {
        self.expected.extend(path.ancestors().map(Path::to_owned));
    }

    /// Compares the tree with the tar it was unpacked from. Files laid over it have been checked and are skipped.
    fn base(&mut self, tar: &Path) -> io::Result<()> {
        let mut archive = tar::Archive::new(BufReader::with_capacity(256 * 1024, File::open(tar)?));
        for entry in archive.entries()? {
            let mut entry = entry?;
            let Some(path) = relative(&entry.path()?) else {
                continue;
            };
            let is_overlaid = self.expected.contains(&path) && !entry.header().entry_type().is_dir();
            self.expect(&path);
            let full = self.root.join(&path);
            if !is_overlaid && let Err(kind) = self.check_entry(&mut entry, &full) {
                self.faults.push(Fault { path: full, kind });
            }
        }
        Ok(())
    }

    fn check_entry(&self, entry: &mut tar::Entry<'_, impl Read>, path: &Path) -> Result<(), FaultKind> {
        let unreadable = |e: io::Error| absent_or(&e, FaultKind::Unreadable);
        let found = fs::symlink_metadata(path).map_err(unreadable)?;
        let same = |is: bool| if is { Ok(()) } else { Err(FaultKind::Changed) };
        let kind = entry.header().entry_type();
        if kind.is_symlink() {
            let wanted = entry.link_name().map_err(unreadable)?;
            return same(fs::read_link(path).is_ok_and(|to| Some(to.as_path()) == wanted.as_deref()));
        }
        if kind.is_hard_link() {
            let target = entry.link_name().map_err(unreadable)?.and_then(|t| relative(&t));
            let target = target.and_then(|t| fs::metadata(self.root.join(t)).ok());
            return same(target.is_some_and(|t| t.ino() == found.ino()));
        }
        same(found.permissions().mode() & 0o7777 == entry.header().mode().unwrap_or(0) & 0o7777)?;
        if kind.is_dir() {
            return same(found.is_dir());
        }
        same(found.is_file() && found.len() == entry.size())?;
        let file = File::open(path).map_err(unreadable)?;
        same(equal(entry, file).map_err(unreadable)?)
    }

    fn find_unexpected(&mut self, dir: &Path) {
        let Ok(entries) = fs::read_dir(dir) else { return };
        for entry in entries.flatten() {
            let path = entry.path();
            let known = path
                .strip_prefix(self.root)
                .is_ok_and(|p| self.expected.contains(p));
            if !known {
                self.faults.push(Fault {
                    path,
                    kind: FaultKind::Unexpected,
                });
            } else if entry.file_type().is_ok_and(|t| t.is_dir()) {
                self.find_unexpected(&path);
            }
        }
    }
}

fn equal(mut one: impl Read, mut two: impl Read) -> io::Result<bool> {
    let (mut a, mut b) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    loop {
        let n = fill(&mut one, &mut a)?;
        let m = fill(&mut two, &mut b)?;
        if a[..n] != b[..m] {
            return Ok(false);
        }
        if n == 0 {
            return Ok(true);
        }
    }
}

fn fill(reader: &mut impl Read, buf: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buf.len() {
        match reader.read(&mut buf[filled..])? {
            0 => break,
            n => filled += n,
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, flip_byte};

    struct Case {
        _dir: tempfile::TempDir,
        bundle: Bundle,
    }

    fn case() -> Case {
        let dir = tempfile::tempdir().unwrap();
        let bundle = fixture::bundle(&Cache::open(dir.path()).unwrap());
        assert_eq!(verify(&bundle), []);
        Case { _dir: dir, bundle }
    }

    fn one(case: &Case, path: &Path, kind: FaultKind) {
        assert_eq!(
            verify(&case.bundle),
            [Fault {
                path: path.to_owned(),
                kind
            }]
        );
    }

    #[test]
    fn a_flipped_byte_in_a_blob_is_found() {
        let case = case();
        let image = &case.bundle.images()[fixture::PAUSE];
        let path = case.bundle.cache().blob_path(&image.layers[0].digest);
        flip_byte(&path);
        one(&case, &path, FaultKind::Changed);
    }

    #[test]
    fn a_missing_blob_is_found() {
        let case = case();
        let image = &case.bundle.images()[fixture::PAUSE];
        let path = case.bundle.cache().blob_path(&image.config.digest);
        fs::remove_file(&path).unwrap();
        one(&case, &path, FaultKind::Missing);
    }

    #[test]
    fn a_flipped_byte_in_a_tree_is_found() {
        let case = case();
        let path = case.bundle.node_tree().join("usr/bin/tool");
        flip_byte(&path);
        one(&case, &path, FaultKind::Changed);
    }

    #[test]
    fn a_flipped_byte_in_a_linked_binary_is_found_as_its_blob() {
        let case = case();
        let path = case.bundle.bin("kubelet").unwrap();
        flip_byte(&path);
        let blob = case
            .bundle
            .cache()
            .blob_path(&case.bundle.manifest().components["kubelet"].blob.digest);
        one(&case, &blob, FaultKind::Changed);
    }

    #[test]
    fn missing_added_and_retargeted_files_in_a_tree_are_found() {
        let case = case();
        let tree = case.bundle.control_plane_tree();
        fs::remove_file(tree.join("etc/hosts")).unwrap();
        fs::write(tree.join("etc/extra"), "x").unwrap();
        fs::remove_file(tree.join("bin")).unwrap();
        std::os::unix::fs::symlink("usr/sbin", tree.join("bin")).unwrap();
        fs::set_permissions(tree.join("tmp"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::remove_file(tree.join("usr/local/bin/kube-apiserver")).unwrap();
        let mut found = verify(&case.bundle);
        found.sort();
        let wanted = [
            ("bin", FaultKind::Changed),
            ("etc/extra", FaultKind::Unexpected),
            ("etc/hosts", FaultKind::Missing),
            ("tmp", FaultKind::Changed),
            ("usr/local/bin/kube-apiserver", FaultKind::Missing),
        ];
        assert_eq!(
            found,
            wanted.map(|(path, kind)| Fault {
                path: tree.join(path),
                kind
            })
        );
    }

    #[test]
    fn a_damaged_tree_is_replaced_and_the_old_one_kept_for_those_on_it() {
        let case = case();
        let tree = case.bundle.node_tree();
        fs::write(tree.join("etc/hosts"), "evil").unwrap();
        let damaged = damaged_trees(&case.bundle);
        assert_eq!(damaged.len(), 1);
        damaged[0].1.replace(case.bundle.cache()).unwrap();
        assert_eq!(verify(&case.bundle), []);
        assert!(tree.with_extension("damaged-0").is_dir());
    }
}
