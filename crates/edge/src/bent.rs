//! For tests of what reads foreign bytes: real ones, damaged.

use proptest::prelude::*;

/// `whole` with fewer than `damages` of its bytes overwritten, then cut anywhere.
pub(crate) fn bent(whole: Vec<u8>, damages: usize) -> impl Strategy<Value = Vec<u8>> {
    let changes = proptest::collection::vec((0..whole.len(), any::<u8>()), 0..damages);
    (changes, 0..=whole.len()).prop_map(move |(changes, end)| {
        let mut bytes = whole.clone();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        bytes.truncate(end);
        bytes
    })
}
