//! Which of several desired states holds.

use types::FaultKind;

use super::{Bench, ids, network, port, seen};
use crate::{
    Network,
    conformance::{at_once, told},
    network::NetworkDesired,
    network::STALE,
};

pub(super) async fn an_older_one_is_refused_also_after_a_restart(bench: &impl Bench) {
    let driver = bench.driver();
    let in_force = NetworkDesired {
        generation: 7,
        ..network(0)
    };
    driver.apply(&in_force).await.unwrap();
    let before = bench.trace(&in_force.id);
    let older = NetworkDesired {
        generation: 6,
        ports: Vec::new(),
        ..in_force.clone()
    };
    told(driver.apply(&older).await, FaultKind::Conflict, STALE);
    told(bench.restarted().apply(&older).await, FaultKind::Conflict, STALE);
    let seen = seen(&driver, &in_force.id).await;
    assert_eq!((seen.generation, seen.ports), (7, ids(&in_force.ports)));
    assert_eq!(
        bench.trace(&in_force.id),
        before,
        "what was refused changed something"
    );
}

pub(super) async fn a_newer_one_is_put_in_force(bench: &impl Bench) {
    let (driver, mut network) = (bench.driver(), network(0));
    driver.apply(&network).await.unwrap();
    network.generation = 9;
    network.ports.push(port([10, 20, 0, 12]));
    assert_eq!(driver.apply(&network).await.unwrap().generation, 9);
    let seen = seen(&bench.restarted(), &network.id).await;
    assert_eq!((seen.generation, seen.ports), (9, ids(&network.ports)));
}

pub(super) async fn calls_at_once_take_turns_and_the_newest_stays(bench: &impl Bench) {
    const CALLS: u8 = 6;
    let empty = NetworkDesired {
        ports: Vec::new(),
        ..network(0)
    };
    let calls = (1..=CALLS).map(|generation| {
        let driver = bench.driver();
        let network = NetworkDesired {
            generation: generation.into(),
            ports: (0..generation).map(|n| port([10, 20, 0, 10 + n])).collect(),
            ..empty.clone()
        };
        async move { driver.apply(&network).await }
    });
    let answers = at_once(calls).await;
    assert!(answers.iter().any(|answer| {
        answer
            .as_ref()
            .is_ok_and(|seen| seen.generation == u64::from(CALLS))
    }));
    for refused in answers.into_iter().filter(Result::is_err) {
        told(refused, FaultKind::Conflict, STALE);
    }
    let seen = seen(&bench.driver(), &empty.id).await;
    assert_eq!((seen.generation, seen.ports.len()), (CALLS.into(), CALLS.into()));
}

pub(super) async fn what_cannot_be_is_refused_and_nothing_is_made(bench: &impl Bench) {
    let driver = bench.driver();
    let spoilt = |spoil: fn(&mut NetworkDesired)| {
        let mut network = network(0);
        spoil(&mut network);
        network
    };
    let impossible = [
        spoilt(|network| network.ports[0].address = [10, 21, 0, 10].into()),
        spoilt(|network| network.ports[0].address = network.ports[1].address),
        spoilt(|network| network.ports[0].address = network.gateway),
        spoilt(|network| network.platform_address = network.gateway),
        spoilt(|network| network.ports[0].id = network.ports[1].id.clone()),
        spoilt(|network| network.ports[1].routes.push(network.cidr)),
        spoilt(|network| {
            network.ports[0].realm = network.ports[1].realm;
            network.ports[0].routes = network.ports[1].routes.clone();
        }),
    ];
    for network in impossible {
        told(
            driver.apply(&network).await,
            FaultKind::Invalid,
            "network-invalid",
        );
        assert!(driver.observe(&network.id).await.is_absent(), "{network:?}");
    }
    assert_eq!(driver.scan().await.unwrap(), []);
    let apart = spoilt(|network| network.ports[0].routes = network.ports[1].routes.clone());
    driver
        .apply(&apart)
        .await
        .expect("equal ranges are fine in two realms");
}
