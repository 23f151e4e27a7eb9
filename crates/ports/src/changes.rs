//! The log of changes: every write to a document that can be watched, numbered, in the transaction that wrote it.
//!
//! Guarantees: numbers rise in the order of commits and are never given twice, also after a restart. A change is told
//! with what was before it and what was after it, so that whoever looks through a filter knows what came into view and
//! what left it. The state at any number that is still known can be read as it was.
//! Caveats: the log is trimmed, in each scope by itself; what was asked for from before that is `Forgotten`.

/// Kinds whose changes are kept. Nothing here may hold a secret: what was before stays readable for a while.
pub const WATCHED: [&str; 4] = ["cluster", "network", "machine", "operation"];

pub fn is_watched(kind: &str) -> bool {
    WATCHED.contains(&kind)
}

/// Bodies are as stored. Nothing before: it was made. Nothing after: it is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub number: u64,
    pub id: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Oldest first.
    pub changes: Vec<Change>,
    /// Up to here nothing else of this kind happened in this scope.
    pub upto: u64,
}
