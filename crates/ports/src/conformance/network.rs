//! What every `Network` does.

mod generations;
mod life;
mod loss;

use std::net::Ipv4Addr;

use async_trait::async_trait;
use types::{NetworkId, PortId, machine::Mac, status::Observed};

use super::suite;
use crate::{
    Network,
    network::{NetworkDesired, NetworkObserved, PortDesired},
    scan::Found,
};

/// A host with two platform instances, nothing made yet.
#[async_trait]
pub trait Bench: Sync {
    type Subject: Network + Clone + 'static;

    fn driver(&self) -> Self::Subject;

    /// The same instance after a restart of the platform: it knows what is on the host.
    fn restarted(&self) -> Self::Subject;

    /// The same instance with every record of its own lost: it knows what carries its mark.
    fn amnesiac(&self) -> Self::Subject;

    /// The other instance.
    fn neighbour(&self) -> Self::Subject;

    /// All that can be seen of a network and would differ if any part of it were made anew.
    fn trace(&self, network: &NetworkId) -> String;

    /// A machine takes the port's interface.
    async fn occupy(&self, network: &NetworkDesired, port: &PortDesired);

    /// The machine that took it dies, and the interface with it.
    fn kill(&self, port: &PortId);

    /// What is there when an apply is killed in the middle.
    async fn half_make(&self, network: &NetworkDesired);

    /// Leaves something with the instance's mark that no record knows.
    fn plant(&self) -> Found;

    fn unplant(&self);

    /// Until `restore`, or for the next look, it cannot be told what is in force for this network.
    fn blind(&self, network: &NetworkId);

    fn restore(&self, network: &NetworkId);
}

suite!(
    "Network",
    Bench,
    [
        life::what_is_not_there_is_absent_and_can_be_removed,
        life::what_is_applied_is_seen,
        life::twice_is_once,
        life::ports_come_and_go_and_the_others_stay,
        life::removal_leaves_nothing_and_may_be_repeated,
        life::networks_with_equal_addresses_do_not_meet,
        life::instances_do_not_meet,
        generations::an_older_one_is_refused_also_after_a_restart,
        generations::a_newer_one_is_put_in_force,
        generations::calls_at_once_take_turns_and_the_newest_stays,
        generations::what_cannot_be_is_refused_and_nothing_is_made,
        loss::a_restart_finds_all_of_it,
        loss::a_port_goes_with_its_machine_and_is_made_again,
        loss::a_half_made_one_is_finished_or_removed,
        loss::a_caller_that_goes_away_leaves_nothing_broken,
        loss::a_scan_reads_no_record,
        loss::what_cannot_be_told_is_unknown,
    ]
);

fn port(address: [u8; 4]) -> PortDesired {
    let id = PortId::generate();
    PortDesired {
        mac: Mac::for_port(&id),
        address: Ipv4Addr::from(address),
        routes: Vec::new(),
        realm: 0,
        id,
    }
}

/// With two ports: a machine's, and a node's with pods behind it.
fn network(uplink: u32) -> NetworkDesired {
    let mut ports = vec![port([10, 20, 0, 10]), port([10, 20, 0, 11])];
    ports[1].routes = vec!["10.244.1.0/24".parse().expect("a range")];
    ports[1].realm = 3;
    NetworkDesired {
        id: NetworkId::generate(),
        generation: 1,
        cidr: "10.20.0.0/24".parse().expect("a range"),
        gateway: Ipv4Addr::new(10, 20, 0, 1),
        platform_address: Ipv4Addr::new(10, 20, 0, 2),
        uplink,
        ports,
    }
}

fn ids(ports: &[PortDesired]) -> Vec<PortId> {
    let mut ids: Vec<PortId> = ports.iter().map(|port| port.id.clone()).collect();
    ids.sort();
    ids
}

async fn seen(driver: &impl Network, id: &NetworkId) -> NetworkObserved {
    match driver.observe(id).await {
        Observed::Present(mut seen) => {
            seen.ports.sort();
            seen
        }
        other => panic!("it is there, but is seen as {other:?}"),
    }
}

async fn owned(driver: &impl Network, id: &NetworkId) -> Vec<Found> {
    let mut found = driver.scan().await.unwrap();
    found.retain(|found| found.owner == id.as_str());
    found
}
