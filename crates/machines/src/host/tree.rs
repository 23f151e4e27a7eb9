//! Writing into a directory tree that somebody else controls. Every path is resolved by the kernel as if the tree were
//! the whole world, so no link inside it leads out.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::MetadataExt,
    },
    path::{Component, Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags, openat, openat2},
    io::Errno,
};

use crate::error::{Context, MachineError, Result};

const CHUNK: usize = 64 * 1024;

pub struct Tree {
    top: OwnedFd,
    shown_as: PathBuf,
}

impl Tree {
    pub fn open(dir: &Path) -> Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let top = openat(CWD, dir, flags, Mode::empty()).doing("open", dir)?;
        Ok(Self {
            top,
            shown_as: dir.to_owned(),
        })
    }

    /// The directory at `path`, made with its parents where it is missing.
    pub fn directory(&self, path: &Path) -> Result<OwnedFd> {
        let mut at = PathBuf::new();
        let mut current = self
            .look(Path::new("."), OFlags::PATH | OFlags::DIRECTORY)
            .doing("open", &self.shown_as)?;
        for component in inside(path)?.components() {
            at.push(component);
            current = match self.look(&at, OFlags::PATH | OFlags::DIRECTORY) {
                Err(Errno::NOENT) => {
                    match rustix::fs::mkdirat(&current, component.as_os_str(), Mode::from_raw_mode(0o755)) {
                        // Said again: our own umask is not the machine's business.
                        Ok(()) => rustix::fs::chmodat(
                            &current,
                            component.as_os_str(),
                            Mode::from_raw_mode(0o755),
                            AtFlags::empty(),
                        )
                        .doing("make", &self.shown_as.join(&at))?,
                        Err(Errno::EXIST) => {}
                        Err(error) => return Err(error).doing("make", &self.shown_as.join(&at)),
                    }
                    self.look(&at, OFlags::PATH | OFlags::DIRECTORY)
                }
                other => other,
            }
            .doing("open", &self.shown_as.join(&at))?;
        }
        Ok(current)
    }

    /// Puts the file there, whole; false if it was there already, the same.
    pub fn write(&self, path: &Path, mode: u32, content: &[u8]) -> Result<bool> {
        if self.holds(path, mode, content.len() as u64, content) {
            return Ok(false);
        }
        self.put(path, mode, content)
    }

    /// The same with a file of the host, which may be large: it is never in memory.
    pub fn copy(&self, path: &Path, mode: u32, from: &Path) -> Result<bool> {
        let open = || File::open(from).doing("read", from);
        let source = open()?;
        let length = source.metadata().doing("read", from)?.len();
        if self.holds(path, mode, length, source) {
            return Ok(false);
        }
        self.put(path, mode, open()?)
    }

    fn put(&self, path: &Path, mode: u32, mut content: impl Read) -> Result<bool> {
        let shown = self.shown_as.join(inside(path)?);
        let (dir, name) = self.parent_of(path)?;
        let temporary = format!(".{}.making", name.to_string_lossy());
        let _ = rustix::fs::unlinkat(&dir, &temporary, AtFlags::empty());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file =
            File::from(openat(&dir, &temporary, flags, Mode::from_raw_mode(0o600)).doing("create", &shown)?);
        let written = io::copy(&mut content, &mut file)
            .and_then(|_| rustix::fs::fchmod(&file, Mode::from_raw_mode(mode)).map_err(Into::into))
            .doing("write", &shown)
            .and_then(|()| rustix::fs::renameat(&dir, &temporary, &dir, name).doing("write", &shown));
        if written.is_err() {
            let _ = rustix::fs::unlinkat(&dir, &temporary, AtFlags::empty());
        }
        written.map(|()| true)
    }

    pub fn link(&self, path: &Path, target: &str) -> Result<()> {
        let shown = self.shown_as.join(inside(path)?);
        let (dir, name) = self.parent_of(path)?;
        if rustix::fs::readlinkat(&dir, name, Vec::new()).is_ok_and(|now| now.as_bytes() == target.as_bytes())
        {
            return Ok(());
        }
        let _ = rustix::fs::unlinkat(&dir, name, AtFlags::empty());
        rustix::fs::symlinkat(target, &dir, name).doing("link", &shown)
    }

    pub fn remove(&self, path: &Path) -> Result<()> {
        let (dir, name) = self.parent_of(path)?;
        match rustix::fs::unlinkat(&dir, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error).doing("remove", &self.shown_as.join(inside(path)?)),
        }
    }

    /// Whether anything, a link included, has this name.
    pub fn exists(&self, path: &Path) -> Result<bool> {
        let (dir, name) = self.parent_of(path)?;
        match rustix::fs::statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error).doing("look at", &self.shown_as.join(inside(path)?)),
        }
    }

    fn parent_of<'a>(&self, path: &'a Path) -> Result<(OwnedFd, &'a std::ffi::OsStr)> {
        let name = path
            .file_name()
            .ok_or_else(|| MachineError::Path(path.to_owned()))?;
        let parent = path.parent().ok_or_else(|| MachineError::Path(path.to_owned()))?;
        Ok((self.directory(parent)?, name))
    }

    fn holds(&self, path: &Path, mode: u32, length: u64, content: impl Read) -> bool {
        let Ok(path) = inside(path) else { return false };
        // Not blocked by a pipe somebody put there.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW;
        let Ok(file) = self.look(path, flags) else {
            return false;
        };
        let file = File::from(file);
        let Ok(now) = file.metadata() else { return false };
        let alike = now.is_file() && now.mode() & 0o7777 == mode && now.len() == length;
        alike && same(file, content)
    }

    fn look(&self, path: &Path, flags: OFlags) -> std::result::Result<OwnedFd, Errno> {
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        openat2(
            self.top.as_fd(),
            path,
            flags | OFlags::CLOEXEC,
            Mode::empty(),
            resolve,
        )
    }
}

