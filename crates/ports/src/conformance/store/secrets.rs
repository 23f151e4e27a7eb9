//! Sealed rows: their own place, pages over all of them, replacing one only as it was seen, keys that are over.

use super::write;
use crate::{
    store::{Store, StoreError, Write},
    vault::{KeyMark, Sealed, SecretRef},
};

fn at(owner: &str, name: &str) -> SecretRef {
    SecretRef::new(owner, name)
}

fn put(owner: &str, name: &str, bytes: &[u8]) -> Write {
    Write::PutSecret {
        at: at(owner, name),
        sealed: Sealed(bytes.to_vec()),
    }
}

#[track_caller]
fn is_stale(outcome: Result<(), StoreError>) {
    assert!(matches!(outcome, Err(StoreError::Stale { .. })), "{outcome:?}");
}

pub(super) async fn belong_to_their_row(store: &impl Store) {
    assert_eq!(store.secret(&at("c", "ca")).await.unwrap(), None);
    write(
        store,
        [
            put("c", "ca", &[0, 255, 7]),
            put("c", "ssh", &[2]),
            put("d", "ca", &[3]),
        ],
    )
    .await
    .unwrap();
    assert_eq!(
        store.secret(&at("c", "ca")).await.unwrap(),
        Some(Sealed(vec![0, 255, 7]))
    );
    write(store, [put("c", "ca", &[9])]).await.unwrap();
    assert_eq!(
        store.secret(&at("c", "ca")).await.unwrap(),
        Some(Sealed(vec![9])),
        "the newer one"
    );

    write(
        store,
        [Write::DeleteSecrets {
            owner: "c".to_owned(),
        }],
    )
    .await
    .unwrap();
    assert_eq!(store.secret(&at("c", "ca")).await.unwrap(), None);
    assert_eq!(store.secret(&at("c", "ssh")).await.unwrap(), None);
    assert_eq!(store.secret(&at("d", "ca")).await.unwrap(), Some(Sealed(vec![3])));
}

pub(super) async fn come_in_pages(store: &impl Store) {
    assert_eq!(store.secrets(None, 10).await.unwrap(), []);
    // Of "a" all come before those of "ab", whatever their names.
    let rows = [("a", "z"), ("ab", ""), ("ab", "b"), ("ab", "c"), ("b", "a")];
    for (owner, name) in rows.into_iter().rev() {
        write(store, [put(owner, name, owner.as_bytes())]).await.unwrap();
    }
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let page = store.secrets(after.as_ref(), 2).await.unwrap();
        assert!(page.len() <= 2);
        let Some((last, _)) = page.last() else { break };
        after = Some(last.clone());
        seen.extend(page);
    }
    let expected: Vec<(SecretRef, Sealed)> = rows
        .iter()
        .map(|(owner, name)| (at(owner, name), Sealed(owner.as_bytes().to_vec())))
        .collect();
    assert_eq!(seen, expected);
    let gone = store.secrets(Some(&at("ab", "bb")), 1).await.unwrap();
    assert_eq!(gone[0].0, at("ab", "c"), "also from after one that is not there");
}

pub(super) async fn are_replaced_only_as_they_were(store: &impl Store) {
    let replace = |was: u8, now: u8| {
        [Write::ReplaceSecret {
            at: at("c", "ca"),
            was: Sealed(vec![was]),
            sealed: Sealed(vec![now]),
        }]
    };
    is_stale(write(store, replace(1, 2)).await);
    assert_eq!(store.secret(&at("c", "ca")).await.unwrap(), None, "it makes none");
    write(store, [put("c", "ca", &[1]), put("d", "ca", &[1])])
        .await
        .unwrap();
    write(store, replace(1, 2)).await.unwrap();
    is_stale(write(store, replace(1, 3)).await);
    assert_eq!(store.secret(&at("c", "ca")).await.unwrap(), Some(Sealed(vec![2])));
    assert_eq!(
        store.secret(&at("d", "ca")).await.unwrap(),
        Some(Sealed(vec![1])),
        "another row"
    );
}

pub(super) async fn a_retired_key_has_none_and_gets_none(store: &impl Store) {
    let key = || KeyMark(vec![1, 7]);
    let retire = || [Write::RetireKey(key())];
    write(store, [put("c", "ca", &[1, 7, 0]), put("d", "ca", &[1, 8, 7])])
        .await
        .unwrap();
    is_stale(write(store, retire()).await);
    write(store, [put("c", "ca", &[1, 7, 9])])
        .await
        .expect("a refused retirement retires nothing");
    write(store, [put("c", "ca", &[1, 8, 0])]).await.unwrap();
    write(store, retire()).await.unwrap();
    write(store, retire()).await.expect("again changes nothing");

    is_stale(write(store, [put("e", "ca", &[1, 7, 0])]).await);
    is_stale(write(store, [put("c", "ca", &[1, 7, 0])]).await);
    let back = Write::ReplaceSecret {
        at: at("c", "ca"),
        was: Sealed(vec![1, 8, 0]),
        sealed: Sealed(vec![1, 7, 0]),
    };
    is_stale(write(store, [back]).await);
    assert_eq!(
        store.secret(&at("c", "ca")).await.unwrap(),
        Some(Sealed(vec![1, 8, 0]))
    );
    write(store, [put("e", "ca", &[1]), put("f", "ca", &[2, 7])])
        .await
        .expect("other keys go on");
}
