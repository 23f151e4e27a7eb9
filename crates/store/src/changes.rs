//! The log of changes. A document's row is logged before it is written over, with what it was.

use ports::{
    changes::{Change, Changes, is_watched},
    store::StoreError,
};
use sqlx::SqliteConnection;

use crate::error::{Trouble, damaged, signed};

/// No scope is called so.
const EVERYWHERE: &str = "";

/// Something was made.
pub(crate) async fn made(
    tx: &mut SqliteConnection,
    kind: &str,
    scope: &str,
    id: &str,
) -> Result<(), sqlx::Error> {
    if is_watched(kind) {
        sqlx::query("INSERT INTO changes (kind, scope, id, gone, before) VALUES (?, ?, ?, 0, NULL)")
            .bind(kind)
            .bind(scope)
            .bind(id)
            .execute(tx)
            .await?;
    }
    Ok(())
}

/// Something is about to become `body`. Written as it is already, it does not change.
pub(crate) async fn replaced(
    tx: &mut SqliteConnection,
    kind: &str,
    id: &str,
    body: &str,
) -> Result<(), sqlx::Error> {
    if is_watched(kind) {
        sqlx::query(
            "INSERT INTO changes (kind, scope, id, gone, before)
             SELECT kind, scope, id, 0, body FROM documents WHERE kind = ? AND id = ? AND body <> ?",
        )
        .bind(kind)
        .bind(id)
        .bind(body)
        .execute(tx)
        .await?;
    }
    Ok(())
}

/// Something is about to go, if it is there.
pub(crate) async fn removed(tx: &mut SqliteConnection, kind: &str, id: &str) -> Result<(), sqlx::Error> {
    if is_watched(kind) {
        sqlx::query(
            "INSERT INTO changes (kind, scope, id, gone, before)
             SELECT kind, scope, id, 1, body FROM documents WHERE kind = ? AND id = ?",
        )
        .bind(kind)
        .bind(id)
        .execute(tx)
        .await?;
    }
    Ok(())
}

/// The counter, not the last row: that may be trimmed.
pub(crate) async fn last(db: &mut SqliteConnection) -> Result<u64, Trouble> {
    let last: Option<i64> = sqlx::query_scalar("SELECT seq FROM sqlite_sequence WHERE name = 'changes'")
        .fetch_optional(db)
        .await?;
    number(last.unwrap_or_default())
}

/// What comes before the log's beginning, or after its end (a log put back from a backup), is not known.
async fn check(db: &mut SqliteConnection, scope: &str, after: u64) -> Result<u64, Trouble> {
    let last = last(db).await?;
    let forgotten: Option<i64> =
        sqlx::query_scalar("SELECT max(upto) FROM forgotten_changes WHERE scope IN (?, ?)")
            .bind(scope)
            .bind(EVERYWHERE)
            .fetch_one(db)
            .await?;
    if after < number(forgotten.unwrap_or_default())? || after > last {
        return Err(StoreError::Forgotten { after }.into());
    }
    Ok(last)
}

#[derive(sqlx::FromRow)]
struct Row {
    seq: i64,
    id: String,
    before: Option<String>,
    after: Option<String>,
}

/// In a transaction: the counter and the rows are of one moment.
pub(crate) async fn list(
    tx: &mut SqliteConnection,
    kind: &str,
    scope: &str,
    after: u64,
    limit: u32,
) -> Result<Changes, Trouble> {
    let last = check(tx, scope, after).await?;
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT c.seq, c.id, c.before, CASE WHEN c.gone THEN NULL ELSE coalesce(
           (SELECT n.before FROM changes n WHERE n.kind = c.kind AND n.id = c.id AND n.seq > c.seq ORDER BY n.seq LIMIT 1),
           (SELECT d.body FROM documents d WHERE d.kind = c.kind AND d.id = c.id)) END AS after
         FROM changes c WHERE c.scope = ? AND c.kind = ? AND c.seq > ? ORDER BY c.seq LIMIT ?",
    )
    .bind(scope)
    .bind(kind)
    .bind(signed(after))
    .bind(limit)
    .fetch_all(tx)
    .await?;
    let change = |row: Row| {
        Ok::<_, Trouble>(Change {
            number: number(row.seq)?,
            id: row.id,
            before: row.before,
            after: row.after,
        })
    };
    let changes: Vec<Change> = rows.into_iter().map(change).collect::<Result<_, _>>()?;
    let full = u32::try_from(changes.len()).is_ok_and(|found| found >= limit);
    let upto = match changes.last() {
        Some(change) if full => change.number,
        Some(_) | None => last,
    };
    Ok(Changes { changes, upto })
}

