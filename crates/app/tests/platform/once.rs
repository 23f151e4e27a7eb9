//! A call with a key is carried out once: sent again, sent by many at once, and with the platform killed at every moment
//! of it. What is changed on condition is changed only while the condition holds.

use std::{collections::BTreeSet, sync::Arc};

use app::{
    default_project,
    paged::Part,
    terms::{self, Expected, OnceKey, Revised, Revision, Terms},
};
use futures::future::join_all;
use ports::{
    Clock, Store,
    fake::{KillSwitch, MemoryStore},
    store::Filter,
};
use types::{
    Fault, FaultKind, ProjectId,
    network::Network,
    operation::Operation,
    tenant::{Quota, Role},
};
use workflow::NoProbe;

use crate::{
    harness::{Host, Life},
    second_thoughts,
};

const DAY_MS: u64 = 86_400_000;

fn keyed(key: &str, words: &str) -> Arc<Terms> {
    let key = OnceKey::new("user-1", "createNetwork", key, &[words.as_bytes()]);
    Terms::new(Some(key), Expected::Anything)
}

fn expecting(expected: Expected) -> Arc<Terms> {
    Terms::new(None, expected)
}

async fn network(life: &Life, name: &str) -> Result<(Network, Operation), Fault> {
    let (name, cidr) = (name.parse().unwrap(), "10.30.0.0/16".parse().unwrap());
    life.ops.create_network(&default_project(), name, cidr).await
}

fn start(host: &Host) -> Life {
    host.start(Arc::new(NoProbe))
}

#[tokio::test]
async fn a_call_sent_again_has_the_first_answer() {
    let host = Host::new();
    let life = start(&host);
    let first = terms::under(keyed("k", "a"), network(&life, "net"))
        .await
        .unwrap();
    let again = keyed("k", "a");
    // Another life of the platform: what is kept is kept on disk.
    let life = start(&host);
    assert_eq!(
        terms::under(again.clone(), network(&life, "net")).await.unwrap(),
        first
    );
    assert!(again.was_replayed());
    // Without the key, or with another, it is another call.
    let other = keyed("l", "a");
    let taken = terms::under(other.clone(), network(&life, "net"))
        .await
        .unwrap_err();
    assert_eq!((taken.code.as_ref(), other.was_replayed()), ("name-taken", false));
}

#[tokio::test]
async fn a_key_belongs_to_one_call() {
    let host = Host::new();
    let life = start(&host);
    terms::under(keyed("k", "a"), network(&life, "net"))
        .await
        .unwrap();
    let fault = terms::under(keyed("k", "b"), network(&life, "other"))
        .await
        .unwrap_err();
    assert_eq!(
        (fault.kind, fault.code.as_ref()),
        (FaultKind::Refused, "idempotency-key-reused")
    );
    let other = life.ops.get_network(&default_project(), "other").await;
    assert_eq!(other.unwrap_err().kind, FaultKind::NotFound);
}

#[tokio::test]
async fn what_was_refused_is_decided_again() {
    let host = Host::new();
    let life = start(&host);
    let (spec, project) = (second_thoughts::spec(), default_project());
    let create = || {
        terms::under(
            keyed("k", "a"),
            life.ops
                .create_cluster(&project, "dev".parse().unwrap(), spec.clone()),
        )
    };
    assert_eq!(create().await.unwrap_err().code, "vpc-not-found");
    life.lab().await;
    let made = create().await.unwrap();
    assert_eq!(create().await.unwrap(), made);
}

