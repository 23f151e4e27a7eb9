//! Deaths: of machines, of interfaces, of the platform in the middle of something.

use types::{FaultKind, machine::Power, status::Observed};

use super::{Bench, boot, file, owned, seen, started};
use crate::{
    Compute,
    conformance::{abandon, eventually, told},
};

pub(super) async fn power_that_was_cut_is_off_and_comes_back(bench: &impl Bench) {
    let (compute, mut machine) = (bench.compute(), bench.machine());
    machine.config.files.push(file("/etc/key", "one"));
    let first = boot(bench, &machine).await;
    bench.cut_power(&machine).await;
    eventually("its being off", async || {
        seen(&compute, &machine.id).await.power == Power::Off
    })
    .await;
    let dead = seen(&bench.restarted(), &machine.id).await;
    assert_eq!((dead.leader, dead.attached), (None, false));
    assert_eq!(
        dead.config_digest,
        bench.digest(&machine.config),
        "what was laid last"
    );
    told(
        compute.apply(&machine).await,
        FaultKind::Unavailable,
        "interface-missing",
    );
    assert_eq!(
        seen(&compute, &machine.id).await.power,
        Power::Off,
        "it is not lost by that"
    );
    assert_ne!(boot(bench, &machine).await, first);
    assert_eq!(bench.read(&machine, "/etc/key").await.as_deref(), Some("one"));
}

pub(super) async fn a_lost_interface_is_put_in_again(bench: &impl Bench) {
    let (compute, machine) = (bench.compute(), bench.machine());
    let leader = boot(bench, &machine).await;
    bench.unplug(&machine).await;
    eventually("its loss", async || !seen(&compute, &machine.id).await.attached).await;
    assert_eq!(seen(&compute, &machine.id).await.leader, Some(leader));
    told(
        compute.apply(&machine).await,
        FaultKind::Unavailable,
        "interface-missing",
    );
    bench.plug(&machine).await;
    let again = compute.apply(&machine).await.unwrap();
    assert_eq!((again.leader, again.attached), (Some(leader), true));
}

pub(super) async fn one_that_was_forgotten_is_adopted(bench: &impl Bench) {
    let machine = bench.machine();
    let leader = boot(bench, &machine).await;
    bench.forget(&machine);
    bench.unplug(&machine).await;
    bench.plug(&machine).await;
    let restarted = bench.restarted();
    assert_eq!(seen(&restarted, &machine.id).await.leader, Some(leader));
    let adopted = restarted.apply(&machine).await.unwrap();
    assert_eq!((adopted.leader, adopted.attached), (Some(leader), true));
    restarted.remove(&machine.id).await.unwrap();
    assert_eq!(bench.compute().scan().await.unwrap(), []);
}

pub(super) async fn a_half_made_one_is_finished_or_removed(bench: &impl Bench) {
    let (finished, removed) = (bench.machine(), bench.machine());
    bench.half_make(&finished).await;
    bench.half_make(&removed).await;
    let compute = bench.restarted();
    assert!(
        !owned(&compute, &removed.id).await.is_empty(),
        "a scan finds half of one"
    );
    compute.remove(&removed.id).await.unwrap();
    assert!(compute.observe(&removed.id).await.is_absent());
    let leader = boot(bench, &finished).await;
    assert_eq!(seen(&compute, &finished.id).await.leader, Some(leader));
    compute.remove(&finished.id).await.unwrap();
    assert_eq!(compute.scan().await.unwrap(), []);
}

pub(super) async fn a_caller_that_goes_away_starts_no_second(bench: &impl Bench) {
    let (compute, machine) = (bench.compute(), bench.machine());
    bench.plug(&machine).await;
    abandon(compute.apply(&machine)).await;
    let leader = started(compute.apply(&machine).await.unwrap());
    assert_eq!(seen(&compute, &machine.id).await.leader, Some(leader));
    abandon(compute.remove(&machine.id)).await;
    compute.remove(&machine.id).await.unwrap();
    assert_eq!(compute.scan().await.unwrap(), []);
}

pub(super) async fn what_cannot_be_told_is_unknown(bench: &impl Bench) {
    let (compute, mut machine) = (bench.compute(), bench.machine());
    machine.power = Power::Off;
    let off = compute.apply(&machine).await.unwrap();
    bench.blind(&machine.id);
    let seen = compute.observe(&machine.id).await;
    bench.restore(&machine.id);
    assert!(
        matches!(&seen, Observed::Unknown(why) if !why.is_empty()),
        "{seen:?}"
    );
    assert_eq!(compute.observe(&machine.id).await, Observed::Present(off));
}
