//! Writing into a directory tree that somebody else controls. Every path is resolved by the kernel as if the tree were
//! the whole world, so no link inside it leads out.

use std::{
    fs::File,
    io::{Read, Write},
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
        if self.holds(path, mode, content) {
            return Ok(false);
        }
        let shown = self.shown_as.join(inside(path)?);
        let (dir, name) = self.parent_of(path)?;
        let temporary = format!(".{}.making", name.to_string_lossy());
        let _ = rustix::fs::unlinkat(&dir, &temporary, AtFlags::empty());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file =
            File::from(openat(&dir, &temporary, flags, Mode::from_raw_mode(0o600)).doing("create", &shown)?);
        let written = file
            .write_all(content)
            .and_then(|()| rustix::fs::fchmod(&file, Mode::from_raw_mode(mode)).map_err(Into::into))
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

    fn holds(&self, path: &Path, mode: u32, content: &[u8]) -> bool {
        let Ok(path) = inside(path) else { return false };
        // Not blocked by a pipe somebody put there.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW;
        let Ok(file) = self.look(path, flags) else {
            return false;
        };
        let mut file = File::from(file);
        let Ok(now) = file.metadata() else { return false };
        let same = now.is_file() && now.mode() & 0o7777 == mode && now.len() == content.len() as u64;
        let mut bytes = Vec::new();
        same && file.read_to_end(&mut bytes).is_ok() && bytes == content
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
