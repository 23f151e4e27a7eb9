//! What every `Store` does. Each case gets a store of its own; time is what the case says it is.

mod audit;
mod changes;
mod documents;
mod pages;
mod records;
mod secrets;
mod tasks;
mod wakes;

use types::operation::{Subject, SubjectKind};

use super::suite;
use crate::store::{Batch, Lease, Store, StoreError, Write};

suite!(
    "Store",
    Store,
    [
        documents::what_is_put_is_got_and_listed,
        documents::filters_narrow_together,
        documents::names_are_unique_in_kind_and_scope,
        documents::a_version_replaces_only_its_own,
        documents::a_batch_is_all_or_nothing,
        documents::of_many_writers_one_wins,
        pages::come_in_every_order_and_end,
        pages::neither_repeat_nor_skip_while_others_write,
        changes::are_told_with_what_was_before_and_after,
        changes::are_only_of_what_is_watched_and_differs,
        changes::of_a_refused_batch_are_none,
        changes::the_past_can_be_read,
        changes::are_trimmed_in_each_scope,
        changes::can_be_forgotten_with_numbers_that_others_heard,
        changes::wake_whoever_waits,
        tasks::the_longest_due_is_taken_first,
        tasks::a_lease_is_exclusive_until_it_runs_out,
        tasks::renewing_keeps_it,
        tasks::the_leases_of_the_dead_can_be_ended,
        tasks::a_lost_lease_writes_nothing,
        wakes::a_wake_during_the_lease_is_not_lost,
        wakes::a_wake_never_delays,
        wakes::a_wake_outlives_a_dead_worker,
        tasks::release_says_when_and_counts_failures,
        tasks::an_ended_task_is_gone_and_its_lease_with_it,
        wakes::next_due_counts_leased_tasks,
        wakes::a_clock_set_back_holds_nothing_up,
        wakes::a_clock_set_forward_lets_only_one_write,
        tasks::of_many_workers_each_task_has_one,
        records::the_ledger_is_a_set_in_order,
        secrets::belong_to_their_row,
        secrets::come_in_pages,
        secrets::are_replaced_only_as_they_were,
        secrets::a_retired_key_has_none_and_gets_none,
        records::events_come_newest_first_and_are_trimmed,
        audit::records_follow_each_other,
        audit::filters_and_pages,
        audit::many_at_once_make_one_chain,
        audit::the_head_is_sealed_with_each_record,
        audit::a_lost_head_leaves_a_break,
        audit::what_cannot_be_sealed_is_not_written,
    ]
);

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
