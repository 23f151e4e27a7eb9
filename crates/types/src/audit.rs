//! The audit log: who did what, from where, and how it ended, as a chain in which every record carries the hash of the
//! one before it. Changing, leaving out or moving a record breaks the chain from there on; `chain` says where.

mod chain;
#[cfg(test)]
mod tests;
mod text;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

pub use chain::{Breakage, Broken, Verdict, Walk};
pub use text::{HashError, HeadError};

/// Who called: a principal's id, and the name it is shown under.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    pub id: String,
    pub name: String,
}

impl Actor {
    /// Nobody that the platform knows.
    pub fn unknown() -> Self {
        Self {
            id: String::new(),
            name: "unknown".to_owned(),
        }
    }
}

/// From where. Neither is to be trusted further than the connection: the agent is what the caller calls itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Origin {
    pub address: String,
    pub agent: String,
}

/// A call that changes something is recorded twice: before it is carried out, so that it leaves a trace also when the
/// platform dies in the middle of it, and when its outcome is known. A call that was refused at the door is recorded once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    Begun,
    Ended,
}

impl Stage {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::Ended => "ended",
        }
    }
}

/// What it was about, as far as that is known: before a thing is made it has no id, and a refused one never gets one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Object {
    pub kind: String,
    pub name: Option<String>,
    pub id: Option<String>,
}

/// JSON of what changed, kept as the text it was hashed as. Never anything secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Change(String);

impl Change {
    pub fn of(what: &serde_json::Value) -> Self {
        Self(what.to_string())
    }

    /// As it was stored.
    pub fn from_text(text: String) -> Self {
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What is appended; the store adds its place in the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Milliseconds since the epoch, by the platform's clock.
    pub at_ms: i64,
    pub stage: Stage,
    pub actor: Actor,
    pub origin: Origin,
    /// The route's id, such as `createCluster`.
    pub action: String,
    pub object: Object,
    pub project: Option<String>,
    pub org: Option<String>,
    pub change: Option<Change>,
    /// HTTP status, once it is known.
    pub status: Option<u16>,
    /// The fault's code, when it was refused or failed.
    pub code: Option<String>,
    /// The same for both records of one call.
    pub request: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditRecord {
    /// From 1, without a gap.
    pub sequence: u64,
    pub entry: Entry,
    pub previous: Hash,
    pub hash: Hash,
}

/// SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hash(pub [u8; 32]);

/// A place in the chain: the last record's number and hash; zeros before the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Head {
    pub sequence: u64,
    pub hash: Hash,
}

impl Entry {
    /// The record that comes after `head`.
    pub fn after(self, head: Head) -> AuditRecord {
        let mut record = AuditRecord {
            sequence: head.sequence + 1,
            entry: self,
            previous: head.hash,
            hash: Hash::default(),
        };
        record.hash = record.computed();
        record
    }
}

impl AuditRecord {
    pub fn head(&self) -> Head {
        Head {
            sequence: self.sequence,
            hash: self.hash,
        }
    }

    /// The hash this record should have: SHA-256 of its fields in the order below, each as a length and that many bytes.
    /// The length is 8 bytes, big-endian; for a field that is absent it is all ones and no bytes follow. Numbers are
    /// decimal ASCII, text is UTF-8, hashes are their 32 bytes. The fields:
    ///
    /// `plasmacloud audit 1` (this encoding's name), sequence, at_ms, stage (`begun` or `ended`), actor.id, actor.name,
    /// origin.address, origin.agent, action, object.kind, object.name, object.id, project, org, change (its JSON as it is
    /// stored), status, code, request, previous.
    pub fn computed(&self) -> Hash {
        let Entry {
            at_ms,
            stage,
            actor,
            origin,
            action,
            object,
            project,
            org,
            change,
            status,
            code,
            request,
        } = &self.entry;
        let (sequence, at_ms) = (self.sequence.to_string(), at_ms.to_string());
        let status = status.map(|status| status.to_string());
        let fields: [Option<&[u8]>; 19] = [
            Some(b"plasmacloud audit 1"),
            Some(sequence.as_bytes()),
            Some(at_ms.as_bytes()),
            Some(stage.as_str().as_bytes()),
            Some(actor.id.as_bytes()),
            Some(actor.name.as_bytes()),
            Some(origin.address.as_bytes()),
            Some(origin.agent.as_bytes()),
            Some(action.as_bytes()),
            Some(object.kind.as_bytes()),
            object.name.as_deref().map(str::as_bytes),
            object.id.as_deref().map(str::as_bytes),
            project.as_deref().map(str::as_bytes),
            org.as_deref().map(str::as_bytes),
            change.as_ref().map(|change| change.as_str().as_bytes()),
            status.as_deref().map(str::as_bytes),
            code.as_deref().map(str::as_bytes),
            Some(request.as_bytes()),
            Some(&self.previous.0),
        ];
        let mut digest = Sha256::new();
        for field in fields {
            let length = field.map_or(u64::MAX, |bytes| bytes.len() as u64);
            digest.update(length.to_be_bytes());
            digest.update(field.unwrap_or_default());
        }
        Hash(digest.finalize().into())
    }
}