#[tokio::test]
async fn of_fifty_at_once_one_makes_something() {
    let host = Host::new();
    let life = start(&host);
    let answers = join_all((0..50).map(|_| {
        let terms = keyed("k", "a");
        let life = &life;
        async move {
            let (network, operation) = terms::under(terms.clone(), network(life, "net")).await.unwrap();
            (
                network.id.to_string(),
                operation.id.to_string(),
                terms.was_replayed(),
            )
        }
    }))
    .await;
    let made: BTreeSet<(&str, &str)> = answers.iter().map(|(n, o, _)| (n.as_str(), o.as_str())).collect();
    assert_eq!(made.len(), 1, "{made:?}");
    assert_eq!(answers.iter().filter(|(.., replayed)| !replayed).count(), 1);
    assert_eq!(
        host.store
            .list("network", &Filter::default())
            .await
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        host.store
            .list("operation", &Filter::default())
            .await
            .unwrap()
            .len(),
        1
    );
}

/// The platform dies before or after anything is written; whoever asks again gets one thing, and the same answer from
/// then on.
#[tokio::test]
async fn killed_at_any_moment_a_call_makes_nothing_twice() {
    let kill = KillSwitch::default();
    let points = {
        let mut host = Host::new();
        host.store = MemoryStore::with_kill_switch(kill.clone());
        let life = start(&host);
        kill.disarm();
        terms::under(keyed("k", "a"), network(&life, "net"))
            .await
            .unwrap();
        kill.points()
    };
    assert_eq!(points, ["before store.commit", "after store.commit"]);
    for (point, title) in points.iter().enumerate() {
        let mut host = Host::new();
        host.store = MemoryStore::with_kill_switch(kill.clone());
        kill.disarm();
        let life = start(&host);
        kill.arm(point);
        tokio::select! {
            answer = terms::under(keyed("k", "a"), network(&life, "net")) => panic!("{title}: {answer:?}"),
            () = kill.killed() => {}
        }
        drop(life);
        kill.disarm();
        let life = start(&host);
        let made_before = host.store.list("network", &Filter::default()).await.unwrap();
        let again = keyed("k", "a");
        let first = terms::under(again.clone(), network(&life, "net")).await.unwrap();
        assert_eq!(again.was_replayed(), !made_before.is_empty(), "{title}");
        let second = terms::under(keyed("k", "a"), network(&life, "net"))
            .await
            .unwrap();
        assert_eq!(first, second, "{title}");
        let stored = host.store.list("network", &Filter::default()).await.unwrap();
        assert_eq!(stored.len(), 1, "{title}");
        assert_eq!(stored[0].id, first.0.id.to_string(), "{title}");
    }
}

#[tokio::test]
async fn a_key_is_kept_for_a_day_and_then_forgotten() {
    let host = Host::new();
    let life = start(&host);
    terms::under(keyed("k", "a"), network(&life, "net"))
        .await
        .unwrap();
    life.advance(DAY_MS - 1000);
    assert_eq!(terms::trim(&host.store, host.clock.now()).await.unwrap(), 0);
    life.advance(1000);
    // Over, and not trimmed yet: it is another call, and its key is kept anew.
    let (again, _) = terms::under(keyed("k", "b"), network(&life, "other"))
        .await
        .unwrap();
    assert_eq!(again.name.as_str(), "other");
    assert_eq!(terms::trim(&host.store, host.clock.now()).await.unwrap(), 0);
    life.advance(DAY_MS);
    assert_eq!(terms::trim(&host.store, host.clock.now()).await.unwrap(), 1);
    let kept = host
        .store
        .list("idempotency-key", &Filter::default())
        .await
        .unwrap();
    assert!(kept.is_empty());
}

