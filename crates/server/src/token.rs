//! Cursors and resume points as they travel: opaque text, bound to the question it came from.
//!
//! Whoever makes one up gains nothing: it says only where to go on in a list that its reader may read anyway, and what
//! may be read is decided anew for every request. The checksum is there for mistakes: a cursor of another list, of other
//! filters, cut short or mistyped, is refused instead of answering something that looks right.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

const SUM: usize = 8;

/// Everything that makes one question another: route, project, filters.
#[derive(Debug, Clone)]
pub struct Question(Sha256);

impl Question {
    pub fn new(route: &str) -> Self {
        Self(Sha256::new()).and(route)
    }

    #[must_use]
    pub fn and(mut self, part: impl AsRef<str>) -> Self {
        let part = part.as_ref();
        // The length keeps "ab"+"c" and "a"+"bc" apart.
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part);
        self
    }

    fn sum(&self, payload: &[u8]) -> [u8; SUM] {
        let digest = self.0.clone().chain_update(payload).finalize();
        let mut sum = [0; SUM];
        sum.copy_from_slice(&digest[..SUM]);
        sum
    }

    pub fn encode(&self, payload: &impl Serialize) -> String {
        let payload = serde_json::to_vec(payload).unwrap_or_default();
        let mut bytes = self.sum(&payload).to_vec();
        bytes.extend(payload);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Nothing when it is not one of ours, or of another question.
    pub fn decode<T: DeserializeOwned>(&self, text: &str) -> Option<T> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (sum, payload) = bytes.split_at_checked(SUM)?;
        if sum != self.sum(payload) {
            return None;
        }
        serde_json::from_slice(payload).ok()
    }
}

#[cfg(test)]
mod tests {
    use ports::paging::Mark;
    use proptest::prelude::*;

    use super::*;

    fn mark() -> impl Strategy<Value = Mark> {
        prop_oneof![
            any::<u64>().prop_map(Mark::Number),
            ("\\PC{0,60}", "[a-z0-9-]{0,24}").prop_map(|(name, id)| Mark::Name(name, id)),
        ]
    }

    proptest! {
        #[test]
        fn what_was_given_comes_back(mark in mark(), route in "[a-z]{1,10}", filter in "\\PC{0,20}") {
            let question = Question::new(&route).and(&filter);
            let text = question.encode(&mark);
            prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
            prop_assert_eq!(question.decode::<Mark>(&text), Some(mark));
        }

        #[test]
        fn another_question_refuses_it(mark in mark(), a in "[a-c]{0,3}", b in "[a-c]{0,3}", c in "[a-c]{0,3}", d in "[a-c]{0,3}") {
            let text = Question::new(&a).and(&b).encode(&mark);
            let other = Question::new(&c).and(&d).decode::<Mark>(&text);
            prop_assert_eq!(other.is_some(), (a, b) == (c, d));
        }

        #[test]
        fn a_changed_character_is_noticed(mark in mark(), at in any::<prop::sample::Index>(), by in 1u8..64) {
            const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
            let question = Question::new("list");
            let mut text = question.encode(&mark).into_bytes();
            let at = at.index(text.len());
            let was = ALPHABET.iter().position(|c| *c == text[at]).unwrap();
            text[at] = ALPHABET[(was + usize::from(by)) % 64];
            prop_assert_eq!(question.decode::<Mark>(&String::from_utf8(text).unwrap()), None);
        }

        #[test]
        fn hostile_text_is_refused(text in "\\PC{0,80}") {
            prop_assert_eq!(Question::new("list").decode::<Mark>(&text), None);
        }
    }
}
