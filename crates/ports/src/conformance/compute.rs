//! What every `Compute` does.

mod loss;
mod needs;
mod power;

use async_trait::async_trait;
use types::{MachineId, status::Observed};

use super::suite;
use crate::{
    Compute, Volumes,
    compute::{Attachment, Content, FileEntry, Leader, MachineConfig, MachineDesired, MachineObserved},
    scan::Found,
    volumes::VolumeDesired,
};

/// A host with two platform instances, nothing made yet.
#[async_trait]
pub trait Bench: Sync {
    type Subject: Compute + Clone + 'static;
    type Volumes: Volumes + Clone + 'static;

    fn compute(&self) -> Self::Subject;

    fn volumes(&self) -> Self::Volumes;

    /// The same instance after a restart of the platform.
    fn restarted(&self) -> Self::Subject;

    /// The other instance.
    fn neighbour(&self) -> Self::Subject;

    /// A machine that keeps running once it is on, with a port of its own that is not plugged in. Made nowhere yet.
    fn machine(&self) -> MachineDesired;

    /// The host end of the machine's port is there, as `Network::apply` leaves it.
    async fn plug(&self, machine: &MachineDesired);

    /// The same on the neighbour's side.
    async fn plug_at_neighbour(&self, machine: &MachineDesired);

    /// A running machine loses its interface.
    async fn unplug(&self, machine: &MachineDesired);

    /// The machine's first process dies, behind the driver's back.
    async fn cut_power(&self, machine: &MachineDesired);

    /// What is there when the platform is killed between starting the machine and writing that down.
    fn forget(&self, machine: &MachineDesired);

    /// What is there when a first start is killed in the middle.
    async fn half_make(&self, machine: &MachineDesired);

    /// What a file in the running machine holds.
    async fn read(&self, machine: &MachineDesired, path: &str) -> Option<String>;

    /// As planners compute it.
    fn digest(&self, config: &MachineConfig) -> String;

    /// Until `restore`, or for the next look, it cannot be told whether a machine that is off is there.
    fn blind(&self, machine: &MachineId);

    fn restore(&self, machine: &MachineId);
}

suite!(
    "Compute",
    Bench,
    [
        power::what_is_not_there_is_absent_and_can_be_removed,
        power::what_is_applied_is_seen,
        power::twice_is_once_and_a_restart_adopts,
        power::off_keeps_it_and_on_brings_it_back,
        power::one_that_was_never_on_can_be_off,
        power::changes_reach_a_running_machine_without_a_reboot,
        power::removal_leaves_nothing_but_volumes_and_may_be_repeated,
        power::instances_do_not_meet,
        power::starts_at_once_are_one_start,
        power::a_start_and_a_removal_at_once_take_turns,
        needs::a_missing_interface_is_named_and_nothing_stays,
        needs::a_missing_volume_is_named_and_nothing_stays,
        needs::a_configuration_that_cannot_be_laid_is_refused,
        needs::a_volume_is_in_one_machine_only,
        loss::power_that_was_cut_is_off_and_comes_back,
        loss::a_lost_interface_is_put_in_again,
        loss::one_that_was_forgotten_is_adopted,
        loss::a_half_made_one_is_finished_or_removed,
        loss::a_caller_that_goes_away_starts_no_second,
        loss::what_cannot_be_told_is_unknown,
    ]
);

async fn seen(compute: &impl Compute, id: &MachineId) -> MachineObserved {
    match compute.observe(id).await {
        Observed::Present(seen) => seen,
        other => panic!("it is there, but is seen as {other:?}"),
    }
}

/// Plugs it in and switches it on.
async fn boot(bench: &impl Bench, machine: &MachineDesired) -> Leader {
    bench.plug(machine).await;
    started(bench.compute().apply(machine).await.unwrap())
}

#[track_caller]
fn started(answer: MachineObserved) -> Leader {
    answer.leader.expect("it runs")
}

async fn owned(compute: &impl Compute, id: &MachineId) -> Vec<Found> {
    let mut found = compute.scan().await.unwrap();
    found.retain(|found| found.owner == id.as_str());
    found
}

async fn attach(bench: &impl Bench, machine: &mut MachineDesired, volume: &VolumeDesired) {
    let made = bench.volumes().ensure(volume).await.unwrap();
    machine.volumes.push(Attachment {
        volume: volume.id.clone(),
        source: made.source,
        mount_at: "/data".into(),
    });
}

fn file(path: &str, text: &str) -> FileEntry {
    FileEntry {
        path: path.into(),
        mode: 0o600,
        content: Content::Secret(types::Secret::new(text)),
    }
}
