//! Removing, scanning, and mending what was left half-made.

use std::{fs, process::Command};

use ports::{
    Network,
    scan::{Found, FoundKind},
};

use crate::{
    sockets::{Server, ask},
    world::{World, ip, name_of},
};

#[tokio::test]
async fn removing_leaves_nothing_and_may_be_repeated() {
    let world = World::new();
    let networks = [0, 1].map(|_| world.network("10.20.0.0/24", &["10.20.0.10"]));
    world.driver.remove(&networks[0].id).await.unwrap();
    for network in &networks {
        world.driver.apply(network).await.unwrap();
    }
    let machine = world.machine(&networks[0], &networks[0].ports[0]);
    // A socket inside keeps the namespace alive beyond its name.
    let _holding = Server::start(
        &world.namespace(&networks[0]),
        (networks[0].platform_address, 5080),
        "platform",
    );
    let found = world.driver.scan().await.unwrap();
    let kinds = |kind| found.iter().filter(|f| f.what == kind).count();
    // Two uplinks and the port no machine took; the other port's end is in its machine. The table serves both networks.
    assert_eq!(
        [FoundKind::Namespace, FoundKind::Interface, FoundKind::Table].map(kinds),
        [2, 3, 0],
        "{found:?}"
    );
    assert!(found.iter().any(|f| f.owner == networks[0].id.as_str()));

    world.driver.remove(&networks[0].id).await.unwrap();
    assert!(world.driver.observe(&networks[0].id).await.is_absent());
    assert!(!ip(&format!("-n {} link show", name_of(&machine))).contains("eth0"));
    assert!(world.driver.observe(&networks[1].id).await.present().is_some());
    for network in networks.iter().chain(&networks) {
        world.restarted().remove(&network.id).await.unwrap();
    }
    assert_eq!(world.driver.scan().await.unwrap(), []);
}

#[tokio::test]
async fn what_was_planted_is_found() {
    let world = World::new();
    let name = format!("pc-{}-0000000000000000", world.instance);
    let veth = format!("{}-zzzzzzzz", world.instance);
    let renamed = format!("x{}", world.instance);
    ip(&format!("netns add {name}"));
    ip(&format!(
        "link add {veth} type veth peer name y{}",
        world.instance
    ));
    ip(&format!(
        "link add {renamed} type veth peer name z{}",
        world.instance
    ));
    ip(&format!(
        "link set {renamed} alias plasmacloud/{}/vpc-1/port-1",
        world.instance
    ));
    let found = world.driver.scan().await;
    for planted in [
        format!("link del {veth}"),
        format!("link del {renamed}"),
        format!("netns del {name}"),
    ] {
        ip(&planted);
    }
    let expected = [
        Found {
            what: FoundKind::Namespace,
            name,
            owner: "vpc-0000000000000000".to_owned(),
        },
        Found {
            what: FoundKind::Interface,
            name: veth,
            owner: String::new(),
        },
        Found {
            what: FoundKind::Interface,
            name: renamed,
            owner: "vpc-1".to_owned(),
        },
    ];
    // In the order of their names, which are drawn.
    let mut found = found.unwrap();
    found.sort_by_key(|f| expected.iter().position(|e| e == f));
    assert_eq!(found, expected);
}

/// Every state a kill may leave, made by hand; the next apply gets from each to a network that works.
#[tokio::test]
async fn half_made_networks_are_mended() {
    let world = World::new();
    let mut network = world.network("10.20.0.0/24", &["10.20.0.10", "10.20.0.11"]);
    network.ports[1].routes = vec!["10.244.1.0/24".parse().unwrap()];
    network.ports[1].realm = 4;
    let namespace = name_of(&world.namespace(&network));
    let port = world.driver.interface(&network.ports[0].id);
    let uplink = format!("{}-u0", world.instance);
    let table = format!("pc-{}", world.instance);
    let damages: [&[String]; 9] = [
        &[format!("netns add {namespace}")],
        &[format!("link add {port} type veth peer name q{}", world.instance)],
        &[
            format!("netns add {namespace}"),
            format!("link add {port} type veth peer name {port} netns {namespace}"),
        ],
        &[
            format!("netns add {namespace}"),
            format!("link add {uplink} type veth peer name uplink netns {namespace}"),
        ],
        &["apply".to_owned(), format!("link del {uplink}")],
        &["apply".to_owned(), format!("-n {namespace} link set {port} down")],
        &[
            "apply".to_owned(),
            format!("-n {namespace} route flush table main"),
        ],
        &[
            "apply".to_owned(),
            format!("netns exec {namespace} nft flush ruleset"),
        ],
        &[
            "apply".to_owned(),
            format!("netns exec {namespace} ip rule del pref 1000"),
            format!("nft delete table inet {table}"),
        ],
    ];
    for damage in damages {
        for command in damage {
            match (command.as_str(), command.strip_prefix("nft ")) {
                ("apply", _) => drop(world.driver.apply(&network).await.unwrap()),
                (_, Some(nft)) => assert!(
                    Command::new("nft")
                        .args(nft.split(' '))
                        .status()
                        .unwrap()
                        .success()
                ),
                (_, None) => drop(ip(command)),
            }
        }
        works(&world, &network).await;
        world.driver.remove(&network.id).await.unwrap();
        assert_eq!(world.driver.scan().await.unwrap(), [], "after {damage:?}");
    }
    fs::create_dir_all("/run/netns").unwrap();
    fs::write(world.namespace(&network), "").unwrap();
    assert!(world.driver.observe(&network.id).await.is_absent());
    works(&world, &network).await;
    world.driver.remove(&network.id).await.unwrap();
    fs::write(world.namespace(&network), "").unwrap();
    world.driver.remove(&network.id).await.unwrap();
}

async fn works(world: &World, network: &ports::network::NetworkDesired) {
    let applied = world.restarted().apply(network).await.unwrap();
    assert_eq!(applied.ports.len(), 2);
    let machines: Vec<_> = network
        .ports
        .iter()
        .map(|port| world.machine(network, port))
        .collect();
    let pod = std::net::Ipv4Addr::new(10, 244, 1, 5);
    crate::world::pod(&machines[1], pod);
    let _server = Server::start(&machines[1], (network.ports[1].address, 80), "there");
    assert_eq!(
        ask(&machines[0], (network.ports[1].address, 80)).unwrap().0,
        "there"
    );
    let _platform = Server::start(
        &world.namespace(network),
        (network.platform_address, 80),
        "platform",
    );
    let mut stream =
        crate::sockets::ask_from(&machines[1], (pod, 0), (network.platform_address, 80)).unwrap();
    assert_eq!(crate::sockets::greeting(&mut stream).unwrap().0, "platform");
    drop(stream);
    machines.iter().for_each(|machine| world.kill(machine));
}
