//! Documents: versions, names, filters, batches.

use serde_json::json;

use super::write;
use crate::store::{Doc, Filter, Store, StoreError, Write};

fn doc(id: &str, name: Option<&str>) -> Doc {
    Doc {
        kind: "thing",
        id: id.to_owned(),
        scope: "p1".to_owned(),
        name: name.map(str::to_owned),
        parent: None,
        version: 0,
        body: json!({"id": id, "text": "ä\u{0}\"'", "none": null, "n": 1}),
    }
}

async fn ids(store: &impl Store, filter: Filter) -> Vec<String> {
    store
        .list("thing", &filter)
        .await
        .unwrap()
        .into_iter()
        .map(|doc| doc.id)
        .collect()
}

pub(super) async fn what_is_put_is_got_and_listed(store: &impl Store) {
    assert_eq!(store.get("thing", "a").await.unwrap(), None);
    for id in ["b", "a", "c"] {
        write(store, [Write::Put(doc(id, None))]).await.unwrap();
    }
    assert_eq!(
        store.get("thing", "a").await.unwrap(),
        Some(Doc {
            version: 1,
            ..doc("a", None)
        })
    );
    assert_eq!(store.get("other", "a").await.unwrap(), None, "another kind");

    write(
        store,
        [Write::Put(Doc {
            version: 1,
            ..doc("b", None)
        })],
    )
    .await
    .unwrap();
    assert_eq!(
        ids(store, Filter::default()).await,
        ["b", "a", "c"],
        "oldest first, also after a change"
    );

    let gone = || Write::Delete {
        kind: "thing",
        id: "a".to_owned(),
    };
    write(store, [gone()]).await.unwrap();
    write(store, [gone()])
        .await
        .expect("deleting what is not there succeeds");
    assert_eq!(store.get("thing", "a").await.unwrap(), None);
    assert_eq!(ids(store, Filter::default()).await, ["b", "c"]);
}

pub(super) async fn filters_narrow_together(store: &impl Store) {
    let child = |id: &str, scope: &str, name: &str, parent: &str| {
        let (scope, parent) = (scope.to_owned(), Some(parent.to_owned()));
        Write::Put(Doc {
            scope,
            parent,
            ..doc(id, Some(name))
        })
    };
    let writes = [
        child("a", "p1", "x", "top"),
        child("b", "p1", "y", "top"),
        child("c", "p2", "x", "top"),
        child("d", "p1", "z", "side"),
    ];
    write(store, writes).await.unwrap();
    let filter = |scope: Option<&str>, name: Option<&str>, parent: Option<&str>| Filter {
        scope: scope.map(str::to_owned),
        name: name.map(str::to_owned),
        parent: parent.map(str::to_owned),
    };
    assert_eq!(ids(store, filter(Some("p1"), None, None)).await, ["a", "b", "d"]);
    assert_eq!(ids(store, filter(None, Some("x"), None)).await, ["a", "c"]);
    assert_eq!(ids(store, filter(None, None, Some("top"))).await, ["a", "b", "c"]);
    assert_eq!(
        ids(store, filter(Some("p1"), None, Some("top"))).await,
        ["a", "b"]
    );
    assert_eq!(
        ids(store, filter(Some("p1"), Some("x"), Some("top"))).await,
        ["a"]
    );
    assert_eq!(ids(store, filter(Some("p2"), Some("y"), None)).await, [""; 0]);
}

pub(super) async fn names_are_unique_in_kind_and_scope(store: &impl Store) {
    write(store, [Write::Put(doc("a", Some("demo")))]).await.unwrap();
    let again = write(store, [Write::Put(doc("b", Some("demo")))]).await;
    assert!(
        matches!(&again, Err(StoreError::NameTaken { kind: "thing", name }) if name == "demo"),
        "a second 'demo': {again:?}"
    );
    write(
        store,
        [Write::Put(Doc {
            scope: "p2".to_owned(),
            ..doc("c", Some("demo"))
        })],
    )
    .await
    .unwrap();
    write(
        store,
        [Write::Put(Doc {
            kind: "other",
            ..doc("d", Some("demo"))
        })],
    )
    .await
    .unwrap();
    write(store, [Write::Put(doc("e", None)), Write::Put(doc("f", None))])
        .await
        .expect("no name is not a name");

    let renamed = write(
        store,
        [Write::Put(Doc {
            version: 1,
            ..doc("e", Some("demo"))
        })],
    )
    .await;
    assert!(
        matches!(renamed, Err(StoreError::NameTaken { .. })),
        "renamed to a taken name: {renamed:?}"
    );

    let freed = [
        Write::Delete {
            kind: "thing",
            id: "a".to_owned(),
        },
        Write::Put(doc("g", Some("demo"))),
    ];
    write(store, freed)
        .await
        .expect("a name is free once its holder is gone, in the same batch too");
}

pub(super) async fn a_version_replaces_only_its_own(store: &impl Store) {
    let put = |version: u64| {
        [Write::Put(Doc {
            version,
            ..doc("a", Some("demo"))
        })]
    };
    let is_stale = |outcome: Result<(), StoreError>| match outcome {
        Err(StoreError::Stale { kind: "thing", id }) => assert_eq!(id, "a"),
        other => panic!("expected Stale, got {other:?}"),
    };
    is_stale(write(store, put(1)).await);
    write(store, put(0)).await.unwrap();
    is_stale(write(store, put(0)).await);
    write(store, put(1)).await.unwrap();
    is_stale(write(store, put(1)).await);
    is_stale(write(store, put(3)).await);
    write(store, put(2)).await.unwrap();
    assert_eq!(store.get("thing", "a").await.unwrap().unwrap().version, 3);
}

pub(super) async fn a_batch_is_all_or_nothing(store: &impl Store) {
    write(store, [Write::Put(doc("a", Some("demo")))]).await.unwrap();
    let subject = super::cluster("c");
    let refused = write(
        store,
        [
            Write::Put(doc("b", None)),
            Write::Delete {
                kind: "thing",
                id: "a".to_owned(),
            },
            Write::Wake { subject, at_ms: 5 },
            Write::Put(Doc {
                version: 7,
                ..doc("c", None)
            }),
        ],
    )
    .await;
    assert!(matches!(refused, Err(StoreError::Stale { .. })), "{refused:?}");
    assert_eq!(
        ids(store, Filter::default()).await,
        ["a"],
        "nothing of a refused batch is there"
    );
    assert_eq!(store.next_due_ms().await.unwrap(), None);
    write(store, [Write::Put(doc("b", None))])
        .await
        .expect("the store goes on after a refusal");
}

pub(super) async fn of_many_writers_one_wins(store: &impl Store) {
    write(store, [Write::Put(doc("a", None))]).await.unwrap();
    let attempt = || {
        write(
            store,
            [Write::Put(Doc {
                version: 1,
                ..doc("a", None)
            })],
        )
    };
    let (a, b, c, d) = tokio::join!(attempt(), attempt(), attempt(), attempt());
    let won = [a, b, c, d].iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(won, 1, "one version, one successor");
    assert_eq!(store.get("thing", "a").await.unwrap().unwrap().version, 2);
}
