//! Making a backup while the platform runs.

use std::{
    fs::{self, File},
    io::{self, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
};

use async_trait::async_trait;
use ports::Clock;
use store::SqliteStore;
use types::{Fault, Secret};
use vault::SealedWriter;

use super::{AUTH, Backup, DATABASE, DESCRIPTION, Description, FILES, FORMAT, failed};
use crate::state_dir::StateDir;

/// A key that is replaced just then changes its file: then the snapshot is taken again.
const ATTEMPTS: usize = 20;

pub struct StateBackup {
    pub state: StateDir,
    pub store: SqliteStore,
    pub clock: Arc<dyn Clock>,
}

#[async_trait]
impl Backup for StateBackup {
    async fn make(&self, passphrase: Secret) -> Result<File, Fault> {
        let dir = self.state.uploads();
        for _ in 0..ATTEMPTS {
            let keys = read(&self.state.auth())?;
            let snapshot = tempfile::NamedTempFile::new_in(&dir);
            let snapshot = snapshot.map_err(|error| failed("a place for the snapshot", error))?;
            let copied = self.store.snapshot(snapshot.path()).await;
            copied.map_err(app::records::fault)?;
            // A key is kept before anything is sealed under it, and dropped after: with the same keys before and after
            // the snapshot, every row of it opens with them.
            if read(&self.state.auth())? != keys {
                continue;
            }
            let description = Description {
                format: FORMAT,
                made: api::moment::to_wire(self.clock.now()),
                version: format!("v{}", env!("CARGO_PKG_VERSION")),
            };
            let state = self.state.path().to_owned();
            let into =
                tempfile::tempfile_in(&dir).map_err(|error| failed("a place for the backup", error))?;
            let write = move || seal(into, &passphrase, &description, snapshot.path(), &state, keys);
            let written = tokio::task::spawn_blocking(write).await;
            return written.map_err(|error| Fault::internal("backup", error.to_string()))?;
        }
        Err(Fault::unavailable(
            "backup-keys-changing",
            "the master keys changed whenever a snapshot was taken",
            "wait until `cloud admin keys` shows one key, then try again",
        ))
    }
}

/// Small files by name.
type Files = Vec<(PathBuf, zeroize::Zeroizing<Vec<u8>>)>;

fn read(auth: &Path) -> Result<Files, Fault> {
    let unreadable = |error: io::Error| failed(&auth.display().to_string(), error);
    let mut files = Files::new();
    for entry in fs::read_dir(auth).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        // A draft may be gone before it is read; it is nobody's yet.
        let is_draft = path.extension().is_some_and(|extension| extension == "new");
        if path.is_file() && !is_draft {
            let content = fs::read(&path).map_err(unreadable)?;
            files.push((path.file_name().unwrap_or_default().into(), content.into()));
        }
    }
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(files)
}

fn seal(
    into: File,
    passphrase: &Secret,
    description: &Description,
    database: &Path,
    state: &Path,
    auth: Files,
) -> Result<File, Fault> {
    let mut archive = tar::Builder::new(SealedWriter::new(into, passphrase)?);
    let mut add = |name: &Path, content: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o600);
        archive
            .append_data(&mut header, name, content)
            .map_err(|error| failed(&name.display().to_string(), error))
    };
    let text = serde_json::to_vec(description).map_err(|error| failed(DESCRIPTION, error))?;
    add(Path::new(DESCRIPTION), &text)?;
    for (name, content) in &auth {
        add(&Path::new(AUTH).join(name), content)?;
    }
    for name in FILES {
        match fs::read(state.join(name)).map(zeroize::Zeroizing::new) {
            Ok(content) => add(Path::new(name), &content)?,
            // The client file may have been moved to where its user wants it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(name, error)),
        }
    }
    archive
        .append_path_with_name(database, DATABASE)
        .map_err(|error| failed(DATABASE, error))?;
    let sealed = archive
        .into_inner()
        .map_err(|error| failed("the archive's end", error))?;
    let mut file = sealed.finish()?;
    file.seek(SeekFrom::Start(0))
        .map_err(|error| failed("the backup", error))?;
    Ok(file)
}
