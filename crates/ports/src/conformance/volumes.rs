//! What every `Volumes` does.

use async_trait::async_trait;
use types::{Bytes, VolumeId, status::Observed};

use super::{abandon, at_once, suite};
use crate::{
    Volumes,
    scan::Found,
    volumes::{VolumeDesired, VolumeObserved},
};

/// A host with two platform instances, nothing made yet.
#[async_trait]
pub trait Bench: Sync {
    type Subject: Volumes + Clone + 'static;

    fn volumes(&self) -> Self::Subject;

    /// The same instance after a restart of the platform.
    fn restarted(&self) -> Self::Subject;

    /// The other instance.
    fn neighbour(&self) -> Self::Subject;

    /// Puts something on the volume that formatting would take away.
    fn write(&self, volume: &VolumeObserved);

    /// Whether it is still there.
    fn is_written(&self, volume: &VolumeObserved) -> bool;

    /// Whether a machine could mount it.
    fn is_whole(&self, volume: &VolumeObserved) -> bool;

    /// What is there when the making of a volume is killed in the middle.
    async fn half_make(&self, volume: &VolumeDesired);

    /// Until `restore`, or for the next look, it cannot be told whether the volume is there.
    fn blind(&self, volume: &VolumeId);

    fn restore(&self, volume: &VolumeId);
}

suite!(
    "Volumes",
    Bench,
    [
        what_is_not_there_is_absent_and_can_be_removed,
        what_is_ensured_is_seen,
        twice_is_once_and_what_is_on_it_stays,
        one_that_exists_keeps_its_size,
        removal_leaves_nothing_and_may_be_repeated,
        volumes_and_instances_do_not_meet,
        calls_at_once_make_one,
        a_half_made_one_is_made_anew_or_removed,
        a_caller_that_goes_away_leaves_nothing_broken,
        what_cannot_be_told_is_unknown,
    ]
);

fn volume() -> VolumeDesired {
    VolumeDesired {
        id: VolumeId::generate(),
        size: Bytes::mib(64),
    }
}

async fn owned(volumes: &impl Volumes, id: &VolumeId) -> Vec<Found> {
    let mut found = volumes.scan().await.unwrap();
    found.retain(|found| found.owner == id.as_str());
    found
}

async fn what_is_not_there_is_absent_and_can_be_removed(bench: &impl Bench) {
    let (volumes, id) = (bench.volumes(), volume().id);
    for _ in 0..2 {
        assert!(volumes.observe(&id).await.is_absent());
        volumes.remove(&id).await.unwrap();
    }
    assert_eq!(volumes.scan().await.unwrap(), []);
}

async fn what_is_ensured_is_seen(bench: &impl Bench) {
    let (volumes, wanted) = (bench.volumes(), volume());
    let made = volumes.ensure(&wanted).await.unwrap();
    assert_eq!(made.size, wanted.size);
    assert!(bench.is_whole(&made));
    assert_eq!(volumes.observe(&wanted.id).await, Observed::Present(made));
    assert_eq!(owned(&volumes, &wanted.id).await.len(), 1);
}

async fn twice_is_once_and_what_is_on_it_stays(bench: &impl Bench) {
    let (volumes, wanted) = (bench.volumes(), volume());
    let made = volumes.ensure(&wanted).await.unwrap();
    bench.write(&made);
    for again in [volumes, bench.restarted()] {
        assert_eq!(again.ensure(&wanted).await.unwrap(), made);
        assert_eq!(again.observe(&wanted.id).await, Observed::Present(made.clone()));
        assert!(bench.is_written(&made), "it was formatted again");
    }
}

async fn one_that_exists_keeps_its_size(bench: &impl Bench) {
    let (volumes, wanted) = (bench.volumes(), volume());
    let made = volumes.ensure(&wanted).await.unwrap();
    bench.write(&made);
    let larger = VolumeDesired {
        size: Bytes::mib(128),
        ..wanted
    };
    assert_eq!(
        volumes.ensure(&larger).await.unwrap(),
        made,
        "found, and said as it is"
    );
    assert!(bench.is_written(&made) && bench.is_whole(&made));
}

