//! Two clusters in one network with equal pod ranges.

use std::net::{IpAddr, Ipv4Addr};

use ports::{Network, network::NetworkDesired};

use crate::{
    sockets::{SILENCE, Server, ask, ask_from, connect, echoes, greeting},
    world::{World, pod, port},
};

const POD_A: Ipv4Addr = Ipv4Addr::new(10, 244, 1, 5);
const POD_B: Ipv4Addr = Ipv4Addr::new(10, 244, 2, 5);

/// Realms 1 and 2, each with a node for each of the two ranges.
fn two_clusters(world: &World) -> NetworkDesired {
    let mut network = world.network("10.20.0.0/24", &[]);
    network.ports = vec![
        port("10.20.0.10", 1, &["10.244.1.0/24"]),
        port("10.20.0.11", 1, &["10.244.2.0/24"]),
        port("10.20.0.20", 2, &["10.244.1.0/24"]),
        port("10.20.0.21", 2, &["10.244.2.0/24"]),
    ];
    network
}

#[tokio::test]
async fn equal_pod_ranges_work_at_once_even_with_equal_ports() {
    let world = World::new();
    let network = two_clusters(&world);
    world.driver.apply(&network).await.unwrap();
    let nodes: Vec<_> = network
        .ports
        .iter()
        .map(|port| world.machine(&network, port))
        .collect();
    for (node, address) in nodes.iter().zip([POD_A, POD_B, POD_A, POD_B]) {
        pod(node, address);
    }
    let _one = Server::start(&nodes[1], (POD_B, 80), "one");
    let _two = Server::start(&nodes[3], (POD_B, 80), "two");
    let mut streams = Vec::new();
    for (node, expected) in [(&nodes[0], "one"), (&nodes[2], "two")] {
        // The same four addresses and ports in both clusters, open at the same time.
        let mut stream = ask_from(node, (POD_A, 40_000), (POD_B, 80)).unwrap();
        assert_eq!(
            greeting(&mut stream).unwrap(),
            (expected.to_owned(), IpAddr::V4(POD_A))
        );
        streams.push(stream);
    }
    assert!(streams.iter_mut().all(|stream| echoes(stream, "still there")));

    // A node reaches pods of its own cluster by their address, as an apiserver does.
    let mut stream = ask_from(&nodes[2], (network.ports[2].address, 0), (POD_B, 80)).unwrap();
    assert_eq!(greeting(&mut stream).unwrap().0, "two");
    // A pod reaches a node of its own cluster, and none of the other.
    let _node_one = Server::start(&nodes[1], (network.ports[1].address, 81), "node of one");
    let _node_two = Server::start(&nodes[3], (network.ports[3].address, 81), "node of two");
    let mut stream = ask_from(&nodes[0], (POD_A, 0), (network.ports[1].address, 81)).unwrap();
    assert_eq!(greeting(&mut stream).unwrap().0, "node of one");
    assert!(
        connect(
            &nodes[0],
            Some((POD_A, 0)),
            (network.ports[3].address, 81),
            SILENCE
        )
        .is_err()
    );
    // The platform reaches nodes of both from inside the network.
    for (port, expected) in [(1, "node of one"), (3, "node of two")] {
        assert_eq!(
            ask(&world.namespace(&network), (network.ports[port].address, 81))
                .unwrap()
                .0,
            expected
        );
    }
    // Nodes themselves are neighbours, whatever their cluster.
    assert_eq!(
        ask(&nodes[0], (network.ports[3].address, 81)).unwrap().0,
        "node of two"
    );
}

#[tokio::test]
async fn pods_of_both_clusters_reach_platform_and_outside_at_once() {
    let world = World::new();
    let network = two_clusters(&world);
    world.driver.apply(&network).await.unwrap();
    let nodes: Vec<_> = [0, 2].map(|n| world.machine(&network, &network.ports[n])).into();
    nodes.iter().for_each(|node| pod(node, POD_A));
    let _platform = Server::start(
        &world.namespace(&network),
        (network.platform_address, 5080),
        "platform",
    );
    let outside = world.outside(Ipv4Addr::new(198, 18, 78, 2));
    let _outside = Server::start(&outside, (Ipv4Addr::new(198, 18, 78, 2), 80), "outside");
    let mut streams = Vec::new();
    for node in &nodes {
        for (to, expected) in [
            ((network.platform_address, 5080), "platform"),
            ((Ipv4Addr::new(198, 18, 78, 2), 80), "outside"),
        ] {
            let mut stream =
                ask_from(node, (POD_A, 41_000), to).unwrap_or_else(|e| panic!("{expected}: {e}"));
            assert_eq!(greeting(&mut stream).unwrap().0, expected);
            streams.push(stream);
        }
    }
    assert!(streams.iter_mut().all(|stream| echoes(stream, "still there")));
}

#[tokio::test]
async fn a_range_of_another_realm_is_not_routed() {
    let world = World::new();
    let mut network = two_clusters(&world);
    network.ports[3].routes.push("198.18.79.0/24".parse().unwrap());
    world.driver.apply(&network).await.unwrap();
    let nodes: Vec<_> = network
        .ports
        .iter()
        .map(|port| world.machine(&network, port))
        .collect();
    let address = Ipv4Addr::new(198, 18, 79, 2);
    pod(&nodes[3], address);
    let _pod = Server::start(&nodes[3], (address, 80), "pod of two");
    // The same address exists outside; that is whom the other realm gets.
    let outside = world.outside(address);
    let _outside = Server::start(&outside, (address, 80), "outside");
    assert_eq!(ask(&nodes[2], (address, 80)).unwrap().0, "pod of two");
    assert_eq!(ask(&nodes[0], (address, 80)).unwrap().0, "outside");
}
