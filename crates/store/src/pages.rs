//! Documents by the page. Each order has an index, with a scope and without; `EXPLAIN QUERY PLAN` is asked in a test.

use ports::paging::{Mark, Order, Row, Slice};
use sqlx::SqliteConnection;

use crate::error::{Trouble, damaged, signed};

/// A whole page in one row: each row is handed from SQLite's thread to ours, which for a hundred small ones costs more than
/// to find them. What stands between two documents is a character that JSON always escapes and that no name has.
macro_rules! in_one_row {
    ($from:literal) => {
        concat!(
            "SELECT group_concat(seq, char(30)) AS seq, group_concat(id, char(30)) AS id,
                group_concat(coalesce(name, ''), char(30)) AS name, group_concat(version, char(30)) AS version,
                group_concat(body, char(30)) AS body
             FROM (SELECT seq, id, name, version, body FROM documents WHERE kind = ?1 AND ",
            $from,
            " LIMIT ?5)"
        )
    };
}

const SEPARATOR: char = '\u{1e}';

const NAME_IN_SCOPE: &str = in_one_row!("scope = ?2 AND name > ?3 ORDER BY name");
const NAME: &str = in_one_row!("name IS NOT NULL AND (name, id) > (?3, ?4) ORDER BY name, id");
const OLDEST_IN_SCOPE: &str = in_one_row!("scope = ?2 AND seq > ?3 ORDER BY seq");
const OLDEST: &str = in_one_row!("seq > ?3 ORDER BY seq");
const NEWEST_IN_SCOPE: &str = in_one_row!("scope = ?2 AND seq < ?3 ORDER BY seq DESC");
const NEWEST: &str = in_one_row!("seq < ?3 ORDER BY seq DESC");

/// Nothing anywhere when nothing was found.
#[derive(sqlx::FromRow)]
struct Found {
    seq: Option<String>,
    id: Option<String>,
    name: Option<String>,
    version: Option<String>,
    body: Option<String>,
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
    let found: Found = query.bind(slice.limit).fetch_one(db).await?;
    found.rows(kind, slice.order)
}

impl Found {
    fn rows(&self, kind: &str, order: Order) -> Result<Vec<Row>, Trouble> {
        let (seqs, ids, names) = (parts(&self.seq), parts(&self.id), parts(&self.name));
        let (versions, bodies) = (parts(&self.version), parts(&self.body));
        let count = ids.clone().count();
        if [&seqs, &names, &versions, &bodies]
            .iter()
            .any(|of| (*of).clone().count() != count)
        {
            return Err(damaged(
                kind.to_owned(),
                "a document or its name has a character that none has",
            ));
        }
        let mut rows = Vec::with_capacity(count);
        for ((((seq, id), name), version), body) in seqs.zip(ids).zip(names).zip(versions).zip(bodies) {
            let odd = |error| damaged(format!("{kind} {id}"), error);
            let mark = match order {
                Order::Name => Mark::Name(name.to_owned(), id.to_owned()),
                Order::Oldest | Order::Newest => Mark::Number(seq.parse().map_err(odd)?),
            };
            rows.push(Row {
                id: id.to_owned(),
                version: version.parse().map_err(odd)?,
                mark,
                body: body.to_owned(),
            });
        }
        Ok(rows)
    }
}

fn parts(joined: &Option<String>) -> impl Iterator<Item = &str> + Clone {
    joined.iter().flat_map(|joined| joined.split(SEPARATOR))
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
            assert_eq!(plan.len(), 3, "{plan:?}");
            assert!(plan[0].starts_with("CO-ROUTINE"), "{plan:?}");
            assert!(plan[1].ends_with(index), "{plan:?}");
            assert!(plan[2].starts_with("SCAN"), "{plan:?}");
        }
    }
}
