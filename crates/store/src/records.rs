//! What is kept beside the documents: the ledger, events.

use ports::store::LedgerEntry;
use sqlx::SqliteConnection;
use types::{
    Timestamp,
    operation::{Event, Subject},
};

use crate::error::{Trouble, damaged, signed};

pub(crate) async fn ledger_add(tx: &mut SqliteConnection, entry: &LedgerEntry) -> Result<(), Trouble> {
    sqlx::query(
        "INSERT INTO ledger (subject_kind, subject_id, kind, id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    )
    .bind(entry.subject.kind.as_str())
    .bind(&entry.subject.id)
    .bind(&entry.kind)
    .bind(&entry.id)
    .execute(tx)
    .await?;
    Ok(())
}

pub(crate) async fn ledger_remove(
    tx: &mut SqliteConnection,
    subject: &Subject,
    kind: &str,
    id: &str,
) -> Result<(), Trouble> {
    sqlx::query("DELETE FROM ledger WHERE subject_kind = ? AND subject_id = ? AND kind = ? AND id = ?")
        .bind(subject.kind.as_str())
        .bind(&subject.id)
        .bind(kind)
        .bind(id)
        .execute(tx)
        .await?;
    Ok(())
}

/// In the order they were written.
pub(crate) async fn ledger(
    db: &mut SqliteConnection,
    subject: &Subject,
) -> Result<Vec<LedgerEntry>, Trouble> {
    let rows: Vec<(String, String)> =
        sqlx::query_as("SELECT kind, id FROM ledger WHERE subject_kind = ? AND subject_id = ? ORDER BY seq")
            .bind(subject.kind.as_str())
            .bind(&subject.id)
            .fetch_all(db)
            .await?;
    Ok(rows
        .into_iter()
        .map(|(kind, id)| LedgerEntry {
            subject: subject.clone(),
            kind,
            id,
        })
        .collect())
}

/// Written again under the same id it stays what it was.
pub(crate) async fn add_event(tx: &mut SqliteConnection, event: &Event) -> Result<(), Trouble> {
    let body = serde_json::to_string(event).map_err(|e| damaged(format!("event {}", event.id), e))?;
    sqlx::query(
        "INSERT INTO events (id, project, subject_kind, subject_id, at, body) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING",
    )
    .bind(event.id.as_str())
    .bind(event.project.as_str())
    .bind(event.subject.kind.as_str())
    .bind(&event.subject.id)
    .bind(event.at.0)
    .bind(body)
    .execute(tx)
    .await?;
    Ok(())
}

/// Newest first by when they were written, which a clock that was set does not disturb.
pub(crate) async fn events(
    db: &mut SqliteConnection,
    project: &str,
    subject: Option<&Subject>,
    before: Option<u64>,
    limit: u32,
) -> Result<Vec<(u64, Event)>, Trouble> {
    let query = match subject {
        None => sqlx::query_as(
            "SELECT seq, id, body FROM events WHERE project = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
        )
        .bind(project),
        Some(subject) => sqlx::query_as(
            "SELECT seq, id, body FROM events WHERE project = ? AND subject_kind = ? AND subject_id = ? AND seq < ?
             ORDER BY seq DESC LIMIT ?",
        )
        .bind(project)
        .bind(subject.kind.as_str())
        .bind(&subject.id),
    };
    let rows: Vec<(i64, String, String)> = query
        .bind(before.map_or(i64::MAX, signed))
        .bind(limit)
        .fetch_all(db)
        .await?;
    let event = |(seq, id, body): (i64, String, String)| {
        let event = serde_json::from_str(&body).map_err(|error| damaged(format!("event {id}"), error))?;
        let number = u64::try_from(seq).map_err(|error| damaged(format!("event {id}"), error))?;
        Ok((number, event))
    };
    rows.into_iter().map(event).collect()
}

pub(crate) async fn trim_events(tx: &mut SqliteConnection, before: Timestamp) -> Result<u64, Trouble> {
    let done = sqlx::query("DELETE FROM events WHERE at < ?")
        .bind(before.0)
        .execute(tx)
        .await?;
    Ok(done.rows_affected())
}
