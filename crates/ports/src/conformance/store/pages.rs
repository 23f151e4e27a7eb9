//! Lists by the page: orders, scopes, and others who write meanwhile.

use serde_json::json;

use super::write;
use crate::{
    paging::{Mark, Order, Row, Slice},
    store::{Doc, Store, Write},
};

fn doc(id: &str, scope: &str, name: Option<&str>) -> Doc {
    Doc {
        kind: "thing",
        id: id.to_owned(),
        scope: scope.to_owned(),
        name: name.map(str::to_owned),
        parent: None,
        version: 0,
        body: json!({"id": id}),
    }
}

async fn page(
    store: &impl Store,
    scope: Option<&str>,
    order: Order,
    after: Option<Mark>,
    limit: u32,
) -> Vec<Row> {
    let slice = Slice { order, after, limit };
    store.page("thing", scope, &slice).await.unwrap()
}

/// Every page of so many, one after the other; `between` runs before each but the first.
async fn all(
    store: &impl Store,
    scope: Option<&str>,
    order: Order,
    limit: u32,
    mut between: impl AsyncFnMut(usize),
) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let mut after = None;
    for number in 0.. {
        if number > 0 {
            between(number).await;
        }
        let rows = page(store, scope, order, after.take(), limit).await;
        after = rows.last().map(|row| row.mark.clone());
        ids.extend(rows.iter().map(|row| row.id.clone()));
        if rows.len() < limit as usize {
            break;
        }
    }
    ids
}

pub(super) async fn come_in_every_order_and_end(store: &impl Store) {
    let docs = [
        doc("5", "p1", Some("delta")),
        doc("1", "p1", Some("bravo")),
        doc("4", "p2", Some("bravo")),
        doc("2", "p1", None),
        doc("3", "p1", Some("alpha")),
    ];
    for doc in docs {
        write(store, [Write::Put(doc)]).await.unwrap();
    }
    let foreign = Doc {
        kind: "other",
        ..doc("6", "p1", Some("charlie"))
    };
    write(store, [Write::Put(foreign)]).await.unwrap();
    // A change of something does not move it.
    let changed = Doc {
        version: 1,
        ..doc("5", "p1", Some("delta"))
    };
    write(store, [Write::Put(changed)]).await.unwrap();
    for limit in [1, 2, 3, 100] {
        let read = async |scope, order| all(store, scope, order, limit, async |_| ()).await;
        assert_eq!(read(Some("p1"), Order::Name).await, ["3", "1", "5"]);
        assert_eq!(read(None, Order::Name).await, ["3", "1", "4", "5"]);
        assert_eq!(read(Some("p1"), Order::Oldest).await, ["5", "1", "2", "3"]);
        assert_eq!(read(Some("p1"), Order::Newest).await, ["3", "2", "1", "5"]);
        assert_eq!(read(None, Order::Oldest).await, ["5", "1", "4", "2", "3"]);
        assert_eq!(read(None, Order::Newest).await, ["3", "2", "4", "1", "5"]);
        assert_eq!(read(Some("p3"), Order::Name).await, [""; 0]);
    }
    let first = page(store, Some("p1"), Order::Name, None, 1).await;
    assert_eq!((first[0].version, first[0].body.as_str()), (1, r#"{"id":"3"}"#));
    assert!(page(store, None, Order::Name, None, 0).await.is_empty());
}

/// What stays is seen once, whatever comes and goes around it.
pub(super) async fn neither_repeat_nor_skip_while_others_write(store: &impl Store) {
    for order in [Order::Name, Order::Oldest, Order::Newest] {
        let scope = format!("{order:?}");
        let name = |kind: &str, n: usize| format!("{n:02}-{kind}-{scope}");
        for n in 0..12 {
            let (stays, goes) = (name("stays", n), name("goes", n));
            let writes = [
                Write::Put(doc(&stays, &scope, Some(&stays))),
                Write::Put(doc(&goes, &scope, Some(&goes))),
            ];
            write(store, writes).await.unwrap();
        }
        let seen = all(store, Some(&scope), order, 5, async |number: usize| {
            for n in [2 * number - 1, 2 * number] {
                let gone = Write::Delete {
                    kind: "thing",
                    id: name("goes", n % 12),
                };
                let new = name("new", n);
                write(store, [gone, Write::Put(doc(&new, &scope, Some(&new)))])
                    .await
                    .unwrap();
            }
        })
        .await;
        let mut once = seen.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), seen.len(), "{order:?}: something twice in {seen:?}");
        for n in 0..12 {
            assert!(seen.contains(&name("stays", n)), "{order:?}: {n} of {seen:?}");
        }
    }
}
