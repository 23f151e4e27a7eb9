//! Making, changing and removing networks.

use super::{Bench, ids, network, owned, port, seen};
use crate::{Network, network::NetworkDesired, scan::FoundKind};

pub(super) async fn what_is_not_there_is_absent_and_can_be_removed(bench: &impl Bench) {
    let (driver, id) = (bench.driver(), network(0).id);
    for _ in 0..2 {
        assert!(driver.observe(&id).await.is_absent());
        driver.remove(&id).await.unwrap();
    }
    assert_eq!(driver.scan().await.unwrap(), []);
}

pub(super) async fn what_is_applied_is_seen(bench: &impl Bench) {
    let (driver, network) = (bench.driver(), network(0));
    let mut answered = driver.apply(&network).await.unwrap();
    answered.ports.sort();
    assert_eq!(answered.generation, network.generation);
    assert_eq!(answered.namespace, driver.namespace(&network.id));
    assert_eq!(answered.ports, ids(&network.ports));
    assert_eq!(seen(&driver, &network.id).await, answered);

    let found = owned(&driver, &network.id).await;
    assert!(
        found.iter().any(|found| found.what == FoundKind::Namespace),
        "{found:?}"
    );
    for port in &network.ports {
        let name = driver.interface(&port.id);
        assert!(
            found
                .iter()
                .any(|found| found.what == FoundKind::Interface && found.name == name),
            "the host end {name} is there for a machine: {found:?}"
        );
    }
    assert!(driver.mtu() >= 1280);
}

pub(super) async fn twice_is_once(bench: &impl Bench) {
    let (driver, network) = (bench.driver(), network(0));
    let first = driver.apply(&network).await.unwrap();
    let before = bench.trace(&network.id);
    assert_eq!(driver.apply(&network).await.unwrap(), first);
    assert_eq!(
        bench.trace(&network.id),
        before,
        "the second time changed something"
    );
}

pub(super) async fn ports_come_and_go_and_the_others_stay(bench: &impl Bench) {
    let (driver, first) = (bench.driver(), network(0));
    driver.apply(&first).await.unwrap();
    bench.occupy(&first, &first.ports[0]).await;
    let more = NetworkDesired {
        generation: 2,
        ports: vec![first.ports[0].clone(), port([10, 20, 0, 12])],
        ..first.clone()
    };
    driver.apply(&more).await.unwrap();
    assert_eq!(seen(&driver, &first.id).await.ports, ids(&more.ports));
    let found = owned(&driver, &first.id).await;
    let gone = driver.interface(&first.ports[1].id);
    assert!(found.iter().all(|found| found.name != gone), "{found:?}");

    let none = NetworkDesired {
        generation: 3,
        ports: Vec::new(),
        ..first
    };
    driver.apply(&none).await.unwrap();
    assert_eq!(
        seen(&driver, &none.id).await.ports,
        [],
        "also one that a machine had"
    );
}

pub(super) async fn removal_leaves_nothing_and_may_be_repeated(bench: &impl Bench) {
    let (driver, network) = (bench.driver(), network(0));
    driver.apply(&network).await.unwrap();
    bench.occupy(&network, &network.ports[0]).await;
    for _ in 0..2 {
        driver.remove(&network.id).await.unwrap();
        assert!(driver.observe(&network.id).await.is_absent());
        assert_eq!(driver.scan().await.unwrap(), []);
    }
    driver.apply(&network).await.expect("it can be made again");
    assert_eq!(seen(&driver, &network.id).await.ports, ids(&network.ports));
}

pub(super) async fn networks_with_equal_addresses_do_not_meet(bench: &impl Bench) {
    let (driver, one, two) = (bench.driver(), network(0), network(1));
    driver.apply(&one).await.unwrap();
    driver.apply(&two).await.unwrap();
    assert_ne!(driver.namespace(&one.id), driver.namespace(&two.id));
    let before = bench.trace(&two.id);
    driver.remove(&one.id).await.unwrap();
    assert!(driver.observe(&one.id).await.is_absent());
    assert_eq!(seen(&driver, &two.id).await.ports, ids(&two.ports));
    assert_eq!(bench.trace(&two.id), before);
}

/// The same id, addresses and uplink in both: only the instance tells them apart.
pub(super) async fn instances_do_not_meet(bench: &impl Bench) {
    let (ours, theirs, network) = (bench.driver(), bench.neighbour(), network(0));
    ours.apply(&network).await.unwrap();
    assert!(theirs.observe(&network.id).await.is_absent());
    assert_eq!(theirs.scan().await.unwrap(), []);
    theirs.apply(&network).await.unwrap();
    let before = bench.trace(&network.id);
    theirs.remove(&network.id).await.unwrap();
    assert_eq!(theirs.scan().await.unwrap(), []);
    assert_eq!(seen(&ours, &network.id).await.ports, ids(&network.ports));
    assert_eq!(bench.trace(&network.id), before);
}
