//! Answers that were given lately. Checking a signature costs more than everything else about an answer, and an
//! apiserver asks about the same few tokens.
//!
//! Only good tokens are remembered, under their digest, until they end. A cache belongs to one snapshot and is thrown
//! away with it: whatever was revoked, its answer is gone.

use std::{collections::HashMap, sync::Mutex};

use bytes::Bytes;
use sha2::{Digest, Sha256};
use types::{ClusterId, NetworkId, Timestamp};

/// Of one half; there are two.
const HALF: usize = 4096;

pub(super) type Key = [u8; 32];

pub(super) fn key(network: &NetworkId, cluster: &ClusterId, token: &str) -> Key {
    let mut hash = Sha256::new();
    // Ids have a fixed shape: no two triples run together into the same bytes.
    for part in [network.as_str(), cluster.as_str(), token] {
        hash.update(part);
        hash.update([0]);
    }
    hash.finalize().into()
}

struct Entry {
    answer: Bytes,
    until: Timestamp,
}

/// Two halves: when the newer is full it becomes the older, and what was in that one and not asked for since is gone.
#[derive(Default)]
struct Halves {
    newer: HashMap<Key, Entry>,
    older: HashMap<Key, Entry>,
}

#[derive(Default)]
pub(super) struct Cache(Mutex<Halves>);

impl Cache {
    pub(super) fn find(&self, key: &Key, now: Timestamp) -> Option<Bytes> {
        let mut halves = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(entry) = halves.newer.get(key) {
            return (entry.until > now).then(|| entry.answer.clone());
        }
        let entry = halves.older.remove(key).filter(|entry| entry.until > now)?;
        let answer = entry.answer.clone();
        halves.keep(*key, entry);
        Some(answer)
    }

    pub(super) fn keep(&self, key: Key, answer: Bytes, until: Timestamp) {
        let mut halves = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        halves.keep(key, Entry { answer, until });
    }
}

impl Halves {
    fn keep(&mut self, key: Key, entry: Entry) {
        if self.newer.len() >= HALF {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(key, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(n: usize) -> Key {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&n.to_le_bytes());
        key
    }

    #[test]
    fn an_answer_ends_with_its_token() {
        let cache = Cache::default();
        cache.keep(numbered(1), Bytes::from_static(b"yes"), Timestamp(10));
        assert_eq!(
            cache.find(&numbered(1), Timestamp(9)),
            Some(Bytes::from_static(b"yes"))
        );
        assert_eq!(cache.find(&numbered(1), Timestamp(10)), None);
        assert_eq!(cache.find(&numbered(2), Timestamp(9)), None);
    }

    #[test]
    fn it_stays_small_and_keeps_what_is_asked_for() {
        let cache = Cache::default();
        let favourite = numbered(usize::MAX);
        cache.keep(favourite, Bytes::from_static(b"yes"), Timestamp(10));
        for n in 0..5 * HALF {
            cache.keep(numbered(n), Bytes::new(), Timestamp(10));
            assert!(cache.find(&favourite, Timestamp(0)).is_some());
        }
        let halves = cache.0.lock().unwrap();
        assert!(halves.newer.len() + halves.older.len() <= 2 * HALF + 1);
    }

    #[test]
    fn one_cluster_never_hears_what_was_told_another() {
        let (network, other_network) = (NetworkId::generate(), NetworkId::generate());
        let (cluster, other_cluster) = (ClusterId::generate(), ClusterId::generate());
        let own = key(&network, &cluster, "token");
        assert_eq!(own, key(&network, &cluster, "token"));
        assert_ne!(own, key(&network, &other_cluster, "token"));
        assert_ne!(own, key(&other_network, &cluster, "token"));
        assert_ne!(own, key(&network, &cluster, "tokem"));
    }
}
