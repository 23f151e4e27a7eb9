//! Plans as people read them, and the rules that hold for every plan.

use types::sample;

use super::*;
use crate::check;

fn cluster() -> Cluster {
    sample::cluster("v1.36.4")
}

fn machines(cluster: &Cluster) -> Vec<Machine> {
    vec![
        sample::plane(cluster),
        sample::worker(cluster, "dev-default-1"),
        sample::worker(cluster, "dev-default-2"),
    ]
}

fn desired<'a>(cluster: &'a Cluster, machines: &'a [Machine]) -> ClusterDesired<'a> {
    let digests = machines.iter().map(|m| (m.id.clone(), String::new())).collect();
    ClusterDesired {
        cluster,
        machines,
        network_generation: 2,
        digests,
    }
}

fn settled(machines: &[Machine]) -> ClusterObserved {
    ClusterObserved::well(machines, 2)
}

fn shown(steps: &[Step]) -> String {
    check(steps).unwrap();
    let line = |step: &Step| {
        format!(
            "{:<22} {:<32} after [{}]",
            step.key,
            step.title,
            step.after.join(", ")
        )
    };
    steps.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn creation_from_nothing() {
    let cluster = cluster();
    let machines = machines(&cluster);
    let network = NetworkSeen {
        generation: 1,
        ports: Vec::new(),
    };
    insta::assert_snapshot!(shown(&preview(&desired(&cluster, &machines), network)));
}

#[test]
fn a_settled_cluster_has_an_empty_plan() {
    let mut cluster = cluster();
    cluster.status.progress.services = "sha256:r".to_owned();
    cluster.status.progress.tenancy = "sha256:r".to_owned();
    let machines = machines(&cluster);
    assert_eq!(hosted(&desired(&cluster, &machines), &settled(&machines)), []);
}

#[test]
fn a_dead_worker_is_attached_started_and_admitted_again() {
    let mut cluster = cluster();
    cluster.status.progress.services = "sha256:r".to_owned();
    cluster.status.progress.tenancy = "sha256:r".to_owned();
    let machines = machines(&cluster);
    let mut seen = settled(&machines);
    let dead = &machines[2];
    seen.machines.insert(dead.id.clone(), Observed::Absent);
    seen.admitted.retain(|id| *id != dead.id);
    if let Observed::Present(network) = &mut seen.network {
        network.ports.retain(|port| *port != dead.port);
    }
    insta::assert_snapshot!(shown(&hosted(&desired(&cluster, &machines), &seen)));
}

#[test]
fn what_is_unknown_is_left_alone() {
    let mut cluster = cluster();
    cluster.status.progress.services = "sha256:r".to_owned();
    cluster.status.progress.tenancy = "sha256:r".to_owned();
    let machines = machines(&cluster);
    let mut seen = settled(&machines);
    seen.machines
        .insert(machines[1].id.clone(), Observed::Unknown("no answer".to_owned()));
    seen.network = Observed::Unknown("no answer".to_owned());
    assert_eq!(hosted(&desired(&cluster, &machines), &seen), []);
}

#[test]
fn a_changed_file_touches_its_machine_alone() {
    let mut cluster = cluster();
    cluster.status.progress.services = "sha256:r".to_owned();
    cluster.status.progress.tenancy = "sha256:r".to_owned();
    let machines = machines(&cluster);
    let mut desired = desired(&cluster, &machines);
    desired.digests.insert(machines[1].id.clone(), "newer".to_owned());
    let keys: Vec<String> = hosted(&desired, &settled(&machines))
        .into_iter()
        .map(|s| s.key)
        .collect();
    assert_eq!(keys, ["machine/dev-default-1"]);
}

#[test]
fn deletion_of_a_settled_cluster() {
    let mut cluster = cluster();
    let machines = machines(&cluster);
    cluster.deleting = true;
    let mut seen = settled(&machines);
    seen.published = false;
    insta::assert_snapshot!(shown(&hosted(&desired(&cluster, &machines), &seen)));
}

#[test]
fn deletion_of_what_was_never_made_only_checks() {
    let mut cluster = cluster();
    let machines = machines(&cluster);
    cluster.deleting = true;
    let mut seen = ClusterObserved::nothing(NetworkSeen {
        generation: 1,
        ports: Vec::new(),
    });
    seen.published = true;
    seen.machines = machines
        .iter()
        .map(|m| (m.id.clone(), Observed::Absent))
        .collect();
    seen.volumes = planes(&machines)
        .map(|(_, v)| (v.clone(), Observed::Absent))
        .collect();
    let keys: Vec<String> = hosted(&desired(&cluster, &machines), &seen)
        .into_iter()
        .map(|s| s.key)
        .collect();
    assert_eq!(keys, ["finish"]);
}

/// A cluster that ran is never given an empty volume: it would be another cluster under the same name.
#[test]
fn lost_data_is_not_made_anew() {
    let mut cluster = cluster();
    cluster.status.progress.services = "sha256:r".to_owned();
    cluster.status.progress.tenancy = "sha256:r".to_owned();
    let machines = machines(&cluster);
    let mut seen = settled(&machines);
    for volume in seen.volumes.values_mut() {
        *volume = Observed::Absent;
    }
    for machine in seen.machines.values_mut() {
        *machine = Observed::Absent;
    }
    seen.api = Observed::Absent;
    let first = hosted(&desired(&cluster, &machines), &seen);
    assert!(
        first.iter().any(|step| step.key == "volume"),
        "before it ever ran"
    );

    cluster.status.progress.settled_once = true;
    assert!(lost(&cluster, &machines, &seen).is_some());
    assert_eq!(hosted(&desired(&cluster, &machines), &seen), []);

    for volume in seen.volumes.values_mut() {
        *volume = Observed::Unknown("the disk does not answer".to_owned());
    }
    assert_eq!(lost(&cluster, &machines, &seen), None, "unknown is not absent");

    // The control plane runs on the volume whose file was taken away: it stays as it is.
    let mut seen = settled(&machines);
    for volume in seen.volumes.values_mut() {
        *volume = Observed::Absent;
    }
    assert_eq!(lost(&cluster, &machines, &seen), None);
    assert_eq!(hosted(&desired(&cluster, &machines), &seen), []);

    cluster.deleting = true;
    let removal = hosted(&desired(&cluster, &machines), &seen);
    assert!(removal.iter().any(|step| step.key == "finish"));
}
