//! Opening: a new file is made whole beside its place and renamed; one that is there is looked at, read-only, before
//! anything may write to it; then it is brought to this release's schema.

use std::{path::Path, time::Duration};

use ports::store::StoreError;
use sqlx::{
    ConnectOptions, Connection, SqliteConnection, SqlitePool,
    migrate::Migrator,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use crate::{
    error::Trouble,
    place::{self, Presence},
};

static MIGRATOR: Migrator = sqlx::migrate!("migrations/sqlite");

/// 'PlCk', as the first migration writes it.
const APPLICATION_ID: i64 = 0x506c_436b;
/// How long one process waits for another's transaction.
const BUSY: Duration = Duration::from_secs(10);
const READERS: u32 = 2;
/// The log is cut back to this after a checkpoint, so that one big burst does not keep its disk space.
const LOG_LIMIT: &str = "8388608";

#[derive(Debug, thiserror::Error)]
#[error("it has schema {found}, this release knows {known}; start the release that wrote it, or a newer one")]
struct NewerSchema {
    found: i64,
    known: i64,
}

/// The one connection that writes, and those that read beside it.
#[derive(Debug, Clone)]
pub(crate) struct Pools {
    pub(crate) writer: SqlitePool,
    pub(crate) readers: SqlitePool,
}

pub(crate) async fn open(path: &Path) -> Result<Pools, StoreError> {
    let _turn = place::take_turn(path).await?;
    match place::presence(path)? {
        Presence::Absent => create(path).await?,
        Presence::Present => inspect(path)
            .await
            .map_err(|trouble| trouble.at(path, "look into the store"))?,
    }
    place::make_private(path)?;
    migrate(path)
        .await
        .map_err(|trouble| trouble.at(path, "bring the store to this release's schema"))?;
    connect(path)
        .await
        .map_err(|error| Trouble::from(error).at(path, "open the store"))
}

async fn create(path: &Path) -> Result<(), StoreError> {
    let draft = place::clear_draft(path)?;
    let made = migrate(&draft)
        .await
        .map_err(|trouble| trouble.at(&draft, "make the store"));
    let published = made.and_then(|()| place::publish(&draft, path));
    if published.is_err() {
        // The first error is the one to tell; what stays is cleared at the next start.
        let _ = place::discard_draft(&draft);
    }
    published
}

async fn migrate(path: &Path) -> Result<(), Trouble> {
    let mut db = writing(path).connect().await?;
    let migrated = MIGRATOR.run(&mut db).await;
    // Closing the last connection moves the log into the file, so that a draft is whole without it.
    db.close().await?;
    Ok(migrated?)
}

/// Refuses what is damaged, is not ours, or is newer than we are. Nothing is written.
async fn inspect(path: &Path) -> Result<(), Trouble> {
    let mut db = base(path).read_only(true).connect().await?;
    let verdict = inspect_with(&mut db, path).await;
    db.close().await?;
    verdict
}

async fn inspect_with(db: &mut SqliteConnection, path: &Path) -> Result<(), Trouble> {
    let damaged = |detail: String| StoreError::Corrupt {
        place: path.display().to_string(),
        detail,
    };
    let findings: Vec<String> = sqlx::query_scalar("PRAGMA quick_check(3)")
        .fetch_all(&mut *db)
        .await?;
    if findings.iter().any(|finding| finding != "ok") {
        return Err(damaged(findings.join("; ")).into());
    }
    let page_size: i64 = sqlx::query_scalar("PRAGMA page_size").fetch_one(&mut *db).await?;
    if place::is_cut(path, page_size)? {
        return Err(damaged("the file ends in the middle of a page".to_owned()).into());
    }
    let application: i64 = sqlx::query_scalar("PRAGMA application_id")
        .fetch_one(&mut *db)
        .await?;
    if application != APPLICATION_ID {
        return Err(damaged("it is an SQLite database, but not a store of this platform".to_owned()).into());
    }
    let found: Option<i64> = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
        .fetch_one(db)
        .await?;
    let known = MIGRATOR
        .iter()
        .map(|migration| migration.version)
        .max()
        .unwrap_or_default();
    match found {
        Some(found) if found > known => Err(StoreError::Failed {
            op: "open a file of a newer release",
            source: Box::new(NewerSchema { found, known }),
        }
        .into()),
        Some(_) => Ok(()),
        None => Err(damaged("it has no schema".to_owned()).into()),
    }
}

/// On a connection of its own: the writer goes on meanwhile.
pub(crate) async fn snapshot(path: &Path, to: &Path) -> Result<(), Trouble> {
    let mut db = base(path).connect().await?;
    let copied = sqlx::query("VACUUM INTO ?")
        .bind(to.to_string_lossy().into_owned())
        .execute(&mut db)
        .await;
    db.close().await?;
    copied?;
    place::make_private(to)?;
    Ok(())
}

async fn connect(path: &Path) -> Result<Pools, sqlx::Error> {
    let lasting = || {
        SqlitePoolOptions::new()
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
    };
    let writer = lasting().max_connections(1).connect_with(writing(path)).await?;
    let reading = base(path).pragma("query_only", "ON");
    let readers = lasting().max_connections(READERS).connect_with(reading).await?;
    Ok(Pools { writer, readers })
}

fn base(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .busy_timeout(BUSY)
        .disable_statement_logging()
}

fn writing(path: &Path) -> SqliteConnectOptions {
    base(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("journal_size_limit", LOG_LIMIT)
}
