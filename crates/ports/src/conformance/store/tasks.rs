//! Tasks: order, exclusiveness, fences.

use std::collections::BTreeSet;

use serde_json::json;

use super::{cluster, write, write_fenced};
use crate::store::{Doc, Lease, Next, Store, StoreError, Write};

pub(super) const TTL: i64 = 1_000;
/// Far from zero on both sides, as a wall clock is.
pub(super) const T0: i64 = 1_700_000_000_000;

pub(super) async fn wake(store: &impl Store, id: &str, at_ms: i64) {
    write(
        store,
        [Write::Wake {
            subject: cluster(id),
            at_ms,
        }],
    )
    .await
    .unwrap();
}

pub(super) async fn take(store: &impl Store, owner: &str, now_ms: i64) -> Lease {
    store
        .lease(owner, now_ms, TTL)
        .await
        .unwrap()
        .expect("a task is due")
}

pub(super) async fn nothing_due(store: &impl Store, now_ms: i64) {
    assert_eq!(
        store.lease("somebody", now_ms, TTL).await.unwrap(),
        None,
        "nothing is due at T0+{}",
        now_ms - T0
    );
}

pub(super) async fn give_back(store: &impl Store, lease: &Lease, run_at_ms: i64) {
    store
        .release(
            lease,
            Next {
                run_at_ms,
                failures: 0,
            },
        )
        .await
        .unwrap();
}

pub(super) fn mark(id: &str) -> Write {
    Write::Put(Doc {
        kind: "mark",
        id: id.to_owned(),
        scope: "p".to_owned(),
        name: None,
        parent: None,
        version: 0,
        body: json!({}),
    })
}

pub(super) fn is_fenced(outcome: Result<(), StoreError>, what: &str) {
    assert!(
        matches!(outcome, Err(StoreError::Fenced { .. })),
        "{what}: {outcome:?}"
    );
}

pub(super) async fn the_longest_due_is_taken_first(store: &impl Store) {
    nothing_due(store, T0).await;
    for (id, at) in [("late", 30), ("early", 10), ("middle", 20)] {
        wake(store, id, T0 + at).await;
    }
    nothing_due(store, T0 + 9).await;
    let order = [
        take(store, "w", T0 + 50).await,
        take(store, "w", T0 + 50).await,
        take(store, "w", T0 + 50).await,
    ];
    assert_eq!(
        order.clone().map(|lease| lease.subject.id),
        ["early", "middle", "late"]
    );
    assert!(
        order[0].fence < order[1].fence && order[1].fence < order[2].fence,
        "fences rise: {order:?}"
    );
    nothing_due(store, T0 + 50).await;
}

pub(super) async fn a_lease_is_exclusive_until_it_runs_out(store: &impl Store) {
    wake(store, "c", T0).await;
    let first = take(store, "w1", T0).await;
    assert_eq!(
        (first.subject.id.as_str(), first.owner.as_str(), first.failures),
        ("c", "w1", 0)
    );
    nothing_due(store, T0 + TTL - 1).await;
    let second = take(store, "w2", T0 + TTL).await;
    assert!(second.fence > first.fence, "the fence rises with a takeover");
    is_fenced(store.renew(&first, T0 + TTL, TTL).await, "renewing a lost lease");
    let next = Next {
        run_at_ms: T0,
        failures: 9,
    };
    is_fenced(store.release(&first, next).await, "releasing a lost lease");
    store
        .renew(&second, T0 + TTL, TTL)
        .await
        .expect("the holder is not disturbed");
}

pub(super) async fn the_leases_of_the_dead_can_be_ended(store: &impl Store) {
    wake(store, "one", 100).await;
    wake(store, "two", 101).await;
    let dead = take(store, "dead", 200).await;
    let alive = take(store, "alive", 200).await;
    store.end_leases("dead", 201).await.unwrap();
    let taken = take(store, "next", 201).await;
    assert_eq!(taken.subject, dead.subject);
    assert!(taken.fence > dead.fence);
    nothing_due(store, 201).await;
    give_back(store, &alive, 300).await;
}

