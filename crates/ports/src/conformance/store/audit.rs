//! The audit log: one chain, whoever appends; its head sealed with every record.

use types::{
    Fault, Secret,
    audit::{Actor, AuditRecord, Breakage, Change, Entry, Head, Object, Origin, Stage, Verdict, Walk},
};

use super::write;
use crate::{
    Vault,
    audit::{AuditFilter, Page, head_at, sealed_head},
    fake::FakeVault,
    store::{Store, StoreError, Write},
    vault::{Sealed, SecretRef},
};

const VAULT: FakeVault = FakeVault { key: 3 };

fn entry(request: &str) -> Entry {
    Entry {
        at_ms: 1_000,
        stage: Stage::Ended,
        actor: Actor {
            id: "user-1".to_owned(),
            name: "ana".to_owned(),
        },
        origin: Origin {
            address: "127.0.0.1:9".to_owned(),
            agent: "ä\u{0}\"'".to_owned(),
        },
        action: "createCluster".to_owned(),
        object: Object {
            kind: "cluster".to_owned(),
            name: Some("dev".to_owned()),
            id: Some(String::new()),
        },
        project: Some("p1".to_owned()),
        org: None,
        change: Some(Change::from_text("{\"b\": 1,\"a\":1.0e0}".to_owned())),
        status: Some(202),
        code: None,
        request: request.to_owned(),
    }
}

async fn append(store: &impl Store, entry: Entry) -> AuditRecord {
    store.append_audit(entry, &VAULT).await.unwrap()
}

async fn all(store: &impl Store) -> Vec<AuditRecord> {
    let filter = AuditFilter {
        page: Page::After(0),
        limit: 10_000,
        ..AuditFilter::default()
    };
    store.audit(&filter).await.unwrap()
}

async fn head(store: &impl Store) -> Option<Head> {
    let sealed = store.secret(&head_at()).await.unwrap();
    sealed_head(&VAULT, sealed.as_ref()).unwrap()
}

async fn verdict(store: &impl Store) -> Verdict {
    let mut walk = Walk::new(None);
    for record in all(store).await {
        if let Err(broken) = walk.step(&record) {
            return walk.broken(broken);
        }
    }
    walk.end(head(store).await)
}

pub(super) async fn records_follow_each_other(store: &impl Store) {
    assert_eq!(all(store).await, []);
    let first = append(store, entry("a")).await;
    let bare = Entry {
        stage: Stage::Begun,
        object: Object::default(),
        project: None,
        org: Some("o".to_owned()),
        change: None,
        status: None,
        code: Some("no-such".to_owned()),
        ..entry("b")
    };
    let second = append(store, bare.clone()).await;
    assert_eq!((first.sequence, second.sequence), (1, 2));
    assert_eq!(first, entry("a").after(Head::default()));
    assert_eq!(second, bare.after(first.head()));
    assert_eq!(
        all(store).await,
        [first, second],
        "as they were answered, byte by byte"
    );
    assert_eq!(verdict(store).await.broken, None);
}

pub(super) async fn filters_and_pages(store: &impl Store) {
    for n in 1..=6 {
        let whose = if n % 2 == 0 { "even" } else { "odd" };
        append(
            store,
            Entry {
                at_ms: n * 100,
                actor: Actor {
                    id: format!("user-{whose}"),
                    name: whose.to_owned(),
                },
                project: (n > 2).then(|| "p2".to_owned()),
                org: Some(format!("org-{whose}")),
                ..entry("x")
            },
        )
        .await;
    }
    let ask = async |filter: AuditFilter| -> Vec<u64> {
        let found = store.audit(&filter).await.unwrap();
        found.into_iter().map(|record| record.sequence).collect()
    };
    let any = || AuditFilter {
        limit: 100,
        ..AuditFilter::default()
    };
    assert_eq!(ask(any()).await, [6, 5, 4, 3, 2, 1], "newest first");
    let (page, limit) = (Page::Before(5), 2);
    assert_eq!(ask(AuditFilter { page, limit, ..any() }).await, [4, 3]);
    let (page, limit) = (Page::After(2), 3);
    assert_eq!(ask(AuditFilter { page, limit, ..any() }).await, [3, 4, 5]);
    assert_eq!(ask(AuditFilter { limit: 0, ..any() }).await, [0; 0]);
    let (since_ms, until_ms) = (Some(200), Some(400));
    assert_eq!(
        ask(AuditFilter {
            since_ms,
            until_ms,
            ..any()
        })
        .await,
        [3, 2],
        "from, and before"
    );
    for actor in ["even", "user-even"] {
        let actor = Some(actor.to_owned());
        assert_eq!(ask(AuditFilter { actor, ..any() }).await, [6, 4, 2]);
    }
    let project = Some("p2".to_owned());
    assert_eq!(
        ask(AuditFilter {
            project: project.clone(),
            ..any()
        })
        .await,
        [6, 5, 4, 3]
    );
    let (org, page) = (Some("org-odd".to_owned()), Page::After(0));
    assert_eq!(
        ask(AuditFilter {
            project,
            org,
            page,
            ..any()
        })
        .await,
        [3, 5],
        "filters narrow together"
    );
}

