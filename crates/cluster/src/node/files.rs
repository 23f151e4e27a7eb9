//! Files of a machine.

use std::path::PathBuf;

use ports::compute::{Content, FileEntry};
use types::Secret;

use crate::pki::Leaf;

pub(super) fn text(path: &str, content: impl Into<String>) -> FileEntry {
    FileEntry {
        path: PathBuf::from(path),
        mode: 0o644,
        content: Content::Text(content.into()),
    }
}

pub(super) fn secret(path: &str, content: impl Into<Vec<u8>>) -> FileEntry {
    FileEntry {
        path: PathBuf::from(path),
        mode: 0o600,
        content: Content::Secret(Secret::new(content)),
    }
}

/// Not secret, and yet for its owner only.
pub(super) fn private(file: FileEntry) -> FileEntry {
    FileEntry { mode: 0o600, ..file }
}

/// A certificate and its key beside each other: `<stem>.crt` and `<stem>.key`.
pub fn leaf_files(stem: &str, leaf: &Leaf) -> [FileEntry; 2] {
    [
        text(&format!("{stem}.crt"), &leaf.cert_pem),
        secret(&format!("{stem}.key"), leaf.key_pem.as_bytes()),
    ]
}
