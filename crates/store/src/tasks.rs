//! Tasks and their leases. There is one task for each subject; whoever leases it may write for that subject.
//!
//! Time is the wall clock that callers pass, because a lease must mean the same to every process and after a restart;
//! a monotonic clock means nothing outside its process. The wall clock can be set, and then:
//! - set forward: leases look as if they had run out, and another worker may take them over early. Both may then work,
//!   but only the new one writes: the takeover made a new fence.
//! - set back: `lease` notices, because each task remembers the clock of its last lease or renewal. Nothing stays held
//!   or waits for the time that was taken back: each lease runs for at most its own length from now on (its holder
//!   renews it as always; a dead holder's lease runs out), and every waiting task becomes due, once, early rather than
//!   late. Differences of up to `JITTER_MS` between callers are not taken for a change of the clock. When no task was
//!   leased since the time the clock now shows, it is not noticed; then a task waits at most as long again as it was
//!   asked to. `next_due_ms` knows of the change only after that `lease`, so a worker sleeps for a short while at most.

use ports::store::{Lease, Next, StoreError};
use sqlx::SqliteConnection;
use types::operation::{Subject, SubjectKind};

use crate::error::{Trouble, damaged, signed};

/// Callers read the clock before they wait for the writer's turn, so that a later one may bring an earlier time.
const JITTER_MS: i64 = 1_000;

#[derive(sqlx::FromRow)]
struct Due {
    subject_kind: String,
    subject_id: String,
    failures: i64,
}

pub(crate) async fn wake(tx: &mut SqliteConnection, subject: &Subject, at_ms: i64) -> Result<(), Trouble> {
    sqlx::query(
        "INSERT INTO tasks (subject_kind, subject_id, run_at_ms) VALUES (?1, ?2, ?3)
         ON CONFLICT (subject_kind, subject_id) DO UPDATE SET
           run_at_ms = iif(lease_owner IS NULL, min(run_at_ms, ?3), run_at_ms),
           failures  = iif(lease_owner IS NULL, 0, failures),
           woken_ms  = iif(lease_owner IS NULL, NULL, min(coalesce(woken_ms, ?3), ?3))",
    )
    .bind(subject.kind.as_str())
    .bind(&subject.id)
    .bind(at_ms)
    .execute(tx)
    .await?;
    Ok(())
}

pub(crate) async fn end(tx: &mut SqliteConnection, subject: &Subject) -> Result<(), Trouble> {
    sqlx::query("DELETE FROM tasks WHERE subject_kind = ? AND subject_id = ?")
        .bind(subject.kind.as_str())
        .bind(&subject.id)
        .execute(tx)
        .await?;
    Ok(())
}

/// Refuses unless the lease is the task's present one. To be called in the transaction it protects.
pub(crate) async fn check_fence(tx: &mut SqliteConnection, lease: &Lease) -> Result<(), Trouble> {
    let held: Option<i64> = sqlx::query_scalar(
        "SELECT fence FROM tasks WHERE subject_kind = ? AND subject_id = ? AND lease_owner = ? AND fence = ?",
    )
    .bind(lease.subject.kind.as_str())
    .bind(&lease.subject.id)
    .bind(&lease.owner)
    .bind(signed(lease.fence))
    .fetch_optional(tx)
    .await?;
    held.map(|_| ()).ok_or_else(|| lost(lease))
}

/// Whether `lease` would find something to write; asked of a reader, so that an idle worker takes no lock.
pub(crate) async fn worth_leasing(db: &mut SqliteConnection, now_ms: i64) -> Result<bool, Trouble> {
    let worth = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM tasks WHERE due_ms <= ?1) OR EXISTS (SELECT 1 FROM tasks WHERE seen_ms > ?1 + ?2)",
    )
    .bind(now_ms)
    .bind(JITTER_MS)
    .fetch_one(db)
    .await?;
    Ok(worth)
}

pub(crate) async fn lease(
    tx: &mut SqliteConnection,
    owner: &str,
    now_ms: i64,
    ttl_ms: i64,
) -> Result<Option<Lease>, Trouble> {
    follow_clock_back(tx, now_ms).await?;
    let due: Option<Due> = sqlx::query_as(
        "SELECT subject_kind, subject_id, failures FROM tasks WHERE due_ms <= ?
         ORDER BY due_ms, subject_kind, subject_id LIMIT 1",
    )
    .bind(now_ms)
    .fetch_optional(&mut *tx)
    .await?;
    let Some(due) = due else { return Ok(None) };
    let fence: i64 =
        sqlx::query_scalar("UPDATE counters SET value = value + 1 WHERE name = 'fence' RETURNING value")
            .fetch_one(&mut *tx)
            .await?;
    // A wake-up that the lease before did not live to see is seen by this one, unless it is for later.
    sqlx::query(
        "UPDATE tasks SET lease_owner = ?1, lease_until_ms = ?2, lease_ttl_ms = ?3, seen_ms = ?4, fence = ?5,
           woken_ms = iif(woken_ms <= ?4, NULL, woken_ms)
         WHERE subject_kind = ?6 AND subject_id = ?7",
    )
    .bind(owner)
    .bind(now_ms.saturating_add(ttl_ms))
    .bind(ttl_ms)
    .bind(now_ms)
    .bind(fence)
    .bind(&due.subject_kind)
    .bind(&due.subject_id)
    .execute(tx)
    .await?;
    due.leased(owner, fence).map(Some)
}

