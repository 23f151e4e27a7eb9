//! Unpacked roots: a base tar plus files that are hard links to blobs, so that all clusters share one copy in the page cache.
//!
//! A tree is used as the lower directory of overlays and must never change once it has its name. It is unpacked under `tmp/`,
//! flushed, then renamed to `trees/<digest of its spec>`.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Digest;
use crate::cache::{Cache, CacheError, Descriptor, Scratch, io_error, sync_dir};

/// What a tree consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeSpec {
    /// Uncompressed tar that is unpacked first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Descriptor>,
    /// Executables linked on top, sorted by path.
    pub files: Vec<TreeFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeFile {
    /// Relative to the root of the tree.
    pub path: String,
    pub blob: Descriptor,
}

impl TreeSpec {
    /// Names the tree's directory.
    pub fn digest(&self) -> Digest {
        Digest::of(serde_json::to_vec(self).unwrap_or_default())
    }

    pub(crate) fn blobs(&self) -> impl Iterator<Item = &Descriptor> {
        self.base.iter().chain(self.files.iter().map(|f| &f.blob))
    }

    /// Refuses paths that could leave the tree.
    pub(crate) fn check_paths(&self) -> Result<(), String> {
        match self.files.iter().find(|f| relative(Path::new(&f.path)).is_none()) {
            Some(file) => Err(format!("path {:?} leaves its tree", file.path)),
            None => Ok(()),
        }
    }

    /// Unpacks the tree unless it is there, and returns its directory.
    pub(crate) fn unpack(&self, cache: &Cache) -> Result<PathBuf, CacheError> {
        let place = cache.tree_path(&self.digest());
        if place.is_dir() {
            return Ok(place);
        }
        let scratch = self.unpack_to_scratch(cache)?;
        fs::rename(scratch.path().join("root"), &place).map_err(io_error("rename", &place))?;
        sync_dir(&cache.root().join("trees"))?;
        Ok(place)
    }

    /// Puts a whole tree in the place of a damaged one. Machines that run on the damaged one keep it, under another name.
    pub(crate) fn replace(&self, cache: &Cache) -> Result<PathBuf, CacheError> {
        let place = cache.tree_path(&self.digest());
        let scratch = self.unpack_to_scratch(cache)?;
        let aside = (0u32..)
            .map(|n| place.with_extension(format!("damaged-{n}")))
            .find(|p| !p.exists())
            .unwrap_or_else(|| place.with_extension("damaged"));
        fs::rename(&place, &aside).map_err(io_error("rename", &place))?;
        fs::rename(scratch.path().join("root"), &place).map_err(io_error("rename", &place))?;
        sync_dir(&cache.root().join("trees"))?;
        Ok(place)
    }

    fn unpack_to_scratch(&self, cache: &Cache) -> Result<Scratch, CacheError> {
        let scratch = cache.blobs().scratch()?;
        let root = scratch.path().join("root");
        fs::create_dir(&root).map_err(io_error("create", &root))?;
        if let Some(base) = &self.base {
            let path = cache.blob_path(&base.digest);
            let file = File::open(&path).map_err(io_error("open", &path))?;
            unpack_tar(file, &root).map_err(io_error("unpack into", &root))?;
        }
        for file in &self.files {
            let path = root.join(&file.path);
            let blob = cache.blob_path(&file.blob.digest);
            link(&blob, &path).map_err(io_error("link", &path))?;
        }
        let dir = File::open(&root).map_err(io_error("open", &root))?;
        rustix::fs::syncfs(&dir).map_err(|e| io_error("flush", &root)(e.into()))?;
        Ok(scratch)
    }
}

fn unpack_tar(file: File, root: &Path) -> io::Result<()> {
    let mut archive = tar::Archive::new(io::BufReader::with_capacity(256 * 1024, file));
    archive.set_preserve_permissions(true);
    archive.set_preserve_mtime(true);
    let superuser = rustix::process::geteuid().is_root();
    archive.set_preserve_ownerships(superuser);
    archive.set_unpack_xattrs(superuser);
    archive.unpack(root)
}

/// Hard link where the file system allows one, else a copy.
fn link(blob: &Path, path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    match fs::hard_link(blob, path) {
        Err(e)
            if matches!(
                e.kind(),
                io::ErrorKind::CrossesDevices | io::ErrorKind::TooManyLinks
            ) =>
        {
            fs::copy(blob, path).map(drop)
        }
        other => other,
    }
}

/// The path without `./`, or none if it is absolute or climbs.
pub(crate) fn relative(path: &Path) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => clean.push(name),
            Component::RootDir | Component::ParentDir | Component::Prefix(_) => return None,
        }
    }
    Some(clean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oci::Layer;
    use std::os::unix::fs::MetadataExt;

    fn tree(cache: &Cache) -> TreeSpec {
        let mut base = Layer::new();
        base.file("etc/hosts", 0o644, "127.0.0.1 localhost\n")
            .symlink("bin", "usr/bin")
            .dir("tmp", 0o1777);
        let base = cache.blobs().put(|out| base.write(out)).unwrap();
        let blob = cache.blobs().put_bytes(b"kubelet").unwrap();
        let files = vec![TreeFile {
            path: "usr/local/bin/kubelet".into(),
            blob,
        }];
        TreeSpec {
            base: Some(base),
            files,
        }
    }

    #[test]
    fn binaries_are_the_blobs_themselves() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path()).unwrap();
        let spec = tree(&cache);
        let place = spec.unpack(&cache).unwrap();
        assert_eq!(
            fs::read(place.join("etc/hosts")).unwrap(),
            b"127.0.0.1 localhost\n"
        );
        assert_eq!(fs::read_link(place.join("bin")).unwrap(), Path::new("usr/bin"));
        assert_eq!(fs::metadata(place.join("tmp")).unwrap().mode() & 0o7777, 0o1777);
        let blob = cache.blob_path(&spec.files[0].blob.digest);
        let linked = fs::metadata(place.join("usr/local/bin/kubelet")).unwrap();
        assert_eq!(linked.ino(), fs::metadata(blob).unwrap().ino());
        assert_eq!(spec.unpack(&cache).unwrap(), place, "a second time is free");
        assert_eq!(fs::read_dir(dir.path().join("tmp")).unwrap().count(), 0);
    }

    #[test]
    fn a_tree_whose_blob_is_missing_is_not_made() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path()).unwrap();
        let spec = tree(&cache);
        fs::remove_file(cache.blob_path(&spec.files[0].blob.digest)).unwrap();
        spec.unpack(&cache).unwrap_err();
        assert!(!cache.tree_path(&spec.digest()).exists());
        assert_eq!(fs::read_dir(dir.path().join("tmp")).unwrap().count(), 0);
    }

    #[test]
    fn paths_that_climb_are_refused() {
        for bad in ["../x", "/etc/passwd", "a/../../b"] {
            let blob = Descriptor {
                digest: Digest::of(""),
                size: 0,
            };
            let spec = TreeSpec {
                base: None,
                files: vec![TreeFile {
                    path: bad.into(),
                    blob,
                }],
            };
            assert!(spec.check_paths().is_err(), "{bad}");
        }
    }
}
