//! Deaths: of the platform, of machines, of records.

use types::status::Observed;

use super::{Bench, ids, network, owned, seen};
use crate::{
    Network,
    conformance::{abandon, eventually},
};

pub(super) async fn a_restart_finds_all_of_it(bench: &impl Bench) {
    let network = network(0);
    let before = bench.driver().apply(&network).await.unwrap();
    let trace = bench.trace(&network.id);
    let restarted = bench.restarted();
    assert_eq!(
        restarted.observe(&network.id).await,
        Observed::Present(before.clone())
    );
    assert_eq!(restarted.apply(&network).await.unwrap(), before);
    assert_eq!(bench.trace(&network.id), trace, "it was made anew");
    restarted.remove(&network.id).await.unwrap();
    assert_eq!(bench.driver().scan().await.unwrap(), []);
}

pub(super) async fn a_port_goes_with_its_machine_and_is_made_again(bench: &impl Bench) {
    let (driver, network) = (bench.driver(), network(0));
    driver.apply(&network).await.unwrap();
    for port in &network.ports {
        bench.occupy(&network, port).await;
    }
    assert_eq!(
        seen(&driver, &network.id).await.ports,
        ids(&network.ports),
        "a port in a machine is there"
    );
    let dead = &network.ports[0].id;
    bench.kill(dead);
    eventually("the end of the port", async || {
        seen(&driver, &network.id).await.ports == ids(&network.ports[1..])
    })
    .await;
    driver.apply(&network).await.unwrap();
    assert_eq!(seen(&driver, &network.id).await.ports, ids(&network.ports));
    bench.occupy(&network, &network.ports[0]).await;
}

pub(super) async fn a_half_made_one_is_finished_or_removed(bench: &impl Bench) {
    let (finished, removed) = (network(0), network(1));
    bench.half_make(&finished).await;
    bench.half_make(&removed).await;
    let driver = bench.restarted();
    driver.apply(&finished).await.unwrap();
    assert_eq!(seen(&driver, &finished.id).await.ports, ids(&finished.ports));
    driver.remove(&removed.id).await.unwrap();
    assert!(driver.observe(&removed.id).await.is_absent());
    driver.remove(&finished.id).await.unwrap();
    assert_eq!(driver.scan().await.unwrap(), []);
}

pub(super) async fn a_caller_that_goes_away_leaves_nothing_broken(bench: &impl Bench) {
    let (driver, network) = (bench.driver(), network(0));
    abandon(driver.apply(&network)).await;
    driver.apply(&network).await.unwrap();
    assert_eq!(seen(&driver, &network.id).await.ports, ids(&network.ports));
    abandon(driver.remove(&network.id)).await;
    driver.remove(&network.id).await.unwrap();
    assert_eq!(driver.scan().await.unwrap(), []);
}

pub(super) async fn a_scan_reads_no_record(bench: &impl Bench) {
    let (driver, network) = (bench.driver(), network(0));
    let planted = bench.plant();
    let found = driver.scan().await;
    bench.unplant();
    assert!(found.as_ref().unwrap().contains(&planted), "{found:?}");

    driver.apply(&network).await.unwrap();
    let amnesiac = bench.amnesiac();
    let found = owned(&amnesiac, &network.id).await;
    assert!(!found.is_empty());
    assert_eq!(found, owned(&driver, &network.id).await);
    amnesiac.remove(&network.id).await.unwrap();
    assert_eq!(driver.scan().await.unwrap(), []);
    assert!(driver.observe(&network.id).await.is_absent());
}

pub(super) async fn what_cannot_be_told_is_unknown(bench: &impl Bench) {
    let (driver, network) = (bench.driver(), network(0));
    let there = driver.apply(&network).await.unwrap();
    bench.blind(&network.id);
    let seen = driver.observe(&network.id).await;
    bench.restore(&network.id);
    assert!(
        matches!(&seen, Observed::Unknown(why) if !why.is_empty()),
        "{seen:?}"
    );
    assert_eq!(driver.observe(&network.id).await, Observed::Present(there));
}