/// What has not changed since is as it was; of what has, the first change since knows what was before it.
pub(crate) async fn as_of(
    tx: &mut SqliteConnection,
    kind: &str,
    scope: &str,
    number: u64,
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<(String, String)>, Trouble> {
    check(tx, scope, number).await?;
    let rows = sqlx::query_as(
        "SELECT d.id AS id, d.body AS body FROM documents d
         WHERE d.kind = ?1 AND d.scope = ?2 AND d.id > ?3
           AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.kind = ?1 AND c.id = d.id AND c.seq > ?4)
         UNION ALL
         SELECT c.id AS id, c.before AS body FROM changes c
         WHERE c.kind = ?1 AND c.scope = ?2 AND c.id > ?3 AND c.seq > ?4 AND c.before IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM changes e WHERE e.kind = ?1 AND e.id = c.id AND e.seq > ?4 AND e.seq < c.seq)
         ORDER BY id LIMIT ?5",
    )
    .bind(kind)
    .bind(scope)
    .bind(after.unwrap_or_default())
    .bind(signed(number))
    .bind(limit)
    .fetch_all(tx)
    .await?;
    Ok(rows)
}

pub(crate) async fn trim(tx: &mut SqliteConnection, keep: u32) -> Result<u64, Trouble> {
    let scopes: Vec<String> = sqlx::query_scalar("SELECT DISTINCT scope FROM changes")
        .fetch_all(&mut *tx)
        .await?;
    let mut trimmed = 0;
    for scope in scopes {
        let upto: Option<i64> =
            sqlx::query_scalar("SELECT seq FROM changes WHERE scope = ? ORDER BY seq DESC LIMIT 1 OFFSET ?")
                .bind(&scope)
                .bind(keep)
                .fetch_optional(&mut *tx)
                .await?;
        let Some(upto) = upto else { continue };
        let done = sqlx::query("DELETE FROM changes WHERE scope = ? AND seq <= ?")
            .bind(&scope)
            .bind(upto)
            .execute(&mut *tx)
            .await?;
        remember_forgotten(tx, &scope, upto).await?;
        trimmed += done.rows_affected();
    }
    Ok(trimmed)
}

pub(crate) async fn forget(tx: &mut SqliteConnection, ahead: u64) -> Result<(), Trouble> {
    let upto = signed(last(tx).await?.saturating_add(ahead));
    sqlx::query("DELETE FROM changes").execute(&mut *tx).await?;
    // Before the first change there is no counter yet.
    sqlx::query("DELETE FROM sqlite_sequence WHERE name = 'changes'")
        .execute(&mut *tx)
        .await?;
    sqlx::query("INSERT INTO sqlite_sequence (name, seq) VALUES ('changes', ?)")
        .bind(upto)
        .execute(&mut *tx)
        .await?;
    remember_forgotten(tx, EVERYWHERE, upto).await
}

async fn remember_forgotten(tx: &mut SqliteConnection, scope: &str, upto: i64) -> Result<(), Trouble> {
    sqlx::query(
        "INSERT INTO forgotten_changes (scope, upto) VALUES (?, ?)
         ON CONFLICT (scope) DO UPDATE SET upto = excluded.upto",
    )
    .bind(scope)
    .bind(upto)
    .execute(tx)
    .await?;
    Ok(())
}

fn number(seq: i64) -> Result<u64, Trouble> {
    u64::try_from(seq).map_err(|error| damaged(format!("change {seq}"), error))
}
