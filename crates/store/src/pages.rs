//! Documents by the page. Each order has an index, with a scope and without; `EXPLAIN QUERY PLAN` is asked in a test.

use ports::paging::{Mark, Order, Row, Slice};
use sqlx::SqliteConnection;

use crate::error::{Trouble, damaged, signed};

const NAME_IN_SCOPE: &str = "SELECT seq, id, name, version, body FROM documents
    WHERE kind = ?1 AND scope = ?2 AND name > ?3 ORDER BY name LIMIT ?5";
const NAME: &str = "SELECT seq, id, name, version, body FROM documents
    WHERE kind = ?1 AND name IS NOT NULL AND (name, id) > (?3, ?4) ORDER BY name, id LIMIT ?5";
const OLDEST_IN_SCOPE: &str = "SELECT seq, id, name, version, body FROM documents
    WHERE kind = ?1 AND scope = ?2 AND seq > ?3 ORDER BY seq LIMIT ?5";
const OLDEST: &str = "SELECT seq, id, name, version, body FROM documents
    WHERE kind = ?1 AND seq > ?3 ORDER BY seq LIMIT ?5";
const NEWEST_IN_SCOPE: &str = "SELECT seq, id, name, version, body FROM documents
    WHERE kind = ?1 AND scope = ?2 AND seq < ?3 ORDER BY seq DESC LIMIT ?5";
const NEWEST: &str = "SELECT seq, id, name, version, body FROM documents
    WHERE kind = ?1 AND seq < ?3 ORDER BY seq DESC LIMIT ?5";

#[derive(sqlx::FromRow)]
struct Found {
    seq: i64,
    id: String,
    name: Option<String>,
    version: i64,
    body: String,
}

pub(crate) async fn page(
    db: &mut SqliteConnection,
    kind: &'static str,
    scope: Option<&str>,
    slice: &Slice,
) -> Result<Vec<Row>, Trouble> {
    let statement = match (slice.order, scope) {
        (Order::Name, Some(_)) => NAME_IN_SCOPE,
        (Order::Name, None) => NAME,
        (Order::Oldest, Some(_)) => OLDEST_IN_SCOPE,
        (Order::Oldest, None) => OLDEST,
        (Order::Newest, Some(_)) => NEWEST_IN_SCOPE,
        (Order::Newest, None) => NEWEST,
    };
    let query = sqlx::query_as(statement).bind(kind).bind(scope);
    let (name, id) = slice.after_name();
    let query = match slice.order {
        Order::Name => query.bind(name).bind(id),
        Order::Oldest => query.bind(slice.after_number().map_or(0, signed)).bind(""),
        Order::Newest => query.bind(slice.after_number().map_or(i64::MAX, signed)).bind(""),
    };
    let found: Vec<Found> = query.bind(slice.limit).fetch_all(db).await?;
    found
        .into_iter()
        .map(|found| found.row(kind, slice.order))
        .collect()
}

impl Found {
    fn row(self, kind: &str, order: Order) -> Result<Row, Trouble> {
        let odd = |error| damaged(format!("{kind} {}", self.id), error);
        let mark = match order {
            Order::Name => Mark::Name(self.name.unwrap_or_default(), self.id.clone()),
            Order::Oldest | Order::Newest => Mark::Number(u64::try_from(self.seq).map_err(odd)?),
        };
        Ok(Row {
            version: u64::try_from(self.version).map_err(odd)?,
            id: self.id,
            mark,
            body: self.body,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqliteStore;

    /// A page that is sorted, or searched for in all there is, is a page that slows down as the platform grows.
    #[tokio::test]
    async fn every_order_is_read_from_an_index() {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(dir.path().join("s.db")).await.unwrap();
        let mut db = store.reader().await.unwrap();
        for (statement, index) in [
            (NAME_IN_SCOPE, "documents_name (kind=? AND scope=? AND name>?)"),
            (NAME, "documents_by_name (kind=? AND (name,id)>(?,?))"),
            (
                OLDEST_IN_SCOPE,
                "documents_scope (kind=? AND scope=? AND rowid>?)",
            ),
            (
                NEWEST_IN_SCOPE,
                "documents_scope (kind=? AND scope=? AND rowid<?)",
            ),
        ] {
            let plan: Vec<(i64, i64, i64, String)> =
                sqlx::query_as(sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}")))
                    .fetch_all(&mut *db)
                    .await
                    .unwrap();
            let plan: Vec<&str> = plan.iter().map(|(_, _, _, detail)| detail.as_str()).collect();
            assert_eq!(plan.len(), 1, "{plan:?}");
            assert!(plan[0].ends_with(index), "{plan:?}");
        }
    }
}
