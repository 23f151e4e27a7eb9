//! The file itself: who may open or make it now, what is there, and how a new one appears whole.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use ports::store::StoreError;

const PRIVATE: u32 = 0o600;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Absent,
    Present,
}

/// Held while a store is made, checked or migrated, so that two processes do not do it at once. Ends with the process.
pub(crate) struct Turn {
    _lock: File,
}

pub(crate) async fn take_turn(path: &Path) -> Result<Turn, StoreError> {
    let lock_path = beside(path, ".lock");
    let locked = tokio::task::spawn_blocking(move || {
        let lock = private_file(&lock_path, false)?;
        lock.lock()?;
        Ok::<File, io::Error>(lock)
    });
    let lock = locked.await.map_err(io::Error::other).and_then(|locked| locked);
    lock.map(|lock| Turn { _lock: lock })
        .map_err(failed("lock the store's place"))
}

/// Nothing there is the first start; an empty file, or a log without its database, is damage.
pub(crate) fn presence(path: &Path) -> Result<Presence, StoreError> {
    let damaged = |detail: &str| {
        Err(StoreError::Corrupt {
            place: path.display().to_string(),
            detail: detail.to_owned(),
        })
    };
    match fs::metadata(path) {
        Ok(meta) if !meta.is_file() => damaged("it is not a regular file"),
        Ok(meta) if meta.len() == 0 => damaged("the file is empty; it was truncated after it was made"),
        Ok(_) => Ok(Presence::Present),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::metadata(beside(path, "-wal")) {
            Ok(meta) if meta.len() > 0 => damaged("the database is gone, but its write-ahead log is there"),
            Ok(_) | Err(_) => Ok(Presence::Absent),
        },
        Err(error) => Err(failed("look at the store's file")(error)),
    }
}

/// Whether the file ends inside a page, which SQLite itself overlooks. With a log it may: a killed checkpoint is repeated.
pub(crate) fn is_cut(path: &Path, page_size: i64) -> Result<bool, StoreError> {
    let length = fs::metadata(path)
        .map_err(failed("look at the store's file"))?
        .len();
    let has_log = fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
    Ok(!has_log && u64::try_from(page_size).is_ok_and(|page| !length.is_multiple_of(page)))
}

/// Where a new store is prepared, empty and private. What a killed process left there is cleared first.
pub(crate) fn clear_draft(path: &Path) -> Result<PathBuf, StoreError> {
    let draft = beside(path, ".new");
    discard_draft(&draft).map_err(failed("clear an unfinished store"))?;
    private_file(&draft, true).map_err(failed("make the store's file"))?;
    Ok(draft)
}

pub(crate) fn discard_draft(draft: &Path) -> io::Result<()> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        match fs::remove_file(beside(draft, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// The finished draft takes its name, durably.
pub(crate) fn publish(draft: &Path, path: &Path) -> Result<(), StoreError> {
    let publish = || {
        File::open(draft)?.sync_all()?;
        fs::rename(draft, path)?;
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        File::open(parent)?.sync_all()
    };
    publish().map_err(failed("put the new store in its place"))
}

pub(crate) fn make_private(path: &Path) -> Result<(), StoreError> {
    fs::set_permissions(path, Permissions::from_mode(PRIVATE))
        .map_err(failed("make the store's file private"))
}

fn private_file(path: &Path, new: bool) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(!new)
        .create_new(new)
        .mode(PRIVATE)
        .open(path)
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn failed(op: &'static str) -> impl Fn(io::Error) -> StoreError {
    move |error| match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full,
        _ => StoreError::Failed {
            op,
            source: Box::new(error),
        },
    }
}
