//! One signing key after another, with overlap: a new key is published before it signs, so that nobody meets a token
//! whose key they have not seen; an old one verifies until the last token it signed has ended.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use types::{Secret, Timestamp};
use zeroize::Zeroizing;

use super::{KeyError, KeySet, SigningKey};

/// How long a new key is known before it signs: longer than anybody keeps a copy of the key set.
const AHEAD: i64 = 15 * 60;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRing {
    /// From the oldest to the newest; never empty.
    keys: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    key: SigningKey,
    signs_from: Timestamp,
    /// Nothing for the newest.
    verifies_until: Option<Timestamp>,
}

impl KeyRing {
    /// With a first key that signs at once: there is no token and no copy of the set yet.
    pub fn new(now: Timestamp) -> Result<Self, KeyError> {
        let first = Entry {
            key: SigningKey::generate()?,
            signs_from: now,
            verifies_until: None,
        };
        Ok(Self { keys: vec![first] })
    }

    /// What signs now: the newest key whose time has come. A clock that went back gets the oldest.
    pub fn signer(&self, now: Timestamp) -> &SigningKey {
        let due = self.keys.iter().rev().find(|entry| entry.signs_from <= now);
        &due.unwrap_or(&self.keys[0]).key
    }

    /// What tokens are verified with now; the next signer is among them already.
    pub fn public(&self, now: Timestamp) -> KeySet {
        let verifying = self
            .keys
            .iter()
            .filter(|entry| entry.verifies_until.is_none_or(|until| until > now));
        KeySet(verifying.map(|entry| entry.key.public()).collect())
    }

    /// Since when the newest key is there, for whoever decides that it is time for another.
    pub fn newest_since(&self) -> Timestamp {
        self.keys.last().map_or(Timestamp(0), |entry| entry.signs_from)
    }

    /// Makes the next key. `token_lifetime` is the longest life, in seconds, of any token that is issued. While a key
    /// waits for its turn to sign, nothing is done.
    pub fn rotate(&mut self, now: Timestamp, token_lifetime: i64) -> Result<(), KeyError> {
        if self.newest_since() > now {
            return Ok(());
        }
        let signs_from = now.plus(AHEAD);
        let next = Entry {
            key: SigningKey::generate()?,
            signs_from,
            verifies_until: None,
        };
        if let Some(current) = self.keys.last_mut() {
            current.verifies_until = Some(signs_from.plus(token_lifetime.max(0)));
        }
        self.keys.push(next);
        Ok(())
    }

    /// Forgets keys no living token was signed with; whether there were any.
    pub fn prune(&mut self, now: Timestamp) -> bool {
        let before = self.keys.len();
        self.keys
            .retain(|entry| entry.verifies_until.is_none_or(|until| until > now));
        self.keys.len() != before
    }

    pub fn to_secret(&self) -> Secret {
        let stored = Stored {
            keys: self.keys.iter().map(StoredEntry::of).collect(),
        };
        Secret::new(serde_json::to_vec(&stored).expect("a ring serialises"))
    }

    pub fn from_secret(secret: &Secret) -> Result<Self, KeyError> {
        let stored: Stored = serde_json::from_slice(secret.expose()).map_err(|_| KeyError::Ring)?;
        let keys: Vec<Entry> = stored
            .keys
            .into_iter()
            .map(StoredEntry::into_entry)
            .collect::<Result<_, _>>()?;
        if keys.is_empty() {
            return Err(KeyError::Ring);
        }
        Ok(Self { keys })
    }
}

/// What is sealed. Private, so that nothing serialises a key by accident.
#[derive(Serialize, Deserialize)]
struct Stored {
    keys: Vec<StoredEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredEntry {
    pkcs8: Zeroizing<String>,
    signs_from: Timestamp,
    verifies_until: Option<Timestamp>,
}

impl StoredEntry {
    fn of(entry: &Entry) -> Self {
        Self {
            pkcs8: Zeroizing::new(STANDARD.encode(entry.key.pkcs8())),
            signs_from: entry.signs_from,
            verifies_until: entry.verifies_until,
        }
    }

    fn into_entry(self) -> Result<Entry, KeyError> {
        let pkcs8 = STANDARD
            .decode(self.pkcs8.as_bytes())
            .map_err(|_| KeyError::Ring)?;
        Ok(Entry {
            key: SigningKey::from_pkcs8(&Secret::new(pkcs8))?,
            signs_from: self.signs_from,
            verifies_until: self.verifies_until,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_800_000_000);
    const LIFETIME: i64 = 3_600;

    #[test]
    fn a_key_is_published_before_it_signs_and_verifies_until_its_last_token_ended() {
        let mut ring = KeyRing::new(NOW).unwrap();
        let first = ring.signer(NOW).kid().to_owned();
        ring.rotate(NOW, LIFETIME).unwrap();
        assert_eq!(ring.signer(NOW.plus(AHEAD - 1)).kid(), first);
        assert_eq!(ring.public(NOW).0.len(), 2, "the next key is known at once");
        let second = ring.signer(NOW.plus(AHEAD)).kid().to_owned();
        assert_ne!(second, first);
        // The last token of the first key was signed a second before that and lives for the whole of its time.
        let last = NOW.plus(AHEAD - 1 + LIFETIME);
        assert!(ring.public(last).find(&first).is_some());
        assert!(!ring.prune(last));
        let over = NOW.plus(AHEAD + LIFETIME);
        assert!(ring.public(over).find(&first).is_none());
        assert!(ring.prune(over));
        assert_eq!(ring.signer(over).kid(), second);
    }

    #[test]
    fn asking_twice_makes_one_key() {
        let mut ring = KeyRing::new(NOW).unwrap();
        ring.rotate(NOW, LIFETIME).unwrap();
        ring.rotate(NOW.plus(1), LIFETIME).unwrap();
        assert_eq!(ring.public(NOW).0.len(), 2);
    }

    #[test]
    fn a_clock_that_went_back_still_signs() {
        let ring = KeyRing::new(NOW).unwrap();
        assert_eq!(ring.signer(NOW.plus(-86_400)).kid(), ring.signer(NOW).kid());
    }

    #[test]
    fn what_was_sealed_comes_back_and_nothing_else_is_taken() {
        let mut ring = KeyRing::new(NOW).unwrap();
        ring.rotate(NOW, LIFETIME).unwrap();
        assert_eq!(KeyRing::from_secret(&ring.to_secret()).unwrap(), ring);
        for bad in [
            "",
            "{}",
            r#"{"keys":[]}"#,
            r#"{"keys":[{"pkcs8":"AA","signsFrom":0,"verifiesUntil":null}]}"#,
        ] {
            assert!(KeyRing::from_secret(&Secret::new(bad)).is_err(), "{bad}");
        }
        assert!(!format!("{ring:?}").contains("pkcs8"));
    }
}