impl Due {
    fn leased(self, owner: &str, fence: i64) -> Result<Lease, Trouble> {
        let row = format!("task {}/{}", self.subject_kind, self.subject_id);
        let kind: SubjectKind =
            serde_json::from_value(self.subject_kind.into()).map_err(|e| damaged(row.clone(), e))?;
        Ok(Lease {
            subject: Subject {
                kind,
                id: self.subject_id,
            },
            owner: owner.to_owned(),
            fence: u64::try_from(fence).map_err(|e| damaged(row.clone(), e))?,
            failures: u32::try_from(self.failures).map_err(|e| damaged(row, e))?,
        })
    }
}

async fn follow_clock_back(tx: &mut SqliteConnection, now_ms: i64) -> Result<(), Trouble> {
    sqlx::query(
        "UPDATE tasks SET
           run_at_ms = min(run_at_ms, ?1),
           woken_ms = min(woken_ms, ?1),
           lease_until_ms = min(lease_until_ms, ?1 + lease_ttl_ms),
           seen_ms = min(seen_ms, ?1)
         WHERE EXISTS (SELECT 1 FROM tasks WHERE seen_ms > ?1 + ?2)",
    )
    .bind(now_ms)
    .bind(JITTER_MS)
    .execute(tx)
    .await?;
    Ok(())
}

pub(crate) async fn renew(
    tx: &mut SqliteConnection,
    lease: &Lease,
    now_ms: i64,
    ttl_ms: i64,
) -> Result<(), Trouble> {
    check_fence(tx, lease).await?;
    sqlx::query(
        "UPDATE tasks SET lease_until_ms = ?, lease_ttl_ms = ?, seen_ms = max(seen_ms, ?)
         WHERE subject_kind = ? AND subject_id = ?",
    )
    .bind(now_ms.saturating_add(ttl_ms))
    .bind(ttl_ms)
    .bind(now_ms)
    .bind(lease.subject.kind.as_str())
    .bind(&lease.subject.id)
    .execute(tx)
    .await?;
    Ok(())
}

/// Of a task that ended meanwhile there is nothing to give back, which is no error: its worker may have ended it.
pub(crate) async fn release(tx: &mut SqliteConnection, lease: &Lease, next: Next) -> Result<(), Trouble> {
    if !exists(tx, &lease.subject).await? {
        return Ok(());
    }
    check_fence(tx, lease).await?;
    sqlx::query(
        "UPDATE tasks SET run_at_ms = min(?1, coalesce(woken_ms, ?1)), failures = ?2, woken_ms = NULL,
           lease_owner = NULL, lease_until_ms = NULL, lease_ttl_ms = NULL
         WHERE subject_kind = ?3 AND subject_id = ?4",
    )
    .bind(next.run_at_ms)
    .bind(i64::from(next.failures))
    .bind(lease.subject.kind.as_str())
    .bind(&lease.subject.id)
    .execute(tx)
    .await?;
    Ok(())
}

/// They run out now; whoever takes the tasks over gets a new fence as always.
pub(crate) async fn end_leases(tx: &mut SqliteConnection, owner: &str, now_ms: i64) -> Result<(), Trouble> {
    sqlx::query("UPDATE tasks SET lease_until_ms = min(lease_until_ms, ?) WHERE lease_owner = ?")
        .bind(now_ms)
        .bind(owner)
        .execute(tx)
        .await?;
    Ok(())
}

async fn exists(tx: &mut SqliteConnection, subject: &Subject) -> Result<bool, Trouble> {
    let found =
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM tasks WHERE subject_kind = ? AND subject_id = ?)")
            .bind(subject.kind.as_str())
            .bind(&subject.id)
            .fetch_one(tx)
            .await?;
    Ok(found)
}

pub(crate) async fn next_due_ms(db: &mut SqliteConnection) -> Result<Option<i64>, Trouble> {
    Ok(sqlx::query_scalar("SELECT min(due_ms) FROM tasks")
        .fetch_one(db)
        .await?)
}

fn lost(lease: &Lease) -> Trouble {
    StoreError::Fenced {
        subject: lease.subject.clone(),
    }
    .into()
}
