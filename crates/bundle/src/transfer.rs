//! One file that carries a bundle to a site without a network: a tar with the manifest first, then every blob by its digest.
//!
//! Guarantees: an export appears under its name only when it is complete; an import checks every byte before anything becomes
//! visible, and leaves nothing behind when it refuses.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use tar::{EntryType, Header};

use crate::bundle::Bundle;
use crate::cache::{Cache, CacheError, Descriptor, Scratch, io_error, require_free, sync_dir};
use crate::digest::{HashWriter, copy};
use crate::manifest::Manifest;
use crate::{Error, Event, Progress};

const MANIFEST: &str = "bundle.json";
const BLOBS: &str = "blobs/sha256/";
/// A manifest is some tens of kilobytes.
const MANIFEST_LIMIT: u64 = 16 << 20;

#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error("{} is not a complete bundle: {found}", file.display())]
    Malformed { file: PathBuf, found: String },
    #[error("{} is a bundle for {theirs}, this machine is {ours}", file.display())]
    Architecture {
        file: PathBuf,
        theirs: String,
        ours: String,
    },
    #[error("the bundle in the cache is damaged: {} does not have its digest", path.display())]
    Damaged { path: PathBuf },
}

impl TransferError {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Malformed { .. } => "bundle_malformed",
            Self::Architecture { .. } => "architecture_unsupported",
            Self::Damaged { .. } => "cache_corrupt",
        }
    }

    pub fn remedy(&self) -> String {
        match self {
            Self::Malformed { .. } => {
                "copy or export the file again and compare its size with the original".into()
            }
            Self::Architecture { ours, .. } => format!("export the bundle on an {ours} machine"),
            Self::Damaged { .. } => {
                "run `cloud bundle build` for this version again: it replaces damaged parts".into()
            }
        }
    }
}

/// Writes a bundle into one file.
pub fn export(bundle: &Bundle, file: &Path) -> Result<(), Error> {
    let mut partial = file.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let result = write_archive(bundle, &partial).and_then(|()| {
        fs::rename(&partial, file).map_err(io_error("rename", file))?;
        let dir = file
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        Ok(sync_dir(dir)?)
    });
    if result.is_err() {
        let _ = fs::remove_file(&partial);
    }
    result
}

fn write_archive(bundle: &Bundle, path: &Path) -> Result<(), Error> {
    let dir = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    require_free(dir, bundle.manifest().size() + (64 << 20))?;
    let out = File::create(path).map_err(io_error("create", path))?;
    let mut tar = tar::Builder::new(BufWriter::with_capacity(256 * 1024, out));
    let manifest = bundle.manifest().to_bytes();
    append(&mut tar, MANIFEST, manifest.len() as u64, manifest.as_slice())
        .map_err(io_error("write", path))?;
    for blob in bundle.manifest().blobs() {
        let source = bundle.cache().blob_path(&blob.digest);
        let file = File::open(&source).map_err(io_error("open", &source))?;
        let mut hashed = HashReader {
            inner: file.take(blob.size),
            hash: HashWriter::new(io::sink()),
        };
        let name = format!("{BLOBS}{}", blob.digest.hex());
        append(&mut tar, &name, blob.size, &mut hashed).map_err(io_error("write", path))?;
        if hashed.hash.finish().0 != blob.digest {
            return Err(TransferError::Damaged { path: source }.into());
        }
    }
    let finish = || -> io::Result<()> {
        let mut out = tar.into_inner()?;
        out.flush()?;
        out.get_ref().sync_all()
    };
    Ok(finish().map_err(io_error("write", path))?)
}

fn append<W: Write>(tar: &mut tar::Builder<W>, name: &str, size: u64, data: impl Read) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_mode(0o644);
    header.set_mtime(0);
    header.set_size(size);
    tar.append_data(&mut header, name, data)
}

struct HashReader<R> {
    inner: R,
    hash: HashWriter<io::Sink>,
}

impl<R: Read> Read for HashReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.hash.write_all(&buf[..n])?;
        Ok(n)
    }
}

