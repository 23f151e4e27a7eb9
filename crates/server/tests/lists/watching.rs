//! Watching over HTTP: resumed after a restart, filtered, too old.

use std::time::Duration;

use api::{
    client::{Seen, Select, Watch},
    network::NetworkView,
};
use tokio::{net::TcpListener, time::timeout};

use super::site::{Site, network, problem, start};

fn prod() -> Select {
    Select {
        labels: Some("env=prod".to_owned()),
        fields: None,
    }
}

async fn next(watch: &mut Watch<NetworkView>) -> String {
    let seen = timeout(Duration::from_secs(30), watch.next())
        .await
        .expect("something is told");
    match seen.unwrap() {
        Seen::Added(network) => format!("added {}", network.name),
        Seen::Modified(network) => format!("modified {} {}", network.name, network.generation),
        Seen::Deleted(network) => format!("deleted {}", network.name),
        Seen::Bookmark => "bookmark".to_owned(),
        Seen::Restarted => "restarted".to_owned(),
    }
}

async fn next_of(watch: &mut Watch<NetworkView>, count: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for _ in 0..count {
        lines.push(next(watch).await);
    }
    lines
}

async fn stop(site: Site) {
    site.stop.send_replace(true);
    site.stop.closed().await;
}

/// The client goes on by itself; what happened while nobody served is told, and nothing twice.
#[tokio::test]
async fn a_watch_goes_on_over_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    let site = start(&path, None).await;
    let env = [("env", "prod")];
    let mut one = network(1, "n1", &env);
    site.books.put(&one).await;
    site.books.put(&network(2, "n2", &[("env", "test")])).await;
    let mut watch = site.client.watch_networks(&prod(), None).await.unwrap();
    assert_eq!(next_of(&mut watch, 2).await, ["added n1", "bookmark"]);
    one.generation = 2;
    site.books.put(&one).await;
    assert_eq!(next(&mut watch).await, "modified n1 2");
    let address = site.endpoint.strip_prefix("http://").unwrap().to_owned();
    let away = site.books.clone();
    stop(site).await;
    // Nobody serves; the books go on.
    away.put(&network(2, "n2", &env)).await;
    one.generation = 3;
    away.put(&one).await;
    away.remove(&network(1, "n1", &env)).await;
    let listener = TcpListener::bind(&address).await.unwrap();
    let site = start(&path, Some(listener)).await;
    assert_eq!(
        next_of(&mut watch, 3).await,
        ["added n2", "modified n1 3", "deleted n1"]
    );
    site.books.put(&network(3, "n3", &env)).await;
    assert_eq!(next(&mut watch).await, "added n3");
}

#[tokio::test]
async fn resuming_by_hand_tells_the_rest_and_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let site = start(&dir.path().join("s.db"), None).await;
    for n in 1..=4 {
        site.books.put(&network(n, &format!("n{n}"), &[])).await;
    }
    let mut watch = site
        .client
        .watch_networks(&Select::default(), None)
        .await
        .unwrap();
    let mut heard = Vec::new();
    for _ in 0..5 {
        let line = next(&mut watch).await;
        heard.push((line, watch.resume_point().unwrap().to_owned()));
    }
    site.books.remove(&network(2, "n2", &[])).await;
    let line = next(&mut watch).await;
    heard.push((line, watch.resume_point().unwrap().to_owned()));
    let whole: Vec<&str> = heard.iter().map(|(line, _)| line.as_str()).collect();
    assert_eq!(
        whole,
        [
            "added n1",
            "added n2",
            "added n3",
            "added n4",
            "bookmark",
            "deleted n2"
        ]
    );
    for at in 0..heard.len() - 1 {
        let point = Some(heard[at].1.clone());
        let mut again = site
            .client
            .watch_networks(&Select::default(), point)
            .await
            .unwrap();
        assert_eq!(
            next_of(&mut again, heard.len() - 1 - at).await,
            whole[at + 1..],
            "after {at}"
        );
    }
    // Of another question it is not a point at all.
    let point = Some(heard[0].1.clone());
    let refused = site.client.watch_networks(&prod(), point).await.unwrap_err();
    assert_eq!(problem(refused), (422, "resume-invalid".to_owned()));
}

#[tokio::test]
async fn a_point_too_old_is_gone_with_the_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let site = start(&dir.path().join("s.db"), None).await;
    let mut one = network(1, "n1", &[]);
    site.books.put(&one).await;
    let mut watch = site
        .client
        .watch_networks(&Select::default(), None)
        .await
        .unwrap();
    assert_eq!(next_of(&mut watch, 2).await, ["added n1", "bookmark"]);
    let point = watch.resume_point().unwrap().to_owned();
    drop(watch);
    for generation in 2..12 {
        one.generation = generation;
        site.books.put(&one).await;
    }
    site.books.0.trim_changes(3).await.unwrap();
    let refused = site
        .client
        .watch_networks(&Select::default(), Some(point.clone()))
        .await;
    assert_eq!(problem(refused.unwrap_err()), (410, "resume-expired".to_owned()));
    // The header says the same as the parameter.
    let header = format!("Last-Event-ID: {point}\r\n");
    let (status, body) = site.get("networks?watch=true", &header).await;
    assert!(
        status == 410 && body.contains("resume-expired") && body.contains("list again"),
        "{body}"
    );
}
