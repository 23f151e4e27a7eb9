//! What every `Store` does. Each case gets a store of its own; time is what the case says it is.

mod documents;
mod records;
mod tasks;
mod wakes;

use types::operation::{Subject, SubjectKind};

use crate::store::{Batch, Lease, Store, StoreError, Write};

/// Runs every case on a fresh, empty store that `make` answers. Panics where the contract is broken.
pub async fn suite<S: Store>(make: impl AsyncFn() -> S) {
    documents::what_is_put_is_got_and_listed(&make().await).await;
    documents::filters_narrow_together(&make().await).await;
    documents::names_are_unique_in_kind_and_project(&make().await).await;
    documents::a_version_replaces_only_its_own(&make().await).await;
    documents::a_batch_is_all_or_nothing(&make().await).await;
    documents::of_many_writers_one_wins(&make().await).await;

    tasks::the_longest_due_is_taken_first(&make().await).await;
    tasks::a_lease_is_exclusive_until_it_runs_out(&make().await).await;
    tasks::renewing_keeps_it(&make().await).await;
    tasks::the_leases_of_the_dead_can_be_ended(&make().await).await;
    tasks::a_lost_lease_writes_nothing(&make().await).await;
    wakes::a_wake_during_the_lease_is_not_lost(&make().await).await;
    wakes::a_wake_never_delays(&make().await).await;
    wakes::a_wake_outlives_a_dead_worker(&make().await).await;
    tasks::release_says_when_and_counts_failures(&make().await).await;
    tasks::an_ended_task_is_gone_and_its_lease_with_it(&make().await).await;
    wakes::next_due_counts_leased_tasks(&make().await).await;
    wakes::a_clock_set_back_holds_nothing_up(&make().await).await;
    wakes::a_clock_set_forward_lets_only_one_write(&make().await).await;
    tasks::of_many_workers_each_task_has_one(&make().await).await;

    records::the_ledger_is_a_set_in_order(&make().await).await;
    records::secrets_belong_to_their_row(&make().await).await;
    records::events_come_newest_first_and_are_trimmed(&make().await).await;
}

fn cluster(id: &str) -> Subject {
    Subject {
        kind: SubjectKind::Cluster,
        id: id.to_owned(),
    }
}

async fn write(store: &impl Store, writes: impl IntoIterator<Item = Write>) -> Result<(), StoreError> {
    store
        .commit(Batch {
            fence: None,
            writes: writes.into_iter().collect(),
        })
        .await
}

async fn write_fenced(store: &impl Store, lease: &Lease, write: Write) -> Result<(), StoreError> {
    store
        .commit(Batch {
            fence: Some(lease.clone()),
            writes: vec![write],
        })
        .await
}
