//! Making, switching, changing and removing machines.

use types::{Bytes, VolumeId, machine::Power, status::Observed};

use super::{Bench, attach, boot, file, owned, seen, started};
use crate::{
    Compute, Volumes,
    conformance::{at_once, eventually},
    scan::FoundKind,
    volumes::VolumeDesired,
};

pub(super) async fn what_is_not_there_is_absent_and_can_be_removed(bench: &impl Bench) {
    let (compute, id) = (bench.compute(), bench.machine().id);
    for _ in 0..2 {
        assert!(compute.observe(&id).await.is_absent());
        compute.remove(&id).await.unwrap();
    }
    assert_eq!(
        compute.console(&id, 10).await.unwrap(),
        "",
        "it never said anything"
    );
    assert_eq!(compute.scan().await.unwrap(), []);
    let capacity = compute.capacity().await.unwrap();
    assert!(capacity.cpus >= 1 && capacity.memory > Bytes::mib(64) && capacity.disk_free > Bytes(0));
}

pub(super) async fn what_is_applied_is_seen(bench: &impl Bench) {
    let (compute, machine) = (bench.compute(), bench.machine());
    bench.plug(&machine).await;
    let answer = compute.apply(&machine).await.unwrap();
    assert!(
        answer.power == Power::On && answer.leader.is_some() && answer.attached,
        "{answer:?}"
    );
    assert_eq!(
        answer.config_digest,
        bench.digest(&machine.config),
        "what planners compare it with"
    );
    assert_eq!(seen(&compute, &machine.id).await, answer);

    let found = owned(&compute, &machine.id).await;
    for kind in [
        FoundKind::Process,
        FoundKind::Cgroup,
        FoundKind::Mount,
        FoundKind::File,
    ] {
        assert!(
            found.iter().any(|found| found.what == kind),
            "{kind:?} in {found:?}"
        );
    }
    eventually("a word on its console", async || {
        let said = compute.console(&machine.id, 2).await.unwrap();
        assert!(said.lines().count() <= 2, "{said}");
        !said.is_empty()
    })
    .await;
}

pub(super) async fn twice_is_once_and_a_restart_adopts(bench: &impl Bench) {
    let (compute, machine) = (bench.compute(), bench.machine());
    let leader = boot(bench, &machine).await;
    let before = seen(&compute, &machine.id).await;
    for again in [compute, bench.restarted()] {
        assert_eq!(seen(&again, &machine.id).await, before);
        assert_eq!(
            started(again.apply(&machine).await.unwrap()),
            leader,
            "it was started again"
        );
        assert_eq!(seen(&again, &machine.id).await, before);
    }
}

pub(super) async fn off_keeps_it_and_on_brings_it_back(bench: &impl Bench) {
    let (compute, mut machine) = (bench.compute(), bench.machine());
    let first = boot(bench, &machine).await;
    let laid = bench.digest(&machine.config);
    machine.power = Power::Off;
    for _ in 0..2 {
        let off = compute.apply(&machine).await.unwrap();
        assert_eq!((off.power, off.leader, off.attached), (Power::Off, None, false));
        assert_eq!(seen(&compute, &machine.id).await, off, "it is off, not gone");
    }
    let left = owned(&compute, &machine.id).await;
    assert!(
        !left.is_empty() && left.iter().all(|found| found.what == FoundKind::File),
        "{left:?}"
    );

    machine.config.files.push(file("/etc/later", "later"));
    let off = compute.apply(&machine).await.unwrap();
    assert_eq!(
        off.config_digest, laid,
        "nothing is laid into a machine that is off"
    );
    machine.power = Power::On;
    let second = boot(bench, &machine).await;
    assert_ne!(second, first);
    assert_eq!(
        seen(&compute, &machine.id).await.config_digest,
        bench.digest(&machine.config)
    );
    assert_eq!(bench.read(&machine, "/etc/later").await.as_deref(), Some("later"));
}

pub(super) async fn one_that_was_never_on_can_be_off(bench: &impl Bench) {
    let (compute, mut machine) = (bench.compute(), bench.machine());
    machine.power = Power::Off;
    let off = compute.apply(&machine).await.unwrap();
    assert_eq!(
        (off.power, off.leader, off.config_digest.as_str()),
        (Power::Off, None, "")
    );
    assert_eq!(seen(&compute, &machine.id).await, off);
    compute.remove(&machine.id).await.unwrap();
    assert!(compute.observe(&machine.id).await.is_absent());
    assert_eq!(compute.scan().await.unwrap(), []);
}

