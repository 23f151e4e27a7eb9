//! The log of changes: what it tells, the past it can read, what it forgets.

use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;

use super::write;
use crate::{
    changes::Change,
    store::{Doc, Store, StoreError, Write},
};

const KIND: &str = "cluster";

fn doc(id: &str, scope: &str, version: u64, value: &str) -> Doc {
    Doc {
        kind: KIND,
        id: id.to_owned(),
        scope: scope.to_owned(),
        name: None,
        parent: None,
        version,
        body: json!(value),
    }
}

async fn put(store: &impl Store, doc: Doc) {
    write(store, [Write::Put(doc)]).await.unwrap();
}

async fn remove(store: &impl Store, id: &str) {
    let id = id.to_owned();
    write(store, [Write::Delete { kind: KIND, id }]).await.unwrap();
}

/// Id, before and after; bodies are JSON texts here.
fn told(changes: &[Change]) -> Vec<(String, Option<String>, Option<String>)> {
    let bare = |body: &Option<String>| body.as_ref().map(|body| body.trim_matches('"').to_owned());
    changes
        .iter()
        .map(|change| (change.id.clone(), bare(&change.before), bare(&change.after)))
        .collect()
}

fn line(id: &str, before: &str, after: &str) -> (String, Option<String>, Option<String>) {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    (id.to_owned(), some(before), some(after))
}

pub(super) async fn are_told_with_what_was_before_and_after(store: &impl Store) {
    assert_eq!(store.last_change().await.unwrap(), 0);
    put(store, doc("a", "p1", 0, "a1")).await;
    put(store, doc("b", "p1", 0, "b1")).await;
    put(store, doc("c", "p2", 0, "c1")).await;
    // Twice in one batch is two changes.
    let twice = [
        Write::Put(doc("a", "p1", 1, "a2")),
        Write::Put(doc("a", "p1", 2, "a3")),
    ];
    write(store, twice).await.unwrap();
    remove(store, "b").await;
    remove(store, "b").await;
    let all = store.changes(KIND, "p1", 0, 100).await.unwrap();
    let lines = [
        line("a", "", "a1"),
        line("b", "", "b1"),
        line("a", "a1", "a2"),
        line("a", "a2", "a3"),
        line("b", "b1", ""),
    ];
    assert_eq!(told(&all.changes), lines);
    assert_eq!(all.upto, store.last_change().await.unwrap());
    // By pages it is the same; a page that is not full reaches to the end of the log.
    let (mut seen, mut after) = (Vec::new(), 0);
    loop {
        let page = store.changes(KIND, "p1", after, 2).await.unwrap();
        assert!(page.upto >= after);
        after = page.upto;
        if page.changes.is_empty() {
            break;
        }
        seen.extend(page.changes);
    }
    assert_eq!(seen, all.changes);
    assert!(seen.windows(2).all(|pair| pair[0].number < pair[1].number));
    let other = store.changes(KIND, "p2", 0, 100).await.unwrap();
    assert_eq!(told(&other.changes), [line("c", "", "c1")]);
    assert!(
        store
            .changes("network", "p1", 0, 100)
            .await
            .unwrap()
            .changes
            .is_empty()
    );
}

pub(super) async fn are_only_of_what_is_watched_and_differs(store: &impl Store) {
    let secretive = Doc {
        kind: "user",
        ..doc("u", "platform", 0, "password")
    };
    put(store, secretive).await;
    assert_eq!(
        store.last_change().await.unwrap(),
        0,
        "kinds that may hold secrets"
    );
    put(store, doc("a", "p1", 0, "same")).await;
    put(store, doc("a", "p1", 1, "same")).await;
    assert_eq!(store.last_change().await.unwrap(), 1, "written as it was");
    assert_eq!(store.get(KIND, "a").await.unwrap().unwrap().version, 2);
}

pub(super) async fn of_a_refused_batch_are_none(store: &impl Store) {
    put(store, doc("a", "p1", 0, "a1")).await;
    let refused = [
        Write::Put(doc("b", "p1", 0, "b1")),
        Write::Put(doc("a", "p1", 7, "a2")),
    ];
    assert!(write(store, refused).await.is_err());
    assert_eq!(store.last_change().await.unwrap(), 1);
    let seen = store.changes(KIND, "p1", 0, 9).await.unwrap();
    assert_eq!(told(&seen.changes), [line("a", "", "a1")]);
}