async fn removal_leaves_nothing_and_may_be_repeated(bench: &impl Bench) {
    let (volumes, wanted) = (bench.volumes(), volume());
    let first = volumes.ensure(&wanted).await.unwrap();
    bench.write(&first);
    for _ in 0..2 {
        volumes.remove(&wanted.id).await.unwrap();
        assert!(volumes.observe(&wanted.id).await.is_absent());
        assert_eq!(volumes.scan().await.unwrap(), []);
    }
    let again = volumes.ensure(&wanted).await.unwrap();
    assert!(!bench.is_written(&again), "a new one is empty");
}

/// The same id in both instances: only the instance tells them apart.
async fn volumes_and_instances_do_not_meet(bench: &impl Bench) {
    let (ours, theirs) = (bench.volumes(), bench.neighbour());
    let (one, two) = (volume(), volume());
    let kept = ours.ensure(&one).await.unwrap();
    bench.write(&kept);
    ours.ensure(&two).await.unwrap();
    assert!(theirs.observe(&one.id).await.is_absent());
    assert_eq!(theirs.scan().await.unwrap(), []);
    theirs.ensure(&one).await.unwrap();
    theirs.remove(&one.id).await.unwrap();
    ours.remove(&two.id).await.unwrap();
    assert_eq!(ours.observe(&one.id).await, Observed::Present(kept.clone()));
    assert!(bench.is_written(&kept));
}

/// Whoever is answered may mount it at once: no other call may still be at work on it.
async fn calls_at_once_make_one(bench: &impl Bench) {
    let wanted = volume();
    let calls = (0..4).map(|_| {
        let (volumes, wanted) = (bench.volumes(), wanted.clone());
        async move { volumes.ensure(&wanted).await.unwrap() }
    });
    let answers = at_once(calls).await;
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert!(bench.is_whole(&answers[0]));
    assert_eq!(owned(&bench.volumes(), &wanted.id).await.len(), 1);

    let removals = (0..4).map(|_| {
        let (volumes, id) = (bench.volumes(), wanted.id.clone());
        async move { volumes.remove(&id).await }
    });
    for removed in at_once(removals).await {
        removed.unwrap();
    }
    assert_eq!(bench.volumes().scan().await.unwrap(), []);
}

async fn a_half_made_one_is_made_anew_or_removed(bench: &impl Bench) {
    let (made, removed) = (volume(), volume());
    bench.half_make(&made).await;
    bench.half_make(&removed).await;
    let volumes = bench.restarted();
    for half in [&made, &removed] {
        assert!(volumes.observe(&half.id).await.is_absent(), "half of one is none");
    }
    let whole = volumes.ensure(&made).await.unwrap();
    assert!(whole.size == made.size && bench.is_whole(&whole));
    for id in [&made.id, &removed.id] {
        volumes.remove(id).await.unwrap();
    }
    assert_eq!(volumes.scan().await.unwrap(), []);
}

async fn a_caller_that_goes_away_leaves_nothing_broken(bench: &impl Bench) {
    let (volumes, wanted) = (bench.volumes(), volume());
    abandon(volumes.ensure(&wanted)).await;
    let made = volumes.ensure(&wanted).await.unwrap();
    assert!(made.size == wanted.size && bench.is_whole(&made));
    abandon(volumes.remove(&wanted.id)).await;
    volumes.remove(&wanted.id).await.unwrap();
    assert_eq!(volumes.scan().await.unwrap(), []);
}

async fn what_cannot_be_told_is_unknown(bench: &impl Bench) {
    let (volumes, wanted) = (bench.volumes(), volume());
    let made = volumes.ensure(&wanted).await.unwrap();
    bench.blind(&wanted.id);
    let seen = volumes.observe(&wanted.id).await;
    bench.restore(&wanted.id);
    assert!(
        matches!(&seen, Observed::Unknown(why) if !why.is_empty()),
        "{seen:?}"
    );
    assert_eq!(volumes.observe(&wanted.id).await, Observed::Present(made));
}
