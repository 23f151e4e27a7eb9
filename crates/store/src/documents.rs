//! Documents: the entities' bodies with their versions. Every change names the version it was made from.

use ports::store::{Doc, Filter, StoreError};
use sqlx::SqliteConnection;

use crate::{
    changes,
    error::{Trouble, damaged, signed},
};

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    scope: String,
    name: Option<String>,
    parent: Option<String>,
    version: i64,
    body: String,
}

impl Row {
    fn doc(self, kind: &'static str) -> Result<Doc, Trouble> {
        let body = serde_json::from_str(&self.body)
            .map_err(|error| damaged(format!("{kind} {}", self.id), error))?;
        let version =
            u64::try_from(self.version).map_err(|error| damaged(format!("{kind} {}", self.id), error))?;
        Ok(Doc {
            kind,
            id: self.id,
            scope: self.scope,
            name: self.name,
            parent: self.parent,
            version,
            body,
        })
    }
}

pub(crate) async fn put(tx: &mut SqliteConnection, doc: Doc) -> Result<(), Trouble> {
    let written = if doc.version == 0 {
        insert(tx, &doc).await
    } else {
        replace(tx, &doc).await
    };
    match written {
        Ok(true) => Ok(()),
        Ok(false) => Err(StoreError::Stale {
            kind: doc.kind,
            id: doc.id,
        }
        .into()),
        Err(error) if Trouble::is_unique_violation(&error) => Err(StoreError::NameTaken {
            kind: doc.kind,
            name: doc.name.unwrap_or_default(),
        }
        .into()),
        Err(error) => Err(error.into()),
    }
}

/// False when the id is there already; the only other uniqueness left to violate is the name's.
async fn insert(tx: &mut SqliteConnection, doc: &Doc) -> Result<bool, sqlx::Error> {
    let done = sqlx::query(
        "INSERT INTO documents (kind, id, scope, name, parent, version, body) VALUES (?, ?, ?, ?, ?, 1, ?)
         ON CONFLICT (kind, id) DO NOTHING",
    )
    .bind(doc.kind)
    .bind(&doc.id)
    .bind(&doc.scope)
    .bind(&doc.name)
    .bind(&doc.parent)
    .bind(doc.body.to_string())
    .execute(&mut *tx)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    changes::made(tx, doc.kind, &doc.scope, &doc.id).await?;
    Ok(true)
}

async fn replace(tx: &mut SqliteConnection, doc: &Doc) -> Result<bool, sqlx::Error> {
    let body = doc.body.to_string();
    changes::replaced(tx, doc.kind, &doc.id, &body).await?;
    let done = sqlx::query(
        "UPDATE documents SET scope = ?, name = ?, parent = ?, version = version + 1, body = ?
         WHERE kind = ? AND id = ? AND version = ?",
    )
    .bind(&doc.scope)
    .bind(&doc.name)
    .bind(&doc.parent)
    .bind(body)
    .bind(doc.kind)
    .bind(&doc.id)
    .bind(signed(doc.version))
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(crate) async fn delete(tx: &mut SqliteConnection, kind: &str, id: &str) -> Result<(), Trouble> {
    changes::removed(tx, kind, id).await?;
    sqlx::query("DELETE FROM documents WHERE kind = ? AND id = ?")
        .bind(kind)
        .bind(id)
        .execute(tx)
        .await?;
    Ok(())
}

pub(crate) async fn get(
    db: &mut SqliteConnection,
    kind: &'static str,
    id: &str,
) -> Result<Option<Doc>, Trouble> {
    let row: Option<Row> = sqlx::query_as(
        "SELECT id, scope, name, parent, version, body FROM documents WHERE kind = ? AND id = ?",
    )
    .bind(kind)
    .bind(id)
    .fetch_optional(db)
    .await?;
    row.map(|row| row.doc(kind)).transpose()
}

/// Oldest first. One statement for each of the filters that has an index, narrowed by the others.
pub(crate) async fn list(
    db: &mut SqliteConnection,
    kind: &'static str,
    filter: &Filter,
) -> Result<Vec<Doc>, Trouble> {
    let rows: Vec<Row> = sqlx::query_as(match (&filter.parent, &filter.scope) {
        (Some(_), _) => {
            "SELECT id, scope, name, parent, version, body FROM documents
             WHERE kind = ?1 AND parent = ?2 AND (?3 IS NULL OR scope = ?3) AND (?4 IS NULL OR name = ?4) ORDER BY seq"
        }
        (None, Some(_)) => {
            "SELECT id, scope, name, parent, version, body FROM documents
             WHERE kind = ?1 AND (?2 IS NULL OR parent = ?2) AND scope = ?3 AND (?4 IS NULL OR name = ?4) ORDER BY seq"
        }
        (None, None) => {
            "SELECT id, scope, name, parent, version, body FROM documents
             WHERE kind = ?1 AND (?2 IS NULL OR parent = ?2) AND (?3 IS NULL OR scope = ?3)
               AND (?4 IS NULL OR name = ?4) ORDER BY seq"
        }
    })
    .bind(kind)
    .bind(&filter.parent)
    .bind(&filter.scope)
    .bind(&filter.name)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(|row| row.doc(kind)).collect()
}
