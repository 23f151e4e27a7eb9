//! What a watch tells, over a store in memory.

use std::collections::BTreeMap;

use futures::FutureExt;
use ports::{
    fake::MemoryStore,
    store::{Batch, Doc, Write},
};
use types::{FaultKind, Timestamp, cluster::Cluster, network::Network};

use super::*;
use crate::{Lists, default_project};

struct Site {
    store: MemoryStore,
    lists: Lists,
}

fn site() -> Site {
    let store = MemoryStore::new();
    let lists = Lists::new(Arc::new(store.clone()));
    Site { store, lists }
}

fn network(name: &str, labels: &[(&str, &str)]) -> Network {
    let labels: BTreeMap<String, String> = labels
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    // Ids in the order of names, so that tests can say what comes when.
    let id = format!("vpc-{:0>16}", name.replace(|c: char| !c.is_ascii_digit(), ""));
    Network {
        id: id.parse().unwrap(),
        project: default_project(),
        account: "host".to_owned(),
        host: "local".to_owned(),
        name: name.parse().unwrap(),
        labels: labels.try_into().unwrap(),
        cidr: "10.20.0.0/16".parse().unwrap(),
        generation: 1,
        uplink: 1,
        deleting: false,
        created: Timestamp(1),
    }
}

impl Site {
    async fn put(&self, network: &Network) {
        let known = self.store.get("network", network.id.as_str()).await.unwrap();
        let version = known.map_or(0, |doc| doc.version);
        let writes = vec![Write::Put(Doc::new(network, version))];
        self.store.commit(Batch { fence: None, writes }).await.unwrap();
    }

    async fn remove(&self, network: &Network) {
        let (kind, id) = ("network", network.id.to_string());
        let writes = vec![Write::Delete { kind, id }];
        self.store.commit(Batch { fence: None, writes }).await.unwrap();
    }

    async fn watch(&self, labels: &str, from: Option<Point>) -> Result<Watch<Network>, Fault> {
        let labels = labels.parse().unwrap();
        let selection = Selection::of::<Network>(labels, Default::default()).unwrap();
        self.lists.watch(&default_project(), selection, from).await
    }
}

fn line(notice: &Notice<Network>) -> String {
    match &notice.told {
        Told::Added(network) => format!("added {}", network.name),
        Told::Modified { after, .. } => format!("modified {}", after.name),
        Told::Deleted(network) => format!("deleted {}", network.name),
        Told::Bookmark => "bookmark".to_owned(),
    }
}

/// Everything there is to tell without waiting.
async fn ready(watch: &mut Watch<Network>) -> Vec<Notice<Network>> {
    let mut all = Vec::new();
    while let Some(notices) = watch.next().now_or_never() {
        all.extend(notices.unwrap());
    }
    all
}

async fn lines(watch: &mut Watch<Network>) -> Vec<String> {
    ready(watch).await.iter().map(line).collect()
}

#[tokio::test]
async fn it_begins_with_the_present_and_goes_on_with_changes() {
    let site = site();
    let (mut one, two) = (network("n1", &[]), network("n2", &[]));
    site.put(&one).await;
    let mut watch = site.watch("", None).await.unwrap();
    assert_eq!(lines(&mut watch).await, ["added n1", "bookmark"]);
    site.put(&two).await;
    one.generation = 2;
    site.put(&one).await;
    site.remove(&two).await;
    assert_eq!(lines(&mut watch).await, ["added n2", "modified n1", "deleted n2"]);
    assert_eq!(lines(&mut watch).await, [""; 0]);
}

#[tokio::test]
async fn what_stops_to_match_is_deleted_and_what_begins_to_is_added() {
    let site = site();
    let (prod, test) = ([("env", "prod")], [("env", "test")]);
    site.put(&network("n1", &prod)).await;
    site.put(&network("n2", &test)).await;
    let mut watch = site.watch("env=prod", None).await.unwrap();
    assert_eq!(lines(&mut watch).await, ["added n1", "bookmark"]);
    site.put(&network("n1", &test)).await;
    site.put(&network("n2", &prod)).await;
    site.put(&network("n1", &[])).await;
    site.remove(&network("n1", &[])).await;
    assert_eq!(lines(&mut watch).await, ["deleted n1", "added n2"]);
}

