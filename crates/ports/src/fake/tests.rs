//! The fakes behave as the ports' documentation says; what tests on them show is worth no more than this.

mod town;

use std::path::PathBuf;

use town::{Town, town};
use types::{Fault, Secret, machine::Power, status::Observed};

use super::{FakeVault, FakeWorld, ManualClock, MemoryStore};
use crate::{
    Bundles, Clock, ClusterApi, Compute, Edge, Network, Store, Vault, Volumes,
    cluster_api::ApiTarget,
    compute::{Content, FileEntry},
    edge::EdgeConfig,
    network::NetworkDesired,
    scan::{Found, FoundKind},
    store::Batch,
    vault::SecretRef,
};

#[tokio::test]
async fn the_second_time_nothing_changes_and_removal_leaves_nothing() {
    let town = town();
    town.build().await;
    let effects = town.world.effects();
    assert_eq!(effects.len(), 9, "{effects:#?}");
    town.build().await;
    assert_eq!(town.world.effects(), effects);
    assert_ne!(town.found().await, 0);

    for _ in 0..2 {
        for machine in &town.machines {
            town.world.compute().remove(&machine.id).await.unwrap();
        }
        town.world.network().remove(&town.network.id).await.unwrap();
        town.world.volumes().remove(&town.volume.id).await.unwrap();
    }
    assert_eq!(
        town.world.effects().len(),
        effects.len() + 4,
        "the second removal changed nothing"
    );
    assert_eq!(town.found().await, 0);
    town.world.plant(Found {
        what: FoundKind::Interface,
        name: "v0".to_owned(),
        owner: String::new(),
    });
    assert_eq!(town.found().await, 1);
}

#[tokio::test]
async fn a_machine_needs_its_port_and_its_volume() {
    let town = town();
    let [plane, worker] = &town.machines;
    let compute = town.world.compute();
    assert_eq!(compute.apply(worker).await.unwrap_err().code, "port-missing");
    assert_eq!(compute.apply(plane).await.unwrap_err().code, "volume-missing");
    assert!(compute.observe(&worker.id).await.is_absent());
    assert_eq!(town.world.effects(), [""; 0]);
    town.build().await;
    let seen = compute.observe(&worker.id).await;
    let seen = seen.present().unwrap();
    assert!(seen.attached && seen.leader.is_some() && seen.power == Power::On);
    let in_use = town.world.volumes().remove(&town.volume.id).await.unwrap_err();
    assert_eq!(in_use.code, "volume-in-use");
}

#[tokio::test]
async fn a_killed_machine_takes_its_interface_and_comes_back_as_another_process() {
    let town = town();
    town.build().await;
    let worker = &town.machines[1];
    let (compute, network) = (town.world.compute(), town.world.network());
    let before = compute.apply(worker).await.unwrap();
    compute.kill(&worker.id);
    let dead = compute.observe(&worker.id).await;
    assert_eq!(
        dead.present()
            .map(|seen| (seen.power, seen.leader, seen.attached)),
        Some((Power::Off, None, false))
    );
    let ports = network
        .observe(&town.network.id)
        .await
        .present()
        .unwrap()
        .ports
        .clone();
    assert_eq!(ports, [town.network.ports[0].id.clone()]);
    assert_eq!(compute.apply(worker).await.unwrap_err().code, "port-missing");

    network.apply(&town.network).await.unwrap();
    let after = compute.apply(worker).await.unwrap();
    assert_ne!(after.leader, before.leader);
}

#[tokio::test]
async fn changed_files_are_refreshed_without_a_reboot_and_off_is_off() {
    let town = town();
    town.build().await;
    let compute = town.world.compute();
    let mut worker = town.machines[1].clone();
    let before = compute.apply(&worker).await.unwrap();
    let content = Content::Secret(Secret::new("hunter2"));
    worker.config.files = vec![FileEntry {
        path: PathBuf::from("/etc/x"),
        mode: 0o600,
        content,
    }];
    town.world.clear_effects();
    let after = compute.apply(&worker).await.unwrap();
    assert_eq!(
        town.world.effects(),
        [format!("compute.apply {}: refresh", worker.id)]
    );
    assert_eq!(after.leader, before.leader);
    assert_ne!(after.config_digest, before.config_digest);
    worker.power = Power::Off;
    let off = compute.apply(&worker).await.unwrap();
    assert_eq!((off.power, off.leader), (Power::Off, None));
}

#[tokio::test]
async fn an_older_generation_is_refused() {
    let mut town = town();
    town.network.generation = 5;
    town.edge.generation = 5;
    town.build().await;
    let old = NetworkDesired {
        generation: 4,
        ports: vec![],
        ..town.network.clone()
    };
    assert_eq!(
        town.world.network().apply(&old).await.unwrap_err().code,
        "network-generation-old"
    );
    let old = EdgeConfig {
        generation: 4,
        ..town.edge.clone()
    };
    assert_eq!(
        town.world.edge().apply(&old).await.unwrap_err().code,
        "edge-generation-old"
    );
    assert_eq!(town.world.edge().status().await.unwrap().generation, 5);
    assert_eq!(
        town.world
            .network()
            .observe(&town.network.id)
            .await
            .present()
            .unwrap()
            .ports
            .len(),
        2
    );
}

