//! The audit log: rows that are only added, each with the hash of the one before it.

use ports::{
    Vault,
    audit::{self, AuditFilter, Page},
    store::StoreError,
};
use sqlx::SqliteConnection;
use types::{
    Fault,
    audit::{Actor, AuditRecord, Change, Entry, Hash, Object, Origin, Stage},
};

use crate::{
    error::{Trouble, damaged, signed},
    secrets,
};

#[derive(sqlx::FromRow)]
struct Row {
    seq: i64,
    at_ms: i64,
    stage: String,
    actor_id: String,
    actor_name: String,
    address: String,
    agent: String,
    action: String,
    object_kind: String,
    object_name: Option<String>,
    object_id: Option<String>,
    project: Option<String>,
    org: Option<String>,
    change: Option<String>,
    status: Option<i64>,
    code: Option<String>,
    request: String,
    previous: Vec<u8>,
    hash: Vec<u8>,
}

/// Extends the chain in the transaction that holds the writer's lock, so that nobody else extends the same head.
pub(crate) async fn append(
    tx: &mut SqliteConnection,
    entry: Entry,
    vault: &dyn Vault,
) -> Result<AuditRecord, Trouble> {
    let sealed = secrets::get(tx, &audit::head_at()).await?;
    let last: Option<i64> = sqlx::query_scalar("SELECT max(seq) FROM audit")
        .fetch_one(&mut *tx)
        .await?;
    let last = last
        .map(u64::try_from)
        .transpose()
        .map_err(|e| damaged("the last audit record".to_owned(), e))?;
    let (record, sealed) = audit::go_on(vault, sealed.as_ref(), last, entry).map_err(unsealed)?;
    insert(tx, &record).await?;
    secrets::put(tx, &audit::head_at(), &sealed).await?;
    Ok(record)
}

fn unsealed(fault: Fault) -> Trouble {
    StoreError::Failed {
        op: "seal the head of the audit log",
        source: Box::new(fault),
    }
    .into()
}

async fn insert(tx: &mut SqliteConnection, record: &AuditRecord) -> Result<(), Trouble> {
    let Entry {
        at_ms,
        stage,
        actor,
        origin,
        action,
        object,
        project,
        org,
        change,
        status,
        code,
        request,
    } = &record.entry;
    sqlx::query("INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(signed(record.sequence))
        .bind(at_ms)
        .bind(stage.as_str())
        .bind(&actor.id)
        .bind(&actor.name)
        .bind(&origin.address)
        .bind(&origin.agent)
        .bind(action)
        .bind(&object.kind)
        .bind(&object.name)
        .bind(&object.id)
        .bind(project)
        .bind(org)
        .bind(change.as_ref().map(Change::as_str))
        .bind(status.map(i64::from))
        .bind(code)
        .bind(request)
        .bind(&record.previous.0[..])
        .bind(&record.hash.0[..])
        .execute(tx)
        .await?;
    Ok(())
}

/// A filter that is not given is NULL, and asks for everything.
const UP: &str = "SELECT * FROM audit WHERE seq > ?1 AND (?2 IS NULL OR at_ms >= ?2) AND (?3 IS NULL OR at_ms < ?3)
    AND (?4 IS NULL OR actor_id = ?4 OR actor_name = ?4) AND (?5 IS NULL OR project = ?5) AND (?6 IS NULL OR org = ?6)
    ORDER BY seq LIMIT ?7";
const DOWN: &str = "SELECT * FROM audit WHERE seq < ?1 AND (?2 IS NULL OR at_ms >= ?2) AND (?3 IS NULL OR at_ms < ?3)
    AND (?4 IS NULL OR actor_id = ?4 OR actor_name = ?4) AND (?5 IS NULL OR project = ?5) AND (?6 IS NULL OR org = ?6)
    ORDER BY seq DESC LIMIT ?7";

pub(crate) async fn list(
    db: &mut SqliteConnection,
    filter: &AuditFilter,
) -> Result<Vec<AuditRecord>, Trouble> {
    let (query, from) = match filter.page {
        Page::Newest => (DOWN, i64::MAX),
        Page::Before(number) => (DOWN, signed(number)),
        Page::After(number) => (UP, signed(number)),
    };
    let rows: Vec<Row> = sqlx::query_as(query)
        .bind(from)
        .bind(filter.since_ms)
        .bind(filter.until_ms)
        .bind(&filter.actor)
        .bind(&filter.project)
        .bind(&filter.org)
        .bind(filter.limit)
        .fetch_all(db)
        .await?;
    rows.into_iter().map(Row::record).collect()
}

impl Row {
    fn record(self) -> Result<AuditRecord, Trouble> {
        let place = format!("audit record {}", self.seq);
        let odd = |what: &str| damaged(place.clone(), what);
        let stage = match self.stage.as_str() {
            "begun" => Stage::Begun,
            "ended" => Stage::Ended,
            _ => return Err(odd("it has no stage of ours")),
        };
        let status = self
            .status
            .map(u16::try_from)
            .transpose()
            .map_err(|_| odd("its status is none"))?;
        let hash = |bytes: Vec<u8>| bytes.try_into().map(Hash).map_err(|_| odd("it has no hash"));
        Ok(AuditRecord {
            sequence: u64::try_from(self.seq).map_err(|_| odd("its number is negative"))?,
            previous: hash(self.previous)?,
            hash: hash(self.hash)?,
            entry: Entry {
                at_ms: self.at_ms,
                stage,
                actor: Actor {
                    id: self.actor_id,
                    name: self.actor_name,
                },
                origin: Origin {
                    address: self.address,
                    agent: self.agent,
                },
                action: self.action,
                object: Object {
                    kind: self.object_kind,
                    name: self.object_name,
                    id: self.object_id,
                },
                project: self.project,
                org: self.org,
                change: self.change.map(Change::from_text),
                status,
                code: self.code,
                request: self.request,
            },
        })
    }
}
