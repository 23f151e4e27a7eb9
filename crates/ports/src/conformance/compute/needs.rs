//! What a machine needs, and what is said when it is not there.

use types::{Bytes, FaultKind, VolumeId};

use super::{Bench, attach, boot, started};
use crate::{
    Compute, Volumes,
    compute::{Attachment, Init, Unit},
    conformance::told,
    volumes::VolumeDesired,
};

fn volume() -> VolumeDesired {
    VolumeDesired {
        id: VolumeId::generate(),
        size: Bytes::mib(64),
    }
}

pub(super) async fn a_missing_interface_is_named_and_nothing_stays(bench: &impl Bench) {
    let (compute, machine) = (bench.compute(), bench.machine());
    let fault = told(
        compute.apply(&machine).await,
        FaultKind::Unavailable,
        "interface-missing",
    );
    assert!(fault.cause.contains(&machine.nic.interface), "{fault}");
    assert!(compute.observe(&machine.id).await.is_absent());
    assert_eq!(compute.scan().await.unwrap(), []);
    boot(bench, &machine).await;
}

pub(super) async fn a_missing_volume_is_named_and_nothing_stays(bench: &impl Bench) {
    let (compute, mut machine, wanted) = (bench.compute(), bench.machine(), volume());
    let made = bench.volumes().ensure(&wanted).await.unwrap();
    bench.volumes().remove(&wanted.id).await.unwrap();
    machine.volumes.push(Attachment {
        volume: wanted.id.clone(),
        source: made.source.clone(),
        mount_at: "/data".into(),
    });
    bench.plug(&machine).await;
    let fault = told(
        compute.apply(&machine).await,
        FaultKind::Unavailable,
        "volume-missing",
    );
    assert!(
        fault.cause.contains(&made.source.display().to_string()),
        "{fault}"
    );
    assert!(compute.observe(&machine.id).await.is_absent());
    assert_eq!(compute.scan().await.unwrap(), []);
    bench.volumes().ensure(&wanted).await.unwrap();
    compute
        .apply(&machine)
        .await
        .expect("its interface is still there");
}

pub(super) async fn a_configuration_that_cannot_be_laid_is_refused(bench: &impl Bench) {
    let compute = bench.compute();
    let (mut relative, mut unfit) = (bench.machine(), bench.machine());
    relative.config.files.push(super::file("etc/relative", "x"));
    unfit.init = Init::Keeper;
    unfit.config.units.push(Unit {
        name: "a.service".to_owned(),
        text: String::new(),
        enabled: true,
    });
    for machine in [relative, unfit] {
        bench.plug(&machine).await;
        told(
            compute.apply(&machine).await,
            FaultKind::Invalid,
            "machine-config-invalid",
        );
        assert!(compute.observe(&machine.id).await.is_absent());
    }
    assert_eq!(compute.scan().await.unwrap(), []);
}

/// A file system mounted twice is a file system lost.
pub(super) async fn a_volume_is_in_one_machine_only(bench: &impl Bench) {
    let (compute, volumes, wanted) = (bench.compute(), bench.volumes(), volume());
    let (mut first, mut second) = (bench.machine(), bench.machine());
    attach(bench, &mut first, &wanted).await;
    attach(bench, &mut second, &wanted).await;
    let leader = boot(bench, &first).await;
    bench.plug(&second).await;
    // Both may wait for a machine that is dying.
    let (started_twice, removed) = tokio::join!(compute.apply(&second), volumes.remove(&wanted.id));
    told(started_twice, FaultKind::Conflict, "volume-in-use");
    told(removed, FaultKind::Conflict, "volume-in-use");
    assert!(compute.observe(&second.id).await.is_absent());
    assert_eq!(started(compute.apply(&first).await.unwrap()), leader);
    compute.remove(&first.id).await.unwrap();
    compute.apply(&second).await.expect("it is free now");
}