#[tokio::test]
async fn a_cluster_answers_through_its_route_and_keeps_its_nodes_on_its_volume() {
    let town = town();
    let api = town.world.cluster_api();
    assert!(!api.ready(&town.target).await.unwrap());
    assert_eq!(api.nodes(&town.target).await.unwrap_err().code, "api-unreachable");
    town.build().await;
    assert!(api.ready(&town.target).await.unwrap());
    let unknown = ApiTarget {
        server_name: "other".to_owned(),
        ..town.target.clone()
    };
    assert!(!api.ready(&unknown).await.unwrap());

    let seen = api.nodes(&town.target).await.unwrap();
    assert_eq!(
        (seen.len(), seen[0].name.as_str(), seen[0].ready, seen[0].pods),
        (1, "worker", false, None)
    );
    api.adopt_node(&town.target, &town.adoption()).await.unwrap();
    let seen = api.nodes(&town.target).await.unwrap();
    assert!(
        seen[0].ready
            && seen[0].pods == Some(town.adoption().pods)
            && seen[0].labels == town.adoption().labels
    );

    town.world.reboot();
    assert!(!api.ready(&town.target).await.unwrap());
    town.world.network().apply(&town.network).await.unwrap();
    town.world.compute().apply(&town.machines[0]).await.unwrap();
    let seen = api.nodes(&town.target).await.unwrap();
    assert!(
        !seen[0].ready && seen[0].pods.is_some(),
        "the plane is back with its data, the worker is not"
    );
    town.world.compute().apply(&town.machines[1]).await.unwrap();
    assert!(api.nodes(&town.target).await.unwrap()[0].ready);

    api.delete_node(&town.target, "worker").await.unwrap();
    api.delete_node(&town.target, "worker").await.unwrap();
    assert_eq!(api.nodes(&town.target).await.unwrap(), []);
}

#[tokio::test]
async fn faults_come_once_before_or_after_the_effect() {
    let town = town();
    let fault = || Fault::unavailable("injected", "as the test wanted", "none");
    let volumes = town.world.volumes();
    town.world.fail_next("volumes.ensure", fault());
    volumes.ensure(&town.volume).await.unwrap_err();
    assert!(volumes.observe(&town.volume.id).await.is_absent());
    town.world.fail_next_after("volumes.ensure", fault());
    volumes.ensure(&town.volume).await.unwrap_err();
    town.world.fail_next("volumes.observe", fault());
    assert!(matches!(
        volumes.observe(&town.volume.id).await,
        Observed::Unknown(_)
    ));
    assert!(
        volumes.observe(&town.volume.id).await.present().is_some(),
        "the answer was lost, not the volume"
    );
    volumes.ensure(&town.volume).await.unwrap();
    assert_eq!(town.world.effects().len(), 1);
}

#[tokio::test]
async fn a_process_can_be_killed_at_every_point_and_the_world_stays() {
    let probe = town();
    let run = async |town: &Town, store: &MemoryStore| {
        town.world.volumes().ensure(&town.volume).await.unwrap();
        store.commit(Batch::default()).await.unwrap();
    };
    let switch = probe.world.kill_switch();
    run(&probe, &MemoryStore::with_kill_switch(switch.clone())).await;
    let points = switch.points();
    assert_eq!(points.len(), 4, "{points:?}");
    for (n, point) in points.iter().enumerate() {
        let town = town();
        let switch = town.world.kill_switch();
        let store = MemoryStore::with_kill_switch(switch.clone());
        switch.arm(n);
        tokio::select! {
            () = run(&town, &store) => panic!("it was to die at {point}"),
            () = switch.killed() => {}
        }
        assert_eq!(town.world.effects().len(), usize::from(n > 0));
        switch.disarm();
        run(&town, &store).await;
        assert_eq!(town.world.effects().len(), 1, "made once, whenever it died");
    }
}

#[tokio::test]
async fn clock_vault_and_bundles() {
    let clock = ManualClock::default();
    let (then, beside) = (clock.unix_ms(), clock.clone());
    beside.advance(1500);
    beside.jump(-10_000);
    assert_eq!((clock.unix_ms() - then, clock.monotonic_ms()), (-8500, 1500));

    let at = SecretRef::new("k8s-1", "ca");
    let sealed = FakeVault.seal(&at, &Secret::new("hunter2")).unwrap();
    assert_eq!(FakeVault.open(&at, &sealed).unwrap().expose(), b"hunter2");
    assert!(FakeVault.open(&SecretRef::new("k8s-2", "ca"), &sealed).is_err());

    let bundles = FakeWorld::new().bundles();
    let version = bundles.resolve(None).unwrap();
    let bundle = bundles.find(version).await.unwrap();
    assert_eq!(bundles.pinned(version, &bundle.digest).await.unwrap(), bundle);
    assert!(bundles.pinned(version, "sha256:other").await.is_err());
    let unknown = bundles.resolve(Some("v1.20".parse().unwrap())).unwrap_err();
    assert!(unknown.remedy.contains("v1.36"), "{}", unknown.remedy);
}
