//! Ledger, events.

use types::{
    EventId, ProjectId, Timestamp,
    operation::{Event, Severity, Subject},
};

use super::{cluster, write};
use crate::store::{LedgerEntry, Store, Write};

pub(super) async fn the_ledger_is_a_set_in_order(store: &impl Store) {
    let entry = |id: &str| LedgerEntry {
        subject: cluster("c"),
        kind: "machine".to_owned(),
        id: id.to_owned(),
    };
    let other = LedgerEntry {
        subject: cluster("d"),
        ..entry("m1")
    };
    let add = |entry: LedgerEntry| Write::LedgerAdd(entry);
    write(store, [add(entry("m2")), add(entry("m1")), add(other.clone())])
        .await
        .unwrap();
    write(store, [add(entry("m2"))])
        .await
        .expect("adding again changes nothing");
    assert_eq!(
        store.ledger(&cluster("c")).await.unwrap(),
        [entry("m2"), entry("m1")],
        "as they were written"
    );

    let gone = || Write::LedgerRemove {
        subject: cluster("c"),
        kind: "machine".to_owned(),
        id: "m1".to_owned(),
    };
    write(store, [gone()]).await.unwrap();
    write(store, [gone()])
        .await
        .expect("removing what is not there succeeds");
    assert_eq!(store.ledger(&cluster("c")).await.unwrap(), [entry("m2")]);
    assert_eq!(
        store.ledger(&cluster("d")).await.unwrap(),
        [other],
        "another subject's entry of the same name stays"
    );
}

pub(super) async fn events_come_newest_first_and_are_trimmed(store: &impl Store) {
    let project = ProjectId::generate();
    let event = |subject: Subject, reason: &str, at: i64| Event {
        id: EventId::generate(),
        project: project.clone(),
        subject,
        subject_name: "demo".to_owned(),
        severity: Severity::Normal,
        reason: reason.to_owned(),
        message: "something happened".to_owned(),
        at: Timestamp(at),
    };
    let first = event(cluster("c"), "first", 100);
    let second = event(cluster("d"), "second", 200);
    let third = event(cluster("c"), "third", 150);
    for event in [&first, &second, &third] {
        write(store, [Write::Event(event.clone())]).await.unwrap();
    }
    write(store, [Write::Event(first.clone())])
        .await
        .expect("the same event again changes nothing");
    let foreign = Event {
        project: ProjectId::generate(),
        ..event(cluster("c"), "foreign", 150)
    };
    write(store, [Write::Event(foreign)]).await.unwrap();

    let reasons = async |subject: Option<&Subject>, limit: u32| -> Vec<String> {
        let events = store
            .events(project.as_str(), subject, None, limit)
            .await
            .unwrap();
        events.into_iter().map(|(_, event)| event.reason).collect()
    };
    assert_eq!(
        reasons(None, 10).await,
        ["third", "second", "first"],
        "as they were written, whatever the clock said"
    );
    assert_eq!(reasons(None, 2).await, ["third", "second"]);
    assert_eq!(reasons(Some(&cluster("c")), 10).await, ["third", "first"]);
    assert_eq!(reasons(None, 0).await, [""; 0]);
    let newest = store.events(project.as_str(), None, None, 1).await.unwrap();
    assert_eq!(newest[0].1, third);
    let before = store.events(project.as_str(), None, Some(newest[0].0), 1);
    assert_eq!(before.await.unwrap()[0].1, second, "the page after it");

    assert_eq!(
        store.trim_events(Timestamp(150)).await.unwrap(),
        1,
        "those before, not those at"
    );
    assert_eq!(reasons(None, 10).await, ["third", "second"]);
    assert_eq!(store.trim_events(Timestamp(150)).await.unwrap(), 0);
}
