//! Sealed rows. What they hold is the vault's; of its form only this is known here: it begins with its key's mark.

use ports::{
    store::StoreError,
    vault::{KeyMark, Sealed, SecretRef},
};
use sqlx::SqliteConnection;

use crate::error::Trouble;

pub(crate) async fn put(tx: &mut SqliteConnection, at: &SecretRef, sealed: &Sealed) -> Result<(), Trouble> {
    refuse_retired(tx, sealed).await?;
    sqlx::query(
        "INSERT INTO secrets (owner, name, sealed) VALUES (?, ?, ?)
         ON CONFLICT (owner, name) DO UPDATE SET sealed = excluded.sealed",
    )
    .bind(&at.owner)
    .bind(&at.name)
    .bind(&sealed.0)
    .execute(tx)
    .await?;
    Ok(())
}

async fn refuse_retired(tx: &mut SqliteConnection, sealed: &Sealed) -> Result<(), Trouble> {
    let retired: Option<Vec<u8>> =
        sqlx::query_scalar("SELECT mark FROM retired_keys WHERE mark = substr(?, 1, length(mark)) LIMIT 1")
            .bind(&sealed.0)
            .fetch_optional(tx)
            .await?;
    match retired {
        Some(mark) => Err(StoreError::Stale {
            kind: "master key",
            id: KeyMark(mark).to_string(),
        }
        .into()),
        None => Ok(()),
    }
}

pub(crate) async fn replace(
    tx: &mut SqliteConnection,
    at: &SecretRef,
    was: &Sealed,
    sealed: &Sealed,
) -> Result<(), Trouble> {
    refuse_retired(tx, sealed).await?;
    let done = sqlx::query("UPDATE secrets SET sealed = ? WHERE owner = ? AND name = ? AND sealed = ?")
        .bind(&sealed.0)
        .bind(&at.owner)
        .bind(&at.name)
        .bind(&was.0)
        .execute(tx)
        .await?;
    match done.rows_affected() {
        1 => Ok(()),
        _ => Err(stale(&at.owner, &at.name)),
    }
}

pub(crate) async fn retire_key(tx: &mut SqliteConnection, key: &KeyMark) -> Result<(), Trouble> {
    let used: Option<(String, String)> =
        sqlx::query_as("SELECT owner, name FROM secrets WHERE substr(sealed, 1, length(?1)) = ?1 LIMIT 1")
            .bind(&key.0)
            .fetch_optional(&mut *tx)
            .await?;
    if let Some((owner, name)) = used {
        return Err(stale(&owner, &name));
    }
    sqlx::query("INSERT INTO retired_keys (mark) VALUES (?) ON CONFLICT DO NOTHING")
        .bind(&key.0)
        .execute(tx)
        .await?;
    Ok(())
}

fn stale(owner: &str, name: &str) -> Trouble {
    StoreError::Stale {
        kind: "secret",
        id: format!("{owner}/{name}"),
    }
    .into()
}

pub(crate) async fn delete(tx: &mut SqliteConnection, owner: &str) -> Result<(), Trouble> {
    sqlx::query("DELETE FROM secrets WHERE owner = ?")
        .bind(owner)
        .execute(tx)
        .await?;
    Ok(())
}

pub(crate) async fn get(db: &mut SqliteConnection, at: &SecretRef) -> Result<Option<Sealed>, Trouble> {
    let sealed: Option<Vec<u8>> =
        sqlx::query_scalar("SELECT sealed FROM secrets WHERE owner = ? AND name = ?")
            .bind(&at.owner)
            .bind(&at.name)
            .fetch_optional(db)
            .await?;
    Ok(sealed.map(Sealed))
}

/// By the primary key, from after `after`.
pub(crate) async fn list(
    db: &mut SqliteConnection,
    after: Option<&SecretRef>,
    limit: u32,
) -> Result<Vec<(SecretRef, Sealed)>, Trouble> {
    let query = match after {
        None => sqlx::query_as("SELECT owner, name, sealed FROM secrets ORDER BY owner, name LIMIT ?"),
        Some(after) => sqlx::query_as(
            "SELECT owner, name, sealed FROM secrets WHERE (owner, name) > (?, ?) ORDER BY owner, name LIMIT ?",
        )
        .bind(&after.owner)
        .bind(&after.name),
    };
    let rows: Vec<(String, String, Vec<u8>)> = query.bind(limit).fetch_all(db).await?;
    Ok(rows
        .into_iter()
        .map(|(owner, name, sealed)| (SecretRef { owner, name }, Sealed(sealed)))
        .collect())
}
