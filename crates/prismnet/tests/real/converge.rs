//! Applying again, applying older, applying after something died.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::Instant,
};

use ports::Network;

use crate::{
    sockets::{Server, ask, ask_from, echoes, greeting},
    world::{World, interfaces, ip, name_of, port, until},
};

#[tokio::test]
async fn applying_again_changes_nothing() {
    let world = World::new();
    let mut network = world.network("10.20.0.0/24", &["10.20.0.10"]);
    network
        .ports
        .push(port("10.20.0.11", 3, &["10.244.1.0/24", "10.244.9.9/32"]));
    world.driver.apply(&network).await.unwrap();
    let namespace = name_of(&world.namespace(&network));
    let rules = || ip(&format!("netns exec {namespace} nft -a list ruleset"));
    let (before, rules_before) = (interfaces(&namespace), rules());

    let mut monitor = Command::new("ip")
        .args(["-o", "-n", &namespace, "monitor", "all"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(monitor.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    // The monitor listens once it tells of this address; what it tells between the two is what the apply did.
    let (mut n, started) = (1, Instant::now());
    let (told, heard) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut between = Vec::new();
        let mut started = false;
        for line in lines.by_ref() {
            if line.contains("127.9.9.9") {
                return between;
            } else if line.contains("127.8.8.") {
                started = true;
                let _ = told.send(());
            } else if started && !line.contains("127.") {
                between.push(line);
            }
        }
        between
    });
    while heard.recv_timeout(std::time::Duration::from_millis(50)).is_err() {
        ip(&format!(
            "-n {namespace} addr add 127.8.8.{n}/32 dev lo scope host"
        ));
        n += 1;
        assert!(started.elapsed().as_secs() < 10);
    }
    while heard.recv_timeout(std::time::Duration::from_millis(50)).is_ok() {}
    for used in 1..n {
        ip(&format!("-n {namespace} addr del 127.8.8.{used}/32 dev lo"));
    }
    world.restarted().apply(&network).await.unwrap();
    ip(&format!("-n {namespace} addr add 127.9.9.9/32 dev lo scope host"));
    let between = reader.join().unwrap();
    monitor.kill().unwrap();
    monitor.wait().unwrap();
    assert_eq!(between, Vec::<String>::new());
    assert_eq!((interfaces(&namespace), rules()), (before, rules_before));
}

#[tokio::test]
async fn running_connections_do_not_notice_a_new_port() {
    let world = World::new();
    let mut network = world.network("10.20.0.0/24", &["10.20.0.10", "10.20.0.11"]);
    world.driver.apply(&network).await.unwrap();
    let machines: Vec<_> = network
        .ports
        .iter()
        .map(|port| world.machine(&network, port))
        .collect();
    let _server = Server::start(&machines[1], (network.ports[1].address, 80), "server");
    let mut stream = ask_from(
        &machines[0],
        (network.ports[0].address, 0),
        (network.ports[1].address, 80),
    )
    .unwrap();
    greeting(&mut stream).unwrap();
    let namespace = name_of(&world.namespace(&network));
    let before = interfaces(&namespace);
    for generation in 2..6 {
        network.generation = generation;
        network.ports.push(port(
            &format!("10.20.0.{}", 100 + generation),
            1,
            &[&format!("10.244.{generation}.0/24")],
        ));
        world.driver.apply(&network).await.unwrap();
        assert!(echoes(&mut stream, "unbroken"));
    }
    network.generation = 9;
    network.ports.truncate(2);
    world.driver.apply(&network).await.unwrap();
    assert!(echoes(&mut stream, "unbroken"));
    assert_eq!(interfaces(&namespace), before);
}

#[tokio::test]
async fn a_port_whose_machine_died_is_made_again() {
    let world = World::new();
    let network = world.network("10.20.0.0/24", &["10.20.0.10", "10.20.0.11"]);
    world.driver.apply(&network).await.unwrap();
    let machines: Vec<_> = network
        .ports
        .iter()
        .map(|port| world.machine(&network, port))
        .collect();
    world.kill(&machines[0]);
    until("the port's end", async || {
        world
            .driver
            .observe(&network.id)
            .await
            .present()
            .is_some_and(|seen| seen.ports == [network.ports[1].id.clone()])
    })
    .await;
    world.driver.apply(&network).await.unwrap();
    let again = world.machine(&network, &network.ports[0]);
    let _server = Server::start(&machines[1], (network.ports[1].address, 80), "neighbour");
    assert_eq!(
        ask(&again, (network.ports[1].address, 80)).unwrap().0,
        "neighbour"
    );
}

/// Prints what an apply costs; the bar is generous, for a machine under load.
#[tokio::test]
async fn an_apply_is_quick() {
    let world = World::new();
    let mut network = world.network("10.20.0.0/24", &[]);
    let mut costs = Vec::new();
    for step in [
        "new network",
        "first port",
        "second port",
        "third port",
        "no change",
    ] {
        if step.ends_with("port") {
            network.generation += 1;
            network
                .ports
                .push(port(&format!("10.20.0.{}", 10 + network.generation), 1, &[]));
        }
        let started = Instant::now();
        world.driver.apply(&network).await.unwrap();
        costs.push((step, started.elapsed()));
    }
    eprintln!("apply: {costs:?}");
    assert!(costs.iter().all(|(_, cost)| cost.as_millis() < 1000), "{costs:?}");
}
