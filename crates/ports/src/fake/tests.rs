//! What fakes can do beyond their ports: count effects, fail and die on demand, make up one world. That they keep
//! their ports' contracts is in `contract`; what tests on them show is worth no more than this.

mod contract;
mod town;

use town::{Town, town};
use types::{Fault, status::Observed};

use super::{ManualClock, MemoryStore};
use crate::{
    Clock, ClusterApi, Compute, Network, Store, Volumes,
    cluster_api::ApiTarget,
    scan::{Found, FoundKind},
    store::Batch,
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
async fn a_cluster_answers_through_its_route_and_keeps_its_nodes_on_its_volume() {
    let town = town();
    let api = town.world.cluster_api();
    assert!(!api.ready(&town.target).await.unwrap());
    assert_eq!(
        api.nodes(&town.target).await.unwrap_err().code,
        "cluster-api-unavailable"
    );
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

#[test]
fn clones_of_a_clock_show_the_same_time() {
    let clock = ManualClock::default();
    let (then, beside) = (clock.unix_ms(), clock.clone());
    beside.advance(1500);
    beside.jump(-10_000);
    assert_eq!((clock.unix_ms() - then, clock.monotonic_ms()), (-8500, 1500));
}
