//! Who reaches whom.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};

use ports::Network;

use crate::{
    sockets::{Server, ask, inside, silent},
    world::{World, ip, name_of, pod, until},
};

#[tokio::test]
async fn neighbours_talk_and_every_packet_is_forwarded() {
    let world = World::new();
    let network = world.network("10.20.0.0/24", &["10.20.0.10", "10.20.0.11"]);
    let applied = world.driver.apply(&network).await.unwrap();
    assert_eq!(applied.ports.len(), 2);
    let machines: Vec<_> = network
        .ports
        .iter()
        .map(|port| world.machine(&network, port))
        .collect();
    let _server = Server::start(&machines[1], (network.ports[1].address, 80), "one");
    let before = world.counter(&network, "forwarded");
    let (label, seen) = ask(&machines[0], (network.ports[1].address, 80)).unwrap();
    assert_eq!(
        (label.as_str(), seen),
        ("one", IpAddr::V4(network.ports[0].address))
    );
    assert!(world.counter(&network, "forwarded") >= before + 4);

    // An address of the range that nobody has is an error at once, not a packet to the outside.
    assert!(silent(&machines[0], ("10.20.0.99".parse().unwrap(), 80)));
    // The platform answers inside; the gateway is a router and serves nothing.
    let inside_network = world.namespace(&network);
    let _platform = Server::start(&inside_network, (network.platform_address, 5080), "platform");
    let _gateway = Server::start(&inside_network, (network.gateway, 5081), "gateway");
    assert_eq!(
        ask(&machines[0], (network.platform_address, 5080)).unwrap().0,
        "platform"
    );
    assert!(silent(&machines[0], (network.gateway, 5081)));
    // The platform's own processes, which connect from inside, are seen as the gateway.
    let (label, seen) = ask(&inside_network, (network.ports[1].address, 80)).unwrap();
    assert_eq!((label.as_str(), seen), ("one", IpAddr::V4(network.gateway)));
}

#[tokio::test]
async fn a_forged_source_is_dropped() {
    let world = World::new();
    let network = world.network("10.20.0.0/24", &["10.20.0.10", "10.20.0.11", "10.20.0.12"]);
    world.driver.apply(&network).await.unwrap();
    let machines: Vec<_> = network
        .ports
        .iter()
        .map(|port| world.machine(&network, port))
        .collect();
    let target = (network.ports[1].address, 9);
    let receiver = inside(&machines[1], || UdpSocket::bind(target).unwrap());
    receiver
        .set_read_timeout(Some(std::time::Duration::from_secs(5)))
        .unwrap();
    for forged in [
        network.ports[2].address,
        Ipv4Addr::new(10, 244, 0, 5),
        Ipv4Addr::new(192, 0, 2, 77),
    ] {
        pod(&machines[0], forged);
        let before = world.counter(&network, "spoofed");
        inside(&machines[0], || {
            UdpSocket::bind((forged, 0))
                .unwrap()
                .send_to(b"forged", target)
                .unwrap()
        });
        until("the drop", async || world.counter(&network, "spoofed") > before).await;
    }
    inside(&machines[0], || {
        UdpSocket::bind((network.ports[0].address, 0))
            .unwrap()
            .send_to(b"honest", target)
            .unwrap()
    });
    let mut buffer = [0; 16];
    let (count, from) = receiver.recv_from(&mut buffer).unwrap();
    assert_eq!(
        (&buffer[..count], from.ip()),
        (&b"honest"[..], IpAddr::V4(network.ports[0].address))
    );
}

#[tokio::test]
async fn two_networks_with_one_range_do_not_meet_nor_reach_the_host() {
    let world = World::new();
    let networks = [0, 1].map(|_| world.network("10.20.0.0/24", &["10.20.0.10", "10.20.0.11"]));
    let mut machines = Vec::new();
    for network in &networks {
        world.driver.apply(network).await.unwrap();
        machines.push(
            network
                .ports
                .iter()
                .map(|port| world.machine(network, port))
                .collect::<Vec<_>>(),
        );
    }
    let address = networks[0].ports[1].address;
    let _first = Server::start(&machines[0][1], (address, 80), "first");
    let _second = Server::start(&machines[1][1], (address, 80), "second");
    assert_eq!(ask(&machines[0][0], (address, 80)).unwrap().0, "first");
    assert_eq!(ask(&machines[1][0], (address, 80)).unwrap().0, "second");

    let uplink_of = |namespace: &str| -> Ipv4Addr {
        let shown: serde_json::Value =
            serde_json::from_str(&ip(&format!("-n {namespace} -j addr show uplink"))).unwrap();
        shown[0]["addr_info"][0]["local"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap()
    };
    let [own, other] = [0, 1].map(|n| uplink_of(&name_of(&world.namespace(&networks[n]))));
    let _other_side = Server::start(
        &world.namespace(&networks[1]),
        (other, 81),
        "other network's router",
    );
    assert!(silent(&machines[0][0], (other, 81)));
    let _own_side = Server::start(&world.namespace(&networks[0]), (own, 81), "own router's outside");
    assert!(silent(&machines[0][0], (own, 81)));
    let host_end = Ipv4Addr::from(u32::from(own) - 1);
    let _host = Server::start("/proc/self/ns/net".as_ref(), (host_end, 8181), "host");
    assert!(silent(&machines[0][0], (host_end, 8181)));
}

#[tokio::test]
async fn the_outside_sees_the_host_and_cannot_call_in() {
    let world = World::new();
    let network = world.network("10.20.0.0/24", &["10.20.0.10"]);
    world.driver.apply(&network).await.unwrap();
    let machine = world.machine(&network, &network.ports[0]);
    let outside = world.outside(Ipv4Addr::new(198, 18, 77, 2));
    let _server = Server::start(&outside, (Ipv4Addr::new(198, 18, 77, 2), 80), "outside");
    let (label, seen) = ask(&machine, (Ipv4Addr::new(198, 18, 77, 2), 80)).unwrap();
    assert_eq!(
        (label.as_str(), seen),
        ("outside", IpAddr::V4(Ipv4Addr::new(198, 18, 77, 1)))
    );

    // The outside knows the uplink's address and calls it.
    let shown: serde_json::Value = serde_json::from_str(&ip(&format!(
        "-n {} -j addr show uplink",
        name_of(&world.namespace(&network))
    )))
    .unwrap();
    let uplink: Ipv4Addr = shown[0]["addr_info"][0]["local"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let _listening = Server::start(&world.namespace(&network), (uplink, 82), "router");
    assert!(silent(&outside, (uplink, 82)));
}