/// Takes over a bundle from a file made by [`export`] and makes it the current one of its version.
pub fn import(cache: &Cache, file: &Path, progress: &dyn Progress) -> Result<Bundle, Error> {
    let size = fs::metadata(file).map_err(io_error("read", file))?.len();
    let _lock = cache.lock(|| {
        let reason = format!(
            "another process is building or importing into {}",
            cache.root().display()
        );
        progress.on(Event::Waiting { reason });
    })?;
    // Once for the blobs and about as much for the trees.
    require_free(cache.root(), size.saturating_mul(2))?;
    let stage = cache.blobs().scratch()?;
    let manifest = read_archive(file, &stage)?;

    let executables: BTreeSet<_> = manifest
        .components
        .values()
        .map(|c| &c.blob)
        .chain(
            manifest
                .trees
                .values()
                .flat_map(|t| t.files.iter().map(|f| &f.blob)),
        )
        .cloned()
        .collect();
    let mut placed = Vec::new();
    let result =
        place(cache, &stage, &manifest, &executables, &mut placed).and_then(|()| cache.publish(manifest));
    if result.is_err() {
        for path in placed {
            let _ = fs::remove_file(path);
        }
    }
    Ok(result?)
}

fn place(
    cache: &Cache,
    stage: &Scratch,
    manifest: &Manifest,
    executables: &BTreeSet<Descriptor>,
    placed: &mut Vec<PathBuf>,
) -> Result<(), CacheError> {
    for blob in manifest.blobs() {
        let path = cache.blob_path(&blob.digest);
        if !path.exists() {
            placed.push(path);
        }
        cache
            .blobs()
            .adopt(&stage.path().join(blob.digest.hex()), executables.contains(blob))?;
    }
    Ok(())
}

/// Unpacks the archive into `stage`, checking every digest.
fn read_archive(file: &Path, stage: &Scratch) -> Result<Manifest, Error> {
    let malformed = |found: String| TransferError::Malformed {
        file: file.to_owned(),
        found,
    };
    let unreadable = |e: io::Error| malformed(e.to_string());
    let input = File::open(file).map_err(io_error("open", file))?;
    let mut archive = tar::Archive::new(BufReader::with_capacity(256 * 1024, input));
    let mut entries = archive.entries().map_err(unreadable)?;

    let mut first = match entries.next() {
        Some(entry) => entry.map_err(unreadable)?,
        None => return Err(malformed("it is empty".into()).into()),
    };
    if first.path_bytes().as_ref() != MANIFEST.as_bytes() || first.size() > MANIFEST_LIMIT {
        return Err(malformed(format!("it does not begin with {MANIFEST}")).into());
    }
    let mut bytes = Vec::new();
    first.read_to_end(&mut bytes).map_err(unreadable)?;
    let manifest = Manifest::parse(&bytes).map_err(malformed)?;
    check_architecture(file, &manifest)?;

    let mut wanted: BTreeMap<&str, &Descriptor> = manifest
        .blobs()
        .into_iter()
        .map(|b| (b.digest.hex(), b))
        .collect();
    for entry in entries {
        let mut entry = entry.map_err(unreadable)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let blob = name.strip_prefix(BLOBS).and_then(|hex| wanted.remove(hex));
        let Some(blob) = blob else {
            return Err(malformed(format!("{name:?} does not belong to it")).into());
        };
        let found = stage_blob(&mut entry, &stage.path().join(blob.digest.hex())).map_err(|e| match e {
            StageError::Read(e) => Error::from(unreadable(e)),
            StageError::Write(e) => e.into(),
        })?;
        if found != *blob {
            return Err(malformed(format!("{} has the content of {}", blob.digest, found.digest)).into());
        }
    }
    if let Some(missing) = wanted.values().next() {
        return Err(malformed(format!(
            "{} of its parts are missing, {} among them",
            wanted.len(),
            missing.digest
        ))
        .into());
    }
    Ok(manifest)
}

fn check_architecture(file: &Path, manifest: &Manifest) -> Result<(), Error> {
    let ours = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    if manifest.arch == ours {
        return Ok(());
    }
    let theirs = manifest.arch.clone();
    Err(TransferError::Architecture {
        file: file.to_owned(),
        theirs,
        ours: ours.to_owned(),
    }
    .into())
}

enum StageError {
    Read(io::Error),
    Write(CacheError),
}

