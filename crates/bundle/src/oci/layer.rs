//! A layer: files, directories and links written as a tar that depends on nothing but its content —
//! sorted, owned by root unless said otherwise, with a fixed time.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use tar::{EntryType, Header};

use crate::Digest;

#[derive(Clone, Debug, Default)]
pub(crate) struct Layer {
    entries: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    mode: u32,
    owner: u64,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Dir,
    Symlink(String),
    Bytes(Vec<u8>),
    /// A file elsewhere, with the value of its `security.capability` attribute.
    File(PathBuf, Option<&'static [u8]>),
}

impl Layer {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn dir(&mut self, path: &str, mode: u32) -> &mut Self {
        self.insert(path, mode, Kind::Dir)
    }

    pub(crate) fn symlink(&mut self, path: &str, target: &str) -> &mut Self {
        self.insert(path, 0o777, Kind::Symlink(target.to_owned()))
    }

    pub(crate) fn file(&mut self, path: &str, mode: u32, content: impl Into<Vec<u8>>) -> &mut Self {
        self.insert(path, mode, Kind::Bytes(content.into()))
    }

    /// An executable that is a file on disk, usually a blob.
    pub(crate) fn binary(&mut self, path: &str, source: PathBuf) -> &mut Self {
        self.insert(path, 0o755, Kind::File(source, None))
    }

    /// An executable that runs as its owner and group, whoever starts it.
    pub(crate) fn setuid_binary(&mut self, path: &str, source: PathBuf) -> &mut Self {
        self.insert(path, 0o6755, Kind::File(source, None))
    }

    pub(crate) fn binary_with_capability(
        &mut self,
        path: &str,
        source: PathBuf,
        cap: &'static [u8],
    ) -> &mut Self {
        self.insert(path, 0o755, Kind::File(source, Some(cap)))
    }

    /// Gives the entry at `path` to user and group `id`.
    pub(crate) fn owned(&mut self, path: &str, id: u64) -> &mut Self {
        if let Some(entry) = self.entries.get_mut(path) {
            entry.owner = id;
        }
        self
    }

    fn insert(&mut self, path: &str, mode: u32, kind: Kind) -> &mut Self {
        let path = path.trim_matches('/');
        for (at, _) in path.match_indices('/') {
            let parent = Entry {
                mode: 0o755,
                owner: 0,
                kind: Kind::Dir,
            };
            self.entries.entry(path[..at].to_owned()).or_insert(parent);
        }
        self.entries
            .insert(path.to_owned(), Entry { mode, owner: 0, kind });
        self
    }

    /// Names the content without reading files: their names are digests when they are blobs.
    pub(crate) fn fingerprint(&self) -> String {
        let entry = |(path, entry): (&String, &Entry)| {
            let kind = match &entry.kind {
                Kind::Dir => "dir".to_owned(),
                Kind::Symlink(target) => format!("link {target}"),
                Kind::Bytes(bytes) => format!("bytes {}", Digest::of(bytes)),
                Kind::File(source, cap) => format!("file {:?} {cap:?}", source.file_name()),
            };
            format!("{path} {:o} {} {kind}\n", entry.mode, entry.owner)
        };
        self.entries.iter().map(entry).collect()
    }

    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut tar = tar::Builder::new(out);
        for (path, entry) in &self.entries {
            entry.append(&mut tar, path)?;
        }
        tar.finish()
    }
}

impl Entry {
    fn append(&self, tar: &mut tar::Builder<&mut dyn Write>, path: &str) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_mode(self.mode);
        header.set_uid(self.owner);
        header.set_gid(self.owner);
        header.set_mtime(0);
        header.set_size(0);
        match &self.kind {
            Kind::Dir => {
                header.set_entry_type(EntryType::Directory);
                tar.append_data(&mut header, format!("{path}/"), io::empty())
            }
            Kind::Symlink(target) => {
                header.set_entry_type(EntryType::Symlink);
                tar.append_link(&mut header, path, target)
            }
            Kind::Bytes(bytes) => {
                header.set_entry_type(EntryType::Regular);
                header.set_size(bytes.len() as u64);
                tar.append_data(&mut header, path, bytes.as_slice())
            }
            Kind::File(source, capability) => {
                if let Some(value) = capability {
                    tar.append_pax_extensions([("SCHILY.xattr.security.capability", *value)])?;
                }
                let file = File::open(source)?;
                let size = file.metadata()?.len();
                header.set_entry_type(EntryType::Regular);
                header.set_size(size);
                tar.append_data(&mut header, path, file.take(size))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(layer: &Layer) -> Vec<u8> {
        let mut out = Vec::new();
        layer.write(&mut out).unwrap();
        out
    }

    #[test]
    fn order_of_insertion_and_time_do_not_matter() {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("bin");
        std::fs::write(&source, "elf").unwrap();
        let mut one = Layer::new();
        one.binary("usr/local/bin/x", source.clone())
            .file("etc/passwd", 0o644, "root\n")
            .symlink("bin", "usr/bin");
        let first = bytes(&one);
        std::fs::write(&source, "elf").unwrap();
        let mut two = Layer::new();
        two.symlink("bin", "usr/bin")
            .file("/etc/passwd", 0o644, "root\n")
            .binary("usr/local/bin/x", source);
        assert_eq!(first, bytes(&two));
    }

    #[test]
    fn parents_come_before_children_and_belong_to_root() {
        let mut layer = Layer::new();
        layer.file("a/b/c", 0o600, "x").owned("a/b/c", 65532);
        let tar = bytes(&layer);
        let mut archive = tar::Archive::new(tar.as_slice());
        let seen: Vec<_> = archive
            .entries()
            .unwrap()
            .map(|e| {
                let e = e.unwrap();
                let h = e.header();
                (
                    e.path().unwrap().display().to_string(),
                    h.uid().unwrap(),
                    h.mode().unwrap(),
                    h.mtime().unwrap(),
                )
            })
            .collect();
        let wanted = [
            ("a/", 0, 0o755, 0),
            ("a/b/", 0, 0o755, 0),
            ("a/b/c", 65532, 0o600, 0),
        ];
        assert_eq!(seen, wanted.map(|(p, u, m, t)| (p.to_owned(), u, m, t)));
    }
}
