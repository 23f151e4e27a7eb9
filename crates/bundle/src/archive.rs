//! Reads a user's image archive, as `docker save` or an OCI tool writes it, and trusts nothing in it: sizes are bounded, paths
//! cannot leave the archive, every digest is computed here and compared.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read};
use std::path::{Component, Path, PathBuf};

use crate::Digest;
use crate::cache::{CacheError, Descriptor, Scratch, io_error};
use crate::digest::{HashWriter, copy};

/// Bounds on what an archive may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub entries: usize,
    pub bytes: u64,
    /// Size of one JSON document.
    pub document: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: 100_000,
            bytes: 64 << 30,
            document: 8 << 20,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("the archive cannot be read")]
    Read { source: io::Error },
    #[error("the archive is not a docker or OCI image archive: {found}")]
    NotAnImage { found: String },
    #[error("the archive is malformed: {found}")]
    Malformed { found: String },
    #[error("the archive is refused: {found}")]
    Hostile { found: String },
    #[error("the archive does not say what its image is called")]
    Unnamed,
    #[error("no image called {name:?} was loaded")]
    Unknown { name: String },
    #[error(transparent)]
    Cache(#[from] CacheError),
}

impl ArchiveError {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Read { .. } => "archive_unreadable",
            Self::NotAnImage { .. } => "archive_not_an_image",
            Self::Malformed { .. } => "archive_malformed",
            Self::Hostile { .. } => "archive_refused",
            Self::Unnamed => "archive_unnamed",
            Self::Unknown { .. } => "image_not_loaded",
            Self::Cache(e) => e.code(),
        }
    }

    pub fn remedy(&self) -> String {
        match self {
            Self::Read { .. } => "check that the file is a complete tar or tar.gz".into(),
            Self::NotAnImage { .. } => "make the file with `docker save name:tag -o app.tar` or as an OCI archive".into(),
            Self::Malformed { .. } => "make the archive again; it may have been cut off or changed".into(),
            Self::Hostile { .. } => "do not use this archive; make one from a source you trust".into(),
            Self::Unnamed => {
                "save it under a name and tag (`docker save name:tag`), or set org.opencontainers.image.ref.name to the full name"
                    .into()
            }
            Self::Unknown { .. } => "list the loaded images to see their names".into(),
            Self::Cache(e) => e.remedy(),
        }
    }
}

/// The files of an archive, staged on disk with their digests.
pub(crate) struct Staged {
    files: BTreeMap<String, (PathBuf, Descriptor)>,
    links: BTreeMap<String, String>,
    limits: Limits,
}

impl Staged {
    /// Unpacks a tar, gzipped or not, into `scratch` under names of our own.
    pub(crate) fn read(input: impl Read, scratch: &Scratch, limits: Limits) -> Result<Self, ArchiveError> {
        let mut input = BufReader::with_capacity(256 * 1024, input);
        let mut magic = [0; 2];
        let got = read_up_to(&mut input, &mut magic).map_err(|source| ArchiveError::Read { source })?;
        let input = io::Cursor::new(magic).take(got as u64).chain(input);
        if magic == [0x1f, 0x8b] {
            Self::unpack(flate2::read::MultiGzDecoder::new(input), scratch, limits)
        } else {
            Self::unpack(input, scratch, limits)
        }
    }