pub(super) async fn the_past_can_be_read(store: &impl Store) {
    let mut history: Vec<(u64, Vec<(String, String)>)> = Vec::new();
    let mut remember = async |store: &_| {
        let number = Store::last_change(store).await.unwrap();
        let now = Store::as_of(store, KIND, "p1", number, None, 100).await.unwrap();
        history.push((number, now));
    };
    remember(store).await;
    put(store, doc("b", "p1", 0, "b1")).await;
    put(store, doc("x", "p2", 0, "x1")).await;
    remember(store).await;
    put(store, doc("a", "p1", 0, "a1")).await;
    put(store, doc("b", "p1", 1, "b2")).await;
    remember(store).await;
    remove(store, "a").await;
    put(store, doc("c", "p1", 0, "c1")).await;
    put(store, doc("b", "p1", 2, "b3")).await;
    remember(store).await;
    let bodies = |at: usize| -> Vec<&str> { history[at].1.iter().map(|(_, body)| body.as_str()).collect() };
    assert_eq!(bodies(0), [""; 0]);
    assert_eq!(bodies(1), ["\"b1\""]);
    assert_eq!(bodies(2), ["\"a1\"", "\"b2\""]);
    assert_eq!(bodies(3), ["\"b3\"", "\"c1\""]);
    for (number, then) in &history {
        // What was is still what it was, in pages too.
        let (mut seen, mut after): (Vec<(String, String)>, Option<String>) = (Vec::new(), None);
        loop {
            let page = store
                .as_of(KIND, "p1", *number, after.as_deref(), 1)
                .await
                .unwrap();
            let Some(last) = page.last() else { break };
            after = Some(last.0.clone());
            seen.extend(page);
        }
        assert_eq!(seen, *then, "as of {number}");
    }
}

pub(super) async fn are_trimmed_in_each_scope(store: &impl Store) {
    put(store, doc("quiet", "p2", 0, "q1")).await;
    put(store, doc("a", "p1", 0, "1")).await;
    for n in 1..10 {
        put(store, doc("a", "p1", n, &(n + 1).to_string())).await;
    }
    let last = store.last_change().await.unwrap();
    assert_eq!(store.trim_changes(3).await.unwrap(), 7);
    assert_eq!(store.trim_changes(3).await.unwrap(), 0);
    assert_eq!(store.last_change().await.unwrap(), last);
    let kept = store.changes(KIND, "p1", last - 3, 100).await.unwrap();
    let lines = [line("a", "7", "8"), line("a", "8", "9"), line("a", "9", "10")];
    assert_eq!(told(&kept.changes), lines);
    for (after, what) in [(last - 4, "trimmed"), (0, "the beginning"), (last + 1, "not yet")] {
        let refused = store.changes(KIND, "p1", after, 100).await;
        assert!(
            matches!(refused, Err(StoreError::Forgotten { after: asked }) if asked == after),
            "{what}: {refused:?}"
        );
        let refused = store.as_of(KIND, "p1", after, None, 100).await;
        assert!(
            matches!(refused, Err(StoreError::Forgotten { .. })),
            "{what}: {refused:?}"
        );
    }
    let quiet = store.changes(KIND, "p2", 0, 100).await.unwrap();
    assert_eq!(told(&quiet.changes), [line("quiet", "", "q1")], "another's noise");
}

pub(super) async fn can_be_forgotten_with_numbers_that_others_heard(store: &impl Store) {
    store.forget_changes(10).await.unwrap();
    assert_eq!(store.last_change().await.unwrap(), 10, "also before the first");
    put(store, doc("a", "p1", 0, "1")).await;
    store.forget_changes(100).await.unwrap();
    let last = store.last_change().await.unwrap();
    assert_eq!(last, 111);
    put(store, doc("a", "p1", 1, "2")).await;
    for after in [0, 11, 50, 110] {
        let refused = store.changes(KIND, "p1", after, 9).await;
        assert!(
            matches!(refused, Err(StoreError::Forgotten { .. })),
            "{after}: {refused:?}"
        );
    }
    let since = store.changes(KIND, "p1", last, 9).await.unwrap();
    assert_eq!(told(&since.changes), [line("a", "1", "2")]);
    assert_eq!(since.changes[0].number, 112);
}

pub(super) async fn wake_whoever_waits(store: &impl Store) {
    const LONG: Duration = Duration::from_secs(30);
    put(store, doc("a", "p1", 0, "1")).await;
    let last = store.last_change().await.unwrap();
    timeout(LONG, store.changed_since(last - 1))
        .await
        .expect("it has happened");
    let waiting = timeout(LONG, store.changed_since(last));
    let writing = put(store, doc("a", "p1", 1, "2"));
    let (woken, ()) = tokio::join!(waiting, writing);
    woken.expect("somebody wrote");
}