#[tokio::test]
async fn everything_that_is_made_takes_a_key() {
    let host = Host::new();
    let life = start(&host);
    let root = life.tenants.root().await.unwrap();
    let under = |key: &str| keyed(key, "a");
    let org = || {
        life.tenants
            .create_org("acme".parse().unwrap(), 2, Quota::default())
    };
    let acme = terms::under(under("org"), org()).await.unwrap();
    assert_eq!(terms::under(under("org"), org()).await.unwrap(), acme);
    let project = || {
        life.tenants
            .create_project(&root, &acme.id, "shop".parse().unwrap(), Quota::default())
    };
    let shop = terms::under(under("project"), project()).await.unwrap();
    assert_eq!(terms::under(under("project"), project()).await.unwrap(), shop);
    let account = || {
        life.tenants
            .create_service_account(&shop.id, "ci".parse().unwrap(), Role::ProjectMember)
    };
    let ci = terms::under(under("account"), account()).await.unwrap();
    assert_eq!(terms::under(under("account"), account()).await.unwrap(), ci);
    let all = Part {
        after: None,
        limit: 50,
    };
    let accounts = life.tenants.list_service_accounts(&shop.id, &all).await.unwrap();
    assert_eq!(accounts.items.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_the_platform_does_by_itself_does_not_stand_in_the_way_of_an_edit() {
    let host = Host::new();
    let life = start(&host);
    life.lab().await;
    let spec = second_thoughts::spec();
    let (dev, _) = life
        .ops
        .create_cluster(&default_project(), "dev".parse().unwrap(), spec.clone())
        .await
        .unwrap();
    let read = dev.revision();
    life.settle().await.unwrap();
    let now = life
        .ops
        .get_cluster(&default_project(), "dev")
        .await
        .unwrap()
        .cluster;
    assert_ne!(now.status, dev.status, "it was worked on");
    assert_eq!(now.revision(), read);

    let mut wider = spec.clone();
    for group in wider.node_groups.values_mut() {
        group.max_replicas = Some(group.max() + 1);
    }
    let apply = |terms: Arc<Terms>, spec| {
        let call = life.ops.apply_cluster(&dev.project, "dev".parse().unwrap(), spec);
        terms::under(terms, call)
    };
    apply(expecting(Expected::At(vec![read.clone()])), wider.clone())
        .await
        .unwrap();
    let late = expecting(Expected::At(vec![read.clone()]));
    let fault = apply(late.clone(), spec.clone()).await.unwrap_err();
    assert_eq!(
        (fault.kind, fault.code.as_ref()),
        (FaultKind::Stale, "precondition-failed")
    );
    let now = life
        .ops
        .get_cluster(&default_project(), "dev")
        .await
        .unwrap()
        .cluster;
    assert_eq!((late.found(), now.spec.clone()), (Some(now.revision()), wider));

    let made = apply(expecting(Expected::Absent), spec.clone())
        .await
        .unwrap_err();
    assert_eq!(made.kind, FaultKind::Stale);
    let delete = |terms: Arc<Terms>| terms::under(terms, life.ops.delete_cluster(&now.project, "dev"));
    assert_eq!(
        delete(expecting(Expected::At(vec![read])))
            .await
            .unwrap_err()
            .kind,
        FaultKind::Stale
    );
    delete(expecting(Expected::At(vec![now.revision()])))
        .await
        .unwrap();
}

/// Both read the same, both write: one of them is told.
#[tokio::test]
async fn of_two_edits_of_the_same_reading_one_is_refused() {
    let host = Host::new();
    let life = start(&host);
    let project: ProjectId = default_project();
    let root = life.tenants.root().await.unwrap();
    let read = terms::of_quota(&life.tenants.enter(&root, project.as_str()).await.unwrap().project);
    let edit = |clusters: u32| {
        let quota = Quota {
            clusters: Some(clusters),
            ..Quota::default()
        };
        let expected = Expected::At(vec![read.clone()]);
        terms::under(expecting(expected), life.tenants.set_quota(&project, quota))
    };
    let (one, other) = tokio::join!(edit(1), edit(2));
    assert_eq!(
        usize::from(one.is_ok()) + usize::from(other.is_ok()),
        1,
        "{one:?} {other:?}"
    );
    let never = Expected::At(vec![Revision::shown("never")]);
    let gone = terms::under(
        expecting(never),
        life.tenants.set_quota(&project, Quota::default()),
    )
    .await;
    assert_eq!(gone.unwrap_err().kind, FaultKind::Stale);
}
