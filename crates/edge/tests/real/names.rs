//! Names asked for at the platform address, as machines ask: over UDP and TCP, with resolvers that behave and others.

use std::{
    collections::HashSet,
    io::{Read, Write},
    net::UdpSocket,
    time::{Duration, Instant},
};

use ports::Edge as _;

use crate::{
    asking::{ask, blocking, code, connection, datagrams, hear, query, receive, say},
    edge::{Edge, MACHINE, PLATFORM, STRANGER, inside, until},
    upstream::{Manner, Upstream},
};

const SERVER_FAILURE: u8 = 2;
const TRUNCATED: u8 = 0x02;

/// An edge with its networks in force and these resolvers.
async fn edge(resolvers: &[&Upstream]) -> Edge {
    let edge = Edge::start().await;
    let text: String = resolvers.iter().map(|upstream| upstream.line()).collect();
    edge.resolvers(&format!("search example\noptions ndots:5\n{text}"));
    edge.client.apply(&edge.config).await.unwrap();
    edge
}

#[tokio::test]
async fn machines_of_all_networks_ask_over_both_transports() {
    let upstream = Upstream::start(Manner::Answers, 42).await;
    let edge = edge(&[&upstream]).await;
    for network in &edge.config.networks {
        for from in [MACHINE, STRANGER] {
            let answer = ask(&network.namespace, from, query(0xabcd, "www.example")).await;
            assert_eq!((&answer[..2], code(&answer)), (&[0xab, 0xcd][..], 0));
            assert!(answer.ends_with(&[10, 0, 0, 42]), "{answer:?}");
        }
    }
    let mut stream = connection(&edge.config.networks[0].namespace, MACHINE);
    blocking(move || {
        for id in 1..=3 {
            say(&mut stream, &query(id, "large.example"));
            let answer = hear(&mut stream);
            assert_eq!((&answer[..2], code(&answer)), (&id.to_be_bytes()[..], 0));
            assert!(answer.len() > 4500);
        }
    })
    .await;
    let metrics = edge.client.metrics().await.unwrap();
    assert!(metrics.contains("\nedge_dns_queries_total 7\n"), "{metrics}");
    assert!(metrics.contains("\nedge_dns_failures_total 0\n"), "{metrics}");
    // Nobody outside a network is served, and nothing but the platform address listens inside.
    let listening = |table: String| -> Vec<String> {
        let addresses = table.lines().filter_map(|line| line.split_whitespace().nth(1));
        addresses
            .filter(|at| at.ends_with(":0035"))
            .map(str::to_owned)
            .collect()
    };
    let ours = format!("{:08X}:0035", u32::from_ne_bytes(PLATFORM.octets()));
    let read = |path| listening(std::fs::read_to_string(path).unwrap());
    for path in ["/proc/thread-self/net/udp", "/proc/thread-self/net/tcp"] {
        assert!(!read(path).contains(&ours));
        let inside = inside(&edge.config.networks[0].namespace, || read(path));
        assert!(
            inside.iter().all(|address| *address == ours) && !inside.is_empty(),
            "{inside:?}"
        );
    }
}

#[tokio::test]
async fn every_query_leaves_under_an_id_and_from_a_port_of_its_own() {
    let upstream = Upstream::start(Manner::Answers, 1).await;
    let edge = edge(&[&upstream]).await;
    for _ in 0..24 {
        ask(
            &edge.config.networks[0].namespace,
            MACHINE,
            query(7, "www.example"),
        )
        .await;
    }
    let heard = upstream.heard();
    let ids: HashSet<&[u8]> = heard.iter().map(|(_, query)| &query[..2]).collect();
    let ports: HashSet<u16> = heard.iter().map(|(peer, _)| peer.port()).collect();
    assert!(ids.len() > 20 && ports.len() > 20, "{ids:?} {ports:?}");
    assert!(
        heard
            .iter()
            .all(|(_, sent)| sent[2..] == query(7, "www.example")[2..])
    );
}

#[tokio::test]
async fn answers_that_do_not_match_are_passed_over_and_truncated_ones_passed_on() {
    let upstream = Upstream::start(Manner::AfterForgeries, 5).await;
    let edge = edge(&[&upstream]).await;
    let namespace = &edge.config.networks[0].namespace;
    let answer = ask(namespace, MACHINE, query(0x0102, "www.example")).await;
    assert_eq!((&answer[..2], code(&answer)), (&[1, 2][..], 0));
    assert!(answer.ends_with(&[10, 0, 0, 5]));

    let answer = ask(namespace, MACHINE, query(3, "truncated.example")).await;
    assert_eq!(answer[2] & TRUNCATED, TRUNCATED);
    assert!(answer.ends_with(&[10, 0, 0, 5]));
    // Larger than we take: only its beginning, marked.
    let answer = ask(namespace, MACHINE, query(4, "large.example")).await;
    assert_eq!(answer[2] & TRUNCATED, TRUNCATED);
    assert_eq!(answer.len(), query(4, "large.example").len());
}

#[tokio::test]
async fn resolvers_are_tried_in_order_and_read_again_when_they_change() {
    let (silent, refusing) = (
        Upstream::start(Manner::Silent, 0).await,
        Upstream::start(Manner::Refuses, 2).await,
    );
    let (answering, last) = (
        Upstream::start(Manner::Answers, 3).await,
        Upstream::start(Manner::Answers, 4).await,
    );
    let edge = edge(&[&silent, &refusing, &answering]).await;
    let namespace = &edge.config.networks[0].namespace;
    let asked = Instant::now();
    let answer = ask(namespace, MACHINE, query(1, "www.example")).await;
    assert!(answer.ends_with(&[10, 0, 0, 3]));
    assert!(
        (2..4).contains(&asked.elapsed().as_secs()),
        "{:?}",
        asked.elapsed()
    );
    assert_eq!((silent.heard().len(), refusing.heard().len()), (1, 1));
    assert_ne!(silent.heard()[0].1[..2], refusing.heard()[0].1[..2]);

    edge.resolvers(&last.line());
    assert!(
        ask(namespace, MACHINE, query(1, "www.example"))
            .await
            .ends_with(&[10, 0, 0, 4])
    );
    // A refusal is passed on when nobody knows better.
    edge.resolvers(&refusing.line());
    assert_eq!(code(&ask(namespace, MACHINE, query(1, "www.example")).await), 5);
}