fn stage_blob(entry: &mut impl Read, path: &Path) -> Result<Descriptor, StageError> {
    let out = File::create(path).map_err(|e| StageError::Write(io_error("create", path)(e)))?;
    let mut out = HashWriter::new(Reported {
        inner: out,
        failed: false,
    });
    let size = match copy(entry, &mut out) {
        Ok(size) => size,
        Err(e) if out.inner().failed => return Err(StageError::Write(io_error("write", path)(e))),
        Err(e) => return Err(StageError::Read(e)),
    };
    Ok(Descriptor {
        digest: out.finish().0,
        size,
    })
}

/// Tells a failed write from a failed read after a copy.
struct Reported {
    inner: File,
    failed: bool,
}

impl Write for Reported {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.inner.write(buf).inspect_err(|_| self.failed = true)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, flip_byte, listing};
    use crate::verify::verify;

    fn quiet(_: Event) {}

    fn exported(dir: &Path) -> (Bundle, PathBuf) {
        let bundle = fixture::bundle(&Cache::open(dir.join("from")).unwrap());
        let file = dir.join("v1.36.4.tar");
        export(&bundle, &file).unwrap();
        (bundle, file)
    }

    #[test]
    fn a_bundle_survives_the_journey() {
        let dir = tempfile::tempdir().unwrap();
        let (bundle, file) = exported(dir.path());
        let cache = Cache::open(dir.path().join("to")).unwrap();
        let imported = import(&cache, &file, &quiet).unwrap();
        assert_eq!(imported.digest(), bundle.digest());
        assert_eq!(verify(&imported), []);
        assert_eq!(cache.resolve("v1.36").unwrap().unwrap().digest(), bundle.digest());
        assert_eq!(cache.list().unwrap().len(), 1);
        assert_eq!(fs::read(imported.bin("kubelet").unwrap()).unwrap(), b"kubelet");
        import(&cache, &file, &quiet).unwrap();
        assert_eq!(
            fs::read_dir(dir.path()).unwrap().count(),
            3,
            "no partial file is left"
        );
    }

    #[test]
    fn a_truncated_file_is_refused_wherever_it_ends_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (_, file) = exported(dir.path());
        let whole = fs::read(&file).unwrap();
        let cache = Cache::open(dir.path().join("to")).unwrap();
        drop(cache.lock(|| {}).unwrap());
        let before = listing(cache.root());
        for end in [0, 100, 512, 700, 4096, whole.len() / 2, whole.len() - 3000] {
            let cut = dir.path().join("cut.tar");
            fs::write(&cut, &whole[..end]).unwrap();
            let error = import(&cache, &cut, &quiet).unwrap_err();
            assert_eq!(error.code(), "bundle_malformed", "cut at {end}: {error}");
            assert_eq!(listing(cache.root()), before, "cut at {end}");
        }
    }

    #[test]
    fn a_flipped_byte_anywhere_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (_, file) = exported(dir.path());
        let cache = Cache::open(dir.path().join("to")).unwrap();
        flip_byte(&file);
        assert_eq!(
            import(&cache, &file, &quiet).unwrap_err().code(),
            "bundle_malformed"
        );
        assert!(cache.list().unwrap().is_empty());
    }

    #[test]
    fn a_damaged_bundle_is_not_exported() {
        let dir = tempfile::tempdir().unwrap();
        let bundle = fixture::bundle(&Cache::open(dir.path().join("from")).unwrap());
        flip_byte(&bundle.bin("kubelet").unwrap());
        let file = dir.path().join("out.tar");
        assert_eq!(export(&bundle, &file).unwrap_err().code(), "cache_corrupt");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left");
    }

    #[test]
    fn entries_that_do_not_belong_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let bundle = fixture::bundle(&Cache::open(dir.path().join("from")).unwrap());
        let file = dir.path().join("evil.tar");
        let mut tar = tar::Builder::new(File::create(&file).unwrap());
        let manifest = bundle.manifest().to_bytes();
        append(&mut tar, MANIFEST, manifest.len() as u64, manifest.as_slice()).unwrap();
        append(&mut tar, "blobs/sha256/passwd", 4, &b"evil"[..]).unwrap();
        tar.finish().unwrap();
        let cache = Cache::open(dir.path().join("to")).unwrap();
        assert_eq!(
            import(&cache, &file, &quiet).unwrap_err().code(),
            "bundle_malformed"
        );
    }
}