fn same(one: impl Read, other: impl Read) -> bool {
    let mut one = BufReader::with_capacity(CHUNK, one);
    let mut other = BufReader::with_capacity(CHUNK, other);
    loop {
        let (Ok(left), Ok(right)) = (one.fill_buf(), other.fill_buf()) else {
            return false;
        };
        let count = left.len().min(right.len());
        if count == 0 {
            return left.len() == right.len();
        }
        if left[..count] != right[..count] {
            return false;
        }
        one.consume(count);
        other.consume(count);
    }
}

/// An absolute path as one below the tree's top.
fn inside(path: &Path) -> Result<&Path> {
    let plain = |c: Component<'_>| matches!(c, Component::RootDir | Component::Normal(_));
    match path.strip_prefix("/") {
        Ok(below) if path.components().all(plain) => Ok(below),
        _ => Err(MachineError::Path(path.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_inside_does_not_lead_out() {
        let outside = tempfile::tempdir().unwrap();
        let top = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), top.path().join("etc")).unwrap();
        let tree = Tree::open(top.path()).unwrap();
        // Resolved inside the tree, where the target does not exist.
        assert!(tree.write(Path::new("/etc/passwd"), 0o644, b"x").is_err());
        assert!(std::fs::read_dir(outside.path()).unwrap().next().is_none());
        assert!(tree.write(Path::new("/a/../../b"), 0o644, b"x").is_err());
    }

    #[test]
    fn a_host_file_is_copied_when_it_differs() {
        let (top, host) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let tree = Tree::open(top.path()).unwrap();
        let (from, to) = (host.path().join("program"), Path::new("/bin/program"));
        let mut content = vec![7u8; 3 * CHUNK + 5];
        std::fs::write(&from, &content).unwrap();
        assert!(tree.copy(to, 0o755, &from).unwrap());
        assert!(!tree.copy(to, 0o755, &from).unwrap());
        assert!(tree.copy(to, 0o700, &from).unwrap());
        content[2 * CHUNK] = 8;
        std::fs::write(&from, &content).unwrap();
        assert!(tree.copy(to, 0o700, &from).unwrap());
        assert_eq!(std::fs::read(top.path().join("bin/program")).unwrap(), content);
        assert!(tree.copy(to, 0o700, &host.path().join("gone")).is_err());
    }

    #[test]
    fn a_file_is_written_once_and_replaced_when_it_differs() {
        let top = tempfile::tempdir().unwrap();
        let tree = Tree::open(top.path()).unwrap();
        let path = Path::new("/a/b/c");
        assert!(tree.write(path, 0o640, b"one").unwrap());
        assert!(!tree.write(path, 0o640, b"one").unwrap());
        assert!(tree.write(path, 0o600, b"one").unwrap());
        assert!(tree.write(path, 0o600, b"two").unwrap());
        assert_eq!(std::fs::read(top.path().join("a/b/c")).unwrap(), b"two");
        tree.remove(path).unwrap();
        tree.remove(path).unwrap();
    }
}
