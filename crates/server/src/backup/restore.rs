//! Putting a backup back, with no daemon running: `cloudd restore`.
//!
//! Everything is unpacked beside its place and checked to the last byte before anything is moved there; the database goes
//! last. Killed on the way, the restore is begun again from the start; until then cloudd refuses to run on half of it.
//!
//! What is below the state directory and not in a backup (machines, volumes, images) is left as it is: running machines
//! carry the instance mark, and the platform finds them by it.

use std::{
    fs::{self, File},
    io::{self, BufReader, Read},
    path::{Component, Path, PathBuf},
};

use store::SqliteStore;
use types::{Fault, Secret};
use vault::SealedReader;

use super::{AUTH, DATABASE, DESCRIPTION, Description, FILES, FORMAT, failed};
use crate::{config::Config, lock::Lock, state_dir::StateDir};

/// Below the state directory while it is under way.
const STAGE: &str = "restore.new";
/// What belongs to a database and must not be there beside another.
const DATABASE_FILES: [&str; 3] = ["platform.db", "platform.db-wal", "platform.db-shm"];

/// What was put back.
pub struct Restored {
    pub made: String,
    pub version: String,
    pub files: Vec<PathBuf>,
}

/// Refuses a directory in which a restore was begun and not ended.
pub fn refuse_half(state: &StateDir) -> Result<(), Fault> {
    if !state.path().join(STAGE).exists() {
        return Ok(());
    }
    Err(Fault::refused(
        "restore-unfinished",
        format!(
            "a restore into {} was begun and did not end",
            state.path().display()
        ),
        "run `cloudd restore` again with the same backup",
    ))
}

pub async fn run(config: &Config, from: &Path, passphrase: &Path) -> Result<Restored, Fault> {
    let passphrase = read_passphrase(passphrase)?;
    let file = File::open(from).map_err(|error| unreadable(from, &error))?;
    let reader = SealedReader::new(BufReader::new(file), &passphrase)?;
    let state = StateDir::prepare(&config.state_dir)?;
    let _lock = Lock::take(&state)?;
    let stage = state.path().join(STAGE);
    if !stage.exists() {
        refuse_occupied(&state)?;
    }
    clear(&stage)?;
    let unpacked = unpack(reader, from, &stage);
    // Nothing was moved yet: a file that is no backup leaves the directory as it was.
    let (description, files) = match unpacked {
        Ok(unpacked) => unpacked,
        Err(fault) => {
            let _ = fs::remove_dir_all(&stage);
            return Err(fault);
        }
    };
    let store = SqliteStore::open(stage.join(DATABASE))
        .await
        .map_err(app::records::fault)?;
    let caught_up = app::restored::catch_up(&store).await;
    store.close().await;
    caught_up?;
    place(state.path(), &stage, &files)?;
    Ok(Restored {
        made: description.made,
        version: description.version,
        files,
    })
}

fn read_passphrase(path: &Path) -> Result<Secret, Fault> {
    let text = fs::read(path).map(zeroize::Zeroizing::new).map_err(|error| {
        Fault::invalid(
            "passphrase-unreadable",
            format!("{} cannot be read: {error}", path.display()),
            "name the file with the passphrase that the backup was made with",
        )
    })?;
    Ok(Secret::new(text.trim_ascii()))
}

fn refuse_occupied(state: &StateDir) -> Result<(), Fault> {
    let mut there: Vec<PathBuf> = FILES
        .iter()
        .chain(&DATABASE_FILES)
        .map(|name| state.path().join(name))
        .filter(|path| path.exists())
        .collect();
    let auth = fs::read_dir(state.auth()).map_err(|error| unreadable(&state.auth(), &error))?;
    there.extend(auth.flatten().map(|entry| entry.path()));
    match there.first() {
        None => Ok(()),
        Some(path) => Err(Fault::conflict(
            "restore-occupied",
            format!(
                "{} is there: this is a platform's state, and would be written over",
                path.display()
            ),
            "restore into a directory without one; or move platform.db*, auth, instance and client.toml away first, and \
             leave machines, volumes and images where they are",
        )),
    }
}

fn clear(stage: &Path) -> Result<(), Fault> {
    match fs::remove_dir_all(stage) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(failed("an unfinished restore", error));
        }
        Ok(()) | Err(_) => {}
    }
    fs::create_dir_all(stage.join(AUTH)).map_err(|error| failed("a place for the restore", error))
}

fn unpack(reader: impl Read, from: &Path, stage: &Path) -> Result<(Description, Vec<PathBuf>), Fault> {
    let damaged = |error: io::Error| unreadable(from, &error);
    let mut archive = tar::Archive::new(reader);
    let mut files = Vec::new();
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let name = entry.path().map_err(damaged)?.into_owned();
        if !is_ours(&name) || !entry.header().entry_type().is_file() {
            return Err(Fault::invalid(
                "backup-format",
                format!("the backup holds {}, which is not of a backup", name.display()),
                "give a file that `cloud admin backup` made",
            ));
        }
        let mut file =
            private(&stage.join(&name)).map_err(|error| failed(&name.display().to_string(), error))?;
        io::copy(&mut entry, &mut file).map_err(damaged)?;
        file.sync_all()
            .map_err(|error| failed(&name.display().to_string(), error))?;
        if name != Path::new(DESCRIPTION) {
            files.push(name);
        }
    }
    // To the last byte, also behind the archive's end.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(damaged)?;
    let text = fs::read(stage.join(DESCRIPTION)).map_err(damaged)?;
    let description: Description =
        serde_json::from_slice(&text).map_err(|error| failed(DESCRIPTION, error))?;
    if description.format != FORMAT || !files.iter().any(|name| name == Path::new(DATABASE)) {
        return Err(Fault::invalid(
            "backup-format",
            format!(
                "the backup was made by release {} in a form this one does not know",
                description.version
            ),
            "restore it with that release, or a newer one",
        ));
    }
    Ok((description, files))
}

fn is_ours(name: &Path) -> bool {
    let parts: Vec<Component<'_>> = name.components().collect();
    match parts[..] {
        [Component::Normal(file)] => {
            file == DESCRIPTION || file == DATABASE || FILES.iter().any(|known| file == *known)
        }
        [Component::Normal(dir), Component::Normal(_)] => dir == AUTH,
        _ => false,
    }
}

fn private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// The database last: with it the directory is a platform's.
fn place(state: &Path, stage: &Path, files: &[PathBuf]) -> Result<(), Fault> {
    let (database, others): (Vec<_>, Vec<_>) = files.iter().partition(|name| *name == Path::new(DATABASE));
    for name in others.into_iter().chain(database) {
        fs::rename(stage.join(name), state.join(name))
            .map_err(|error| failed(&name.display().to_string(), error))?;
    }
    let synced = [state.join(AUTH), state.to_owned()]
        .iter()
        .try_for_each(|dir| File::open(dir)?.sync_all());
    synced.map_err(|error| failed("the state directory", error))?;
    fs::remove_dir_all(stage).map_err(|error| failed("what the restore left", error))
}

fn unreadable(path: &Path, error: &io::Error) -> Fault {
    Fault::invalid(
        "backup-unreadable",
        format!("{} cannot be read: {error}", path.display()),
        "give the backup as it was made, and the passphrase it was made with",
    )
}