/// However the state and the changes after it are interrupted: together it is what an uninterrupted watch tells.
#[tokio::test]
async fn taken_up_at_any_point_it_tells_the_rest_and_no_more() {
    let site = site();
    for n in 1..=5 {
        site.put(&network(&format!("n{n}"), &[("env", "prod")])).await;
    }
    let mut watch = site.watch("env=prod", None).await.unwrap();
    // The state is as of now, whatever happens before it is read.
    site.remove(&network("n2", &[])).await;
    site.put(&network("n3", &[("env", "test")])).await;
    site.put(&network("n6", &[("env", "prod")])).await;
    let whole = ready(&mut watch).await;
    let told: Vec<String> = whole.iter().map(line).collect();
    assert_eq!(
        told,
        [
            "added n1",
            "added n2",
            "added n3",
            "added n4",
            "added n5",
            "bookmark",
            "deleted n2",
            "deleted n3",
            "added n6"
        ]
    );
    for (at, notice) in whole.iter().enumerate() {
        // As it would travel, and over a store that only the log connects with the first.
        let text = serde_json::to_string(&notice.point).unwrap();
        let point: Point = serde_json::from_str(&text).unwrap();
        let mut again = site.watch("env=prod", Some(point)).await.unwrap();
        assert_eq!(ready(&mut again).await, whole[at + 1..], "after {at}");
    }
}

#[tokio::test]
async fn a_point_that_was_trimmed_away_or_never_was_is_gone() {
    let site = site();
    for n in 1..=9 {
        site.put(&network(&format!("n{n}"), &[])).await;
    }
    let mut slow = site.watch("", Some(Point::Change(3))).await.unwrap();
    site.store.trim_changes(2).await.unwrap();
    for point in [
        Point::Change(6),
        Point::Change(10),
        Point::State(6, String::new()),
    ] {
        let fault = site.watch("", Some(point)).await.err().unwrap();
        assert_eq!((fault.kind, &*fault.code), (FaultKind::Gone, "resume-expired"));
    }
    assert_eq!(
        &*slow.next().await.unwrap_err().code,
        "resume-expired",
        "left behind"
    );
    let mut kept = site.watch("", Some(Point::Change(7))).await.unwrap();
    assert_eq!(lines(&mut kept).await, ["added n8", "added n9"]);
}

#[tokio::test(start_paused = true)]
async fn whoever_hears_nothing_gets_a_bookmark_that_moves() {
    let site = site();
    let mut watch = site.watch("", None).await.unwrap();
    assert_eq!(lines(&mut watch).await, ["bookmark"]);
    // Another project's changes are not told, and do not leave the point behind.
    let foreign = Network {
        project: types::ProjectId::generate(),
        ..network("n1", &[])
    };
    site.put(&foreign).await;
    let notices = watch.next().await.unwrap();
    assert_eq!(
        notices,
        [Notice {
            told: Told::Bookmark,
            point: Point::Change(1)
        }]
    );
}

#[tokio::test]
async fn a_change_wakes_whoever_waits() {
    let site = site();
    let mut watch = site.watch("", None).await.unwrap();
    assert_eq!(lines(&mut watch).await, ["bookmark"]);
    let one = network("n1", &[]);
    let (told, ()) = tokio::join!(watch.next(), site.put(&one));
    assert_eq!(line(&told.unwrap()[0]), "added n1");
}

#[test]
fn unknown_fields_are_refused_with_the_known() {
    let fields = "phase=RUNNING,colour=red".parse().unwrap();
    let fault = Selection::of::<Cluster>(Default::default(), fields).unwrap_err();
    assert!(
        fault.cause.contains("colour") && fault.remedy.contains("phase"),
        "{fault:?}"
    );
}