pub(super) async fn renewing_keeps_it(store: &impl Store) {
    wake(store, "c", T0).await;
    let lease = take(store, "w1", T0).await;
    store.renew(&lease, T0 + 900, TTL).await.unwrap();
    nothing_due(store, T0 + TTL + 500).await;
    store
        .renew(&lease, T0 + 5 * TTL, TTL)
        .await
        .expect("late, but nobody took it meanwhile");
    nothing_due(store, T0 + 5 * TTL + 500).await;
    write_fenced(store, &lease, mark("a")).await.unwrap();
}

pub(super) async fn a_lost_lease_writes_nothing(store: &impl Store) {
    wake(store, "c", T0).await;
    let first = take(store, "w", T0).await;
    write_fenced(store, &first, mark("held")).await.unwrap();

    let second = take(store, "w", T0 + TTL).await;
    is_fenced(
        write_fenced(store, &first, mark("lost")).await,
        "the same owner's older lease",
    );
    assert_eq!(store.get("mark", "lost").await.unwrap(), None);
    let stranger = Lease {
        owner: "x".to_owned(),
        ..second.clone()
    };
    is_fenced(
        write_fenced(store, &stranger, mark("lost")).await,
        "somebody else with the right number",
    );
    write_fenced(store, &second, mark("taken over")).await.unwrap();

    give_back(store, &second, T0).await;
    is_fenced(
        write_fenced(store, &second, mark("lost")).await,
        "a lease that was given back",
    );
    is_fenced(
        store
            .release(
                &second,
                Next {
                    run_at_ms: T0,
                    failures: 0,
                },
            )
            .await,
        "giving it back twice",
    );
}

pub(super) async fn release_says_when_and_counts_failures(store: &impl Store) {
    wake(store, "c", T0).await;
    let lease = take(store, "w", T0).await;
    store
        .release(
            &lease,
            Next {
                run_at_ms: T0 + 200,
                failures: 3,
            },
        )
        .await
        .unwrap();
    nothing_due(store, T0 + 199).await;
    let lease = take(store, "w", T0 + 200).await;
    assert_eq!(lease.failures, 3);
    store
        .release(
            &lease,
            Next {
                run_at_ms: T0 + 300,
                failures: 0,
            },
        )
        .await
        .unwrap();
    let lease = take(store, "w", T0 + 300).await;
    assert_eq!(lease.failures, 0);
    let later = Next {
        run_at_ms: T0 + 900,
        failures: 4,
    };
    store.release(&lease, later).await.unwrap();
    // Something new was asked for: what failed before says nothing about it.
    wake(store, "c", T0 + 400).await;
    assert_eq!(take(store, "w", T0 + 400).await.failures, 0);
}

pub(super) async fn an_ended_task_is_gone_and_its_lease_with_it(store: &impl Store) {
    wake(store, "c", T0).await;
    let lease = take(store, "w", T0).await;
    write_fenced(
        store,
        &lease,
        Write::EndTask {
            subject: cluster("c"),
        },
    )
    .await
    .unwrap();
    is_fenced(
        write_fenced(store, &lease, mark("after")).await,
        "writing for what has ended",
    );
    is_fenced(store.renew(&lease, T0, TTL).await, "renewing what has ended");
    give_back(store, &lease, T0).await;
    nothing_due(store, T0 + 100 * TTL).await;
    assert_eq!(store.next_due_ms().await.unwrap(), None);

    wake(store, "c", T0).await;
    let reborn = take(store, "w", T0).await;
    assert!(
        reborn.fence > lease.fence,
        "also a task made again goes on counting"
    );
    is_fenced(
        write_fenced(store, &lease, mark("after")).await,
        "the lease of the task before",
    );
}

pub(super) async fn of_many_workers_each_task_has_one(store: &impl Store) {
    for n in 0..6 {
        wake(store, &format!("c{n}"), T0).await;
    }
    let worker = |name: &'static str| async move {
        let mut taken = Vec::new();
        while let Some(lease) = store.lease(name, T0, TTL).await.unwrap() {
            taken.push(lease.subject.id);
        }
        taken
    };
    let (a, b, c) = tokio::join!(worker("a"), worker("b"), worker("c"));
    let all: Vec<String> = [a, b, c].concat();
    assert_eq!(all.len(), 6, "{all:?}");
    assert_eq!(
        all.iter().collect::<BTreeSet<_>>().len(),
        6,
        "no task was given to two: {all:?}"
    );
}