pub(super) async fn many_at_once_make_one_chain(store: &impl Store) {
    let names: Vec<String> = (0..200).map(|n| format!("call {n}")).collect();
    let appends = names.iter().map(|name| append(store, entry(name)));
    let answered = joined(appends).await;
    let mut numbers: Vec<u64> = answered.iter().map(|record| record.sequence).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=200).collect::<Vec<u64>>(), "each its own number");
    let stored = all(store).await;
    assert!(answered.iter().all(|record| stored.contains(record)));
    let verdict = verdict(store).await;
    assert_eq!((verdict.records, verdict.broken), (200, None));
}

/// All of them begun before the first has ended, on this task.
async fn joined<T>(futures: impl IntoIterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut pending: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut done = Vec::new();
    std::future::poll_fn(|context| {
        pending.retain_mut(|future| match future.as_mut().poll(context) {
            std::task::Poll::Ready(answer) => {
                done.push(answer);
                false
            }
            std::task::Poll::Pending => true,
        });
        if pending.is_empty() {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    done
}

pub(super) async fn the_head_is_sealed_with_each_record(store: &impl Store) {
    assert_eq!(head(store).await, None);
    for request in ["a", "b", "c"] {
        let record = append(store, entry(request)).await;
        assert_eq!(head(store).await, Some(record.head()));
    }
}

/// Without its head the log could have been cut; it goes on, but never looks whole again.
pub(super) async fn a_lost_head_leaves_a_break(store: &impl Store) {
    append(store, entry("a")).await;
    let owner = head_at().owner;
    write(store, [Write::DeleteSecrets { owner }]).await.unwrap();
    append(store, entry("b")).await;
    let broken = verdict(store).await.broken.unwrap();
    assert_eq!((broken.sequence, broken.how), (2, Breakage::Unlinked));

    let sealed = Sealed(vec![1, 2, 3]);
    let at = head_at();
    write(store, [Write::PutSecret { at, sealed }]).await.unwrap();
    let record = append(store, entry("c")).await;
    assert_eq!(record.sequence, 3);
    assert_eq!(head(store).await, Some(record.head()));
}

pub(super) async fn what_cannot_be_sealed_is_not_written(store: &impl Store) {
    struct Mute;
    impl Vault for Mute {
        fn seal(&self, _: &SecretRef, _: &Secret) -> Result<Sealed, Fault> {
            Err(Fault::unavailable("mute", "it does not answer", "wait"))
        }
        fn open(&self, _: &SecretRef, _: &Sealed) -> Result<Secret, Fault> {
            Err(Fault::unavailable("mute", "it does not answer", "wait"))
        }
    }
    let refused = store.append_audit(entry("a"), &Mute).await;
    assert!(matches!(refused, Err(StoreError::Failed { .. })), "{refused:?}");
    append(store, entry("b")).await;
    let refused = store.append_audit(entry("c"), &Mute).await;
    assert!(
        matches!(refused, Err(StoreError::Failed { .. })),
        "a head that cannot be opened now is not a head that was lost: {refused:?}"
    );
    let verdict = verdict(store).await;
    assert_eq!((verdict.records, verdict.broken), (1, None));
}
