//! What a call may ask by its headers, besides what it asks by its body: to be carried out once however often it is sent
//! (`Idempotency-Key`), or only if the thing is still as its caller saw it (`If-Match`, `If-None-Match`). Which route
//! takes which follows from its row; the server, the client and the document all ask here.

use crate::routes::{self, Audited, Method, Route};

pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// On the answer to a call that was carried out before.
pub const IDEMPOTENCY_REPLAYED: &str = "idempotency-replayed";
pub const KEY_LENGTH: usize = 255;
/// Visible ASCII.
pub const KEY_PATTERN: &str = "^[!-~]{1,255}$";

/// What becomes of a call that is sent twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// Each makes something, unless both carry the same key.
    Keyed,
    /// The second changes nothing more, with a key or without.
    Harmless,
    /// Each does its work, and a key cannot prevent it: answers that hold secrets are not kept. A key is refused.
    Again,
}

/// POSTs that change something and may be sent again all the same.
const HARMLESS: [&str; 6] = [
    "logout",
    "cancelOperation",
    "loadImages",
    "createGrant",
    "revokeGrants",
    "createShare",
];

/// What is asked holds a secret, of which not even a digest is kept. Its name is taken when it is sent again.
const UNKEPT: [&str; 1] = ["createSecret"];

/// Things that are read with an ETag, and changed or removed on condition.
const TAGGED: [&str; 7] = [
    routes::CLUSTER,
    routes::NETWORK,
    routes::ORG,
    routes::ORG_QUOTA,
    routes::PROJECT,
    routes::PROJECT_QUOTA,
    routes::SERVICE_ACCOUNT,
];

impl Route {
    pub fn repeat(&self) -> Repeat {
        let makes = self.id.starts_with("create") && !UNKEPT.contains(&self.id) || self.id == "retryCluster";
        match (self.method, self.audited) {
            (_, Audited::SecretRead) => Repeat::Again,
            (Method::Get | Method::Put | Method::Delete, _) | (Method::Post, Audited::No) => Repeat::Harmless,
            (Method::Post, Audited::Change) if HARMLESS.contains(&self.id) => Repeat::Harmless,
            (Method::Post, Audited::Change) if makes => Repeat::Keyed,
            (Method::Post, Audited::Change) => Repeat::Again,
        }
    }

    /// Whether its answer has an ETag.
    pub fn is_tagged(&self) -> bool {
        self.method == Method::Get && TAGGED.contains(&self.path)
    }

    /// Whether it is carried out on condition.
    pub fn is_conditional(&self) -> bool {
        matches!(self.method, Method::Put | Method::Delete) && TAGGED.contains(&self.path)
    }

    /// Whether it makes what is not there.
    pub fn may_create(&self) -> bool {
        self.method == Method::Put && [routes::CLUSTER, routes::NETWORK].contains(&self.path)
    }
}

/// Whether this can be a key.
pub fn is_key(given: &str) -> bool {
    (1..=KEY_LENGTH).contains(&given.len()) && given.bytes().all(|b| b.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::TABLE;

    fn ids(wanted: impl Fn(&Route) -> bool) -> Vec<&'static str> {
        TABLE
            .iter()
            .filter(|route| wanted(route))
            .map(|route| route.id)
            .collect()
    }

    /// Whoever adds a route looks here at what it turned out to be.
    #[test]
    fn what_makes_something_takes_a_key() {
        assert_eq!(
            ids(|route| route.repeat() == Repeat::Keyed),
            [
                "createOrg",
                "createProject",
                "createServiceAccount",
                "createNetwork",
                "createCluster",
                "retryCluster"
            ]
        );
        assert_eq!(
            ids(|route| route.repeat() == Repeat::Harmless && route.method == Method::Post),
            [
                "logout",
                "planCluster",
                "createGrant",
                "revokeGrants",
                "createShare",
                "loadImages",
                "cancelOperation"
            ]
        );
    }

    #[test]
    fn whatever_has_a_tag_can_be_read_with_it() {
        for route in TABLE.iter().filter(|route| route.is_conditional()) {
            let read = TABLE
                .iter()
                .any(|other| other.path == route.path && other.is_tagged());
            assert!(read, "{} {}", route.method.as_str(), route.path);
        }
        assert_eq!(ids(Route::is_tagged).len(), TAGGED.len());
    }

    #[test]
    fn a_key_is_visible_and_not_too_long() {
        for good in ["a", "3f0c~!", &"k".repeat(KEY_LENGTH)] {
            assert!(is_key(good), "{good}");
        }
        for bad in ["", " ", "a b", "é", "a\n", &"k".repeat(KEY_LENGTH + 1)] {
            assert!(!is_key(bad), "{bad}");
        }
    }
}