    fn unpack(input: impl Read, scratch: &Scratch, limits: Limits) -> Result<Self, ArchiveError> {
        let unreadable = |source| ArchiveError::Read { source };
        let mut staged = Self {
            files: BTreeMap::new(),
            links: BTreeMap::new(),
            limits,
        };
        let mut total = 0u64;
        let mut archive = tar::Archive::new(input);
        for (count, entry) in archive.entries().map_err(unreadable)?.enumerate() {
            let mut entry = entry.map_err(unreadable)?;
            total = total.saturating_add(entry.size());
            if count >= limits.entries || total > limits.bytes {
                let found = format!("more than {} entries or {} bytes", limits.entries, limits.bytes);
                return Err(ArchiveError::Hostile { found });
            }
            let path = entry.path().map_err(unreadable)?.into_owned();
            let name = inside(Path::new(""), &path)?;
            let kind = entry.header().entry_type();
            if kind.is_symlink() || kind.is_hard_link() {
                let target = entry
                    .link_name()
                    .map_err(unreadable)?
                    .unwrap_or_default()
                    .into_owned();
                let base = if kind.is_symlink() {
                    Path::new(&name).parent().unwrap_or(Path::new(""))
                } else {
                    Path::new("")
                };
                staged.links.insert(name.clone(), inside(base, &target)?);
            } else if kind.is_file() {
                let place = scratch.path().join(count.to_string());
                let blob = stage(&mut entry, &place)?;
                staged.files.insert(name, (place, blob));
            } else if !kind.is_dir() {
                return Err(ArchiveError::Hostile {
                    found: format!("{name:?} is a device or another special file"),
                });
            }
        }
        Ok(staged)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// A file by its name in the archive, through at most a few links.
    pub(crate) fn get(&self, name: &str) -> Option<&(PathBuf, Descriptor)> {
        let mut name = name.trim_start_matches("./");
        for _ in 0..4 {
            if let Some(file) = self.files.get(name) {
                return Some(file);
            }
            name = self.links.get(name)?;
        }
        None
    }

    pub(crate) fn require(&self, name: &str) -> Result<&(PathBuf, Descriptor), ArchiveError> {
        self.get(name).ok_or_else(|| ArchiveError::Malformed {
            found: format!("{name:?} is missing"),
        })
    }

    /// A blob of an OCI layout, with the size and digest it is said to have.
    pub(crate) fn blob(&self, wanted: &Descriptor) -> Result<&Path, ArchiveError> {
        let name = format!("blobs/sha256/{}", wanted.digest.hex());
        let (path, found) = self.require(&name)?;
        if found != wanted {
            return Err(ArchiveError::Malformed {
                found: format!("{name:?} does not have its digest and size"),
            });
        }
        Ok(path)
    }

    /// Parses a JSON document of the archive.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T, ArchiveError> {
        let (path, blob) = self.require(name)?;
        if blob.size > self.limits.document {
            return Err(ArchiveError::Hostile {
                found: format!("{name:?} is {} bytes long", blob.size),
            });
        }
        let text = std::fs::read(path).map_err(io_error("read", path))?;
        serde_json::from_slice(&text).map_err(|e| ArchiveError::Malformed {
            found: format!("{name:?}: {e}"),
        })
    }
}

fn stage(entry: &mut impl Read, place: &Path) -> Result<Descriptor, ArchiveError> {
    let out = File::create(place).map_err(io_error("create", place))?;
    let mut out = HashWriter::new(BufWriter::with_capacity(256 * 1024, out));
    let size = copy(entry, &mut out).map_err(|source| {
        // A full disk is ours, anything else is the archive's.
        if crate::cache::is_disk_full(&source) {
            ArchiveError::Cache(io_error("write", place)(source))
        } else {
            ArchiveError::Read { source }
        }
    })?;
    io::Write::flush(&mut out).map_err(io_error("write", place))?;
    Ok(Descriptor {
        digest: out.finish().0,
        size,
    })
}

/// Joins without ever leaving the archive; the result has no `.` or `..`.
fn inside(base: &Path, path: &Path) -> Result<String, ArchiveError> {
    let hostile = || ArchiveError::Hostile {
        found: format!("{path:?} points outside of it"),
    };
    let mut parts: Vec<String> = base.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => parts.push(name.to_str().ok_or_else(hostile)?.to_owned()),
            Component::ParentDir => drop(parts.pop().ok_or_else(hostile)?),
            Component::RootDir | Component::Prefix(_) => return Err(hostile()),
        }
    }
    Ok(parts.join("/"))
}

/// Digest of a layer's tar, whether or not the layer is gzipped.
pub(crate) fn diff_id(path: &Path) -> Result<(Digest, bool), ArchiveError> {
    let unreadable = |source| ArchiveError::Read { source };
    let mut magic = [0; 2];
    let got = File::open(path)
        .and_then(|mut f| read_up_to(&mut f, &mut magic))
        .map_err(unreadable)?;
    let file = BufReader::with_capacity(256 * 1024, File::open(path).map_err(unreadable)?);
    if got == 2 && magic == [0x1f, 0x8b] {
        let (digest, _) = Digest::of_reader(flate2::read::MultiGzDecoder::new(file)).map_err(unreadable)?;
        return Ok((digest, true));
    }
    Ok((Digest::of_reader(file).map_err(unreadable)?.0, false))
}

fn read_up_to(reader: &mut impl Read, buf: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < buf.len() {
        match reader.read(&mut buf[got..])? {
            0 => break,
            n => got += n,
        }
    }
    Ok(got)
}