pub(super) async fn changes_reach_a_running_machine_without_a_reboot(bench: &impl Bench) {
    let (compute, mut machine) = (bench.compute(), bench.machine());
    machine
        .config
        .files
        .extend([file("/etc/key", "one"), file("/etc/old", "old")]);
    let leader = boot(bench, &machine).await;
    let before = seen(&compute, &machine.id).await;
    assert_eq!(bench.read(&machine, "/etc/key").await.as_deref(), Some("one"));

    machine.config.files.truncate(machine.config.files.len() - 2);
    machine.config.files.push(file("/etc/key", "two"));
    let after = compute.apply(&machine).await.unwrap();
    assert_eq!(after.leader, Some(leader), "it was rebooted");
    assert_ne!(after.config_digest, before.config_digest);
    assert_eq!(after.config_digest, bench.digest(&machine.config));
    assert_eq!(bench.read(&machine, "/etc/key").await.as_deref(), Some("two"));
    assert_eq!(
        bench.read(&machine, "/etc/old").await,
        None,
        "what is no longer wanted goes"
    );
    assert_eq!(seen(&compute, &machine.id).await, after);

    machine.size.memory = Bytes(machine.size.memory.0 * 2);
    machine.hostname = "renamed".to_owned();
    let resized = compute.apply(&machine).await.unwrap();
    assert_eq!(
        resized.leader,
        Some(leader),
        "what only a boot can change waits for one"
    );
}

pub(super) async fn removal_leaves_nothing_but_volumes_and_may_be_repeated(bench: &impl Bench) {
    let (compute, mut machine) = (bench.compute(), bench.machine());
    let volume = VolumeDesired {
        id: VolumeId::generate(),
        size: Bytes::mib(64),
    };
    attach(bench, &mut machine, &volume).await;
    boot(bench, &machine).await;
    for _ in 0..2 {
        compute.remove(&machine.id).await.unwrap();
        assert!(compute.observe(&machine.id).await.is_absent());
        assert_eq!(compute.scan().await.unwrap(), []);
    }
    assert!(
        bench.volumes().observe(&volume.id).await.present().is_some(),
        "only detached"
    );
    boot(bench, &machine).await;
    compute.remove(&machine.id).await.unwrap();
    bench.volumes().remove(&volume.id).await.expect("nobody uses it");
}

/// The same id in both: only the instance tells them apart.
pub(super) async fn instances_do_not_meet(bench: &impl Bench) {
    let (ours, theirs, machine) = (bench.compute(), bench.neighbour(), bench.machine());
    let leader = boot(bench, &machine).await;
    assert!(theirs.observe(&machine.id).await.is_absent());
    assert_eq!(theirs.scan().await.unwrap(), []);
    let mut twin = bench.machine();
    twin.id = machine.id.clone();
    bench.plug_at_neighbour(&twin).await;
    theirs.apply(&twin).await.unwrap();
    theirs.remove(&twin.id).await.unwrap();
    assert_eq!(theirs.scan().await.unwrap(), []);
    assert_eq!(started(ours.apply(&machine).await.unwrap()), leader);
}

pub(super) async fn starts_at_once_are_one_start(bench: &impl Bench) {
    let machines = [bench.machine(), bench.machine()];
    for machine in &machines {
        bench.plug(machine).await;
    }
    let calls = [0, 1, 0, 1, 0].map(|n| {
        let (compute, machine) = (bench.compute(), machines[n].clone());
        async move {
            (
                machine.id.clone(),
                started(compute.apply(&machine).await.unwrap()),
            )
        }
    });
    for (id, leader) in at_once(calls).await {
        assert_eq!(
            seen(&bench.compute(), &id).await.leader,
            Some(leader),
            "a second start of {id}"
        );
    }
}

/// Whichever came last holds, and nothing of the other is left beside it.
pub(super) async fn a_start_and_a_removal_at_once_take_turns(bench: &impl Bench) {
    let (compute, machine) = (bench.compute(), bench.machine());
    bench.plug(&machine).await;
    let (applied, removed) = tokio::join!(compute.apply(&machine), compute.remove(&machine.id));
    let leader = started(applied.unwrap());
    removed.unwrap();
    match compute.observe(&machine.id).await {
        Observed::Present(seen) => assert_eq!(seen.leader, Some(leader)),
        Observed::Absent => assert_eq!(compute.scan().await.unwrap(), []),
        Observed::Unknown(why) => panic!("{why}"),
    }
    compute.remove(&machine.id).await.unwrap();
    assert_eq!(compute.scan().await.unwrap(), []);
}
