//! When tasks come due: wake-ups, and a clock that is set.

use super::{
    cluster,
    tasks::{T0, TTL, give_back, is_fenced, mark, nothing_due, take, wake},
    write_fenced,
};
use crate::store::Store;

pub(super) async fn a_wake_during_the_lease_is_not_lost(store: &impl Store) {
    wake(store, "c", T0).await;
    let lease = take(store, "w", T0).await;
    wake(store, "c", T0 + 70).await;
    wake(store, "c", T0 + 40).await;
    wake(store, "c", T0 + 90).await;
    nothing_due(store, T0 + 100).await;
    give_back(store, &lease, T0 + 60_000).await;
    nothing_due(store, T0 + 39).await;
    let again = take(store, "w", T0 + 40).await;
    give_back(store, &again, T0 + 60_000).await;
    nothing_due(store, T0 + 59_999).await;
    take(store, "w", T0 + 60_000).await;
}

pub(super) async fn a_wake_never_delays(store: &impl Store) {
    wake(store, "c", T0 + 10).await;
    wake(store, "c", T0 + 500).await;
    let lease = take(store, "w", T0 + 10).await;
    wake(store, "c", T0 + 500).await;
    give_back(store, &lease, T0 + 100).await;
    take(store, "w", T0 + 100).await;
}

pub(super) async fn a_wake_outlives_a_dead_worker(store: &impl Store) {
    wake(store, "c", T0).await;
    take(store, "dead", T0).await;
    wake(store, "c", T0 + 5).await;
    wake(store, "d", T0 + 1).await;
    assert_eq!(take(store, "dead too", T0 + 1).await.subject, cluster("d"));
    wake(store, "d", T0 + 3 * TTL).await;

    let c = take(store, "w", T0 + TTL).await;
    assert_eq!(c.subject, cluster("c"));
    give_back(store, &c, T0 + 60_000).await;
    let d = take(store, "w", T0 + TTL + 1).await;
    assert_eq!(
        d.subject,
        cluster("d"),
        "the past wake of c was seen by the lease after it"
    );
    give_back(store, &d, T0 + 60_000).await;
    nothing_due(store, T0 + 3 * TTL - 1).await;
    assert_eq!(
        take(store, "w", T0 + 3 * TTL).await.subject,
        cluster("d"),
        "a wake for later is still to come"
    );
}

pub(super) async fn next_due_counts_leased_tasks(store: &impl Store) {
    assert_eq!(store.next_due_ms().await.unwrap(), None);
    wake(store, "c", T0 + 10).await;
    wake(store, "d", T0 + 5_000).await;
    assert_eq!(store.next_due_ms().await.unwrap(), Some(T0 + 10));
    let lease = take(store, "w", T0 + 10).await;
    assert_eq!(
        store.next_due_ms().await.unwrap(),
        Some(T0 + 10 + TTL),
        "a leased task when its lease runs out"
    );
    give_back(store, &lease, T0 + 9_000).await;
    assert_eq!(store.next_due_ms().await.unwrap(), Some(T0 + 5_000));
}

pub(super) async fn a_clock_set_back_holds_nothing_up(store: &impl Store) {
    const DAY: i64 = 86_400_000;
    wake(store, "held", T0).await;
    wake(store, "waiting", T0 + 1).await;
    wake(store, "new", T0 + 10).await;
    let held = take(store, "dead", T0).await;
    let waiting = take(store, "w", T0 + 1).await;
    give_back(store, &waiting, T0 + 30_000).await;
    wake(store, "held", T0 + 2).await;

    let then = T0 - DAY;
    let due = [take(store, "w", then).await, take(store, "w", then).await];
    assert_eq!(
        due.clone().map(|lease| lease.subject.id),
        ["new", "waiting"],
        "what waited is due, once"
    );
    give_back(store, &due[0], then + 10 * DAY).await;
    give_back(store, &due[1], then + 10 * DAY).await;
    store
        .renew(&held, then, TTL)
        .await
        .expect("a live holder keeps its lease over the change");
    nothing_due(store, then + TTL - 1).await;
    let taken = take(store, "w", then + TTL).await;
    assert_eq!(
        taken.subject.id, "held",
        "a dead holder's lease runs out as it would have"
    );
    assert!(taken.fence > held.fence);
    give_back(store, &taken, then + 10 * DAY).await;
    nothing_due(store, then + 2 * TTL).await;
}

pub(super) async fn a_clock_set_forward_lets_only_one_write(store: &impl Store) {
    const YEAR: i64 = 31_536_000_000;
    wake(store, "c", T0).await;
    let before = take(store, "w1", T0).await;
    let after = take(store, "w2", T0 + YEAR).await;
    is_fenced(
        write_fenced(store, &before, mark("both")).await,
        "the holder from before",
    );
    write_fenced(store, &after, mark("both")).await.unwrap();
    give_back(store, &after, T0 + YEAR + 10).await;
    let again = take(store, "w2", T0 + 20).await;
    assert_eq!(
        again.subject,
        cluster("c"),
        "and when the clock is put right, nothing waits for a year"
    );
}