#[tokio::test]
async fn without_an_answer_there_is_a_failure() {
    let silent = Upstream::start(Manner::Silent, 0).await;
    let edge = edge(&[]).await;
    let namespace = &edge.config.networks[0].namespace;
    let asked = Instant::now();
    for conf in ["search example\n", "", "nameserver 127.255.255.253\n"] {
        edge.resolvers(conf);
        let answer = ask(namespace, MACHINE, query(1, "www.example")).await;
        assert_eq!(code(&answer), SERVER_FAILURE, "{conf}");
    }
    assert!(
        asked.elapsed() < Duration::from_millis(1500),
        "{:?}",
        asked.elapsed()
    );

    edge.resolvers(&silent.line());
    let mut stream = connection(namespace, MACHINE);
    let answer = blocking(move || {
        say(&mut stream, &query(8, "www.example"));
        hear(&mut stream)
    })
    .await;
    assert_eq!((&answer[..2], code(&answer)), (&[0, 8][..], SERVER_FAILURE));
    assert_eq!(silent.heard().len(), 1);
    let metrics = edge.client.metrics().await.unwrap();
    assert!(metrics.contains("\nedge_dns_failures_total 4\n"), "{metrics}");
}

#[tokio::test]
async fn too_many_at_once_fail_at_once_and_the_others_in_time() {
    let silent = Upstream::start(Manner::Silent, 0).await;
    let edge = edge(&[&silent]).await;
    let socket = datagrams(&edge.config.networks[0].namespace, MACHINE);
    let started = Instant::now();
    for batch in 0..8 {
        for id in 0..64 {
            socket.send(&query(batch * 64 + id, "www.example")).unwrap();
        }
        let count = usize::from(batch + 1) * 64;
        until("the resolver to be asked", async || silent.heard().len() == count).await;
    }
    blocking(move || {
        let late = 512..520u16;
        late.clone()
            .for_each(|id| _ = socket.send(&query(id, "www.example")).unwrap());
        // The last ones are the first to be answered.
        for id in late.chain(0..512) {
            let answer = receive(&socket);
            assert_eq!(code(&answer), SERVER_FAILURE);
            assert_eq!(
                id >= 512,
                answer[..2] >= 512u16.to_be_bytes()[..],
                "{:?}",
                started.elapsed()
            );
        }
        assert!(started.elapsed() >= Duration::from_secs(2));
    })
    .await;
    assert_eq!(silent.heard().len(), 512);
}

#[tokio::test]
async fn what_is_no_query_gets_no_answer_and_reaches_no_resolver() {
    let upstream = Upstream::start(Manner::Answers, 1).await;
    let edge = edge(&[&upstream]).await;
    let namespace = &edge.config.networks[0].namespace;
    let mut answer = query(1, "www.example");
    answer[2] |= 0x80;
    let mut update = query(3, "www.example");
    update[2] = 5 << 3;
    let socket = datagrams(namespace, MACHINE);
    let (mut talker, mut idler) = (connection(namespace, MACHINE), connection(namespace, MACHINE));
    blocking(move || {
        for message in [&[][..], &[1, 2, 3], &answer, &[7; 4097], &update] {
            socket.send(message).unwrap();
        }
        // The first that comes is the one for the last message.
        let refused = receive(&socket);
        assert_eq!((&refused[..2], code(&refused)), (&[0, 3][..], 1));
        // On a connection noise ends it, and so does silence.
        let started = Instant::now();
        say(&mut talker, &[1, 2, 3]);
        assert_eq!(talker.read(&mut [0; 16]).unwrap(), 0);
        assert!(started.elapsed() < Duration::from_secs(5));
        idler.write_all(&[0]).unwrap();
        assert_eq!(idler.read(&mut [0; 16]).unwrap(), 0);
    })
    .await;
    assert_eq!(upstream.heard(), []);
}

#[tokio::test]
async fn a_push_disturbs_nobody_who_asks_and_a_network_that_goes_is_served_no_more() {
    let upstream = Upstream::start(Manner::Answers, 6).await;
    let mut edge = edge(&[&upstream]).await;
    let namespace = edge.config.networks[0].namespace.clone();
    let mut stream = connection(&namespace, MACHINE);
    edge.config.generation = 2;
    edge.config.networks[0].clients.clear();
    edge.client.apply(&edge.config).await.unwrap();
    let stream = blocking(move || {
        say(&mut stream, &query(8, "www.example"));
        assert!(hear(&mut stream).ends_with(&[10, 0, 0, 6]));
        stream
    })
    .await;
    edge.kill_and_restart().await;
    drop(stream);
    let answer = ask(&namespace, MACHINE, query(1, "www.example")).await;
    assert!(answer.ends_with(&[10, 0, 0, 6]));

    edge.config.generation = 3;
    let removed = edge.config.networks.remove(0);
    edge.client.apply(&edge.config).await.unwrap();
    until("the port to be free", async || {
        inside(&namespace, || UdpSocket::bind((PLATFORM, 53)).is_ok())
    })
    .await;
    edge.config.networks.push(removed);
}
