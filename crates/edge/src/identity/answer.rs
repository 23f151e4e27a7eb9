//! What is asked, and by whom it is answered.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;
use types::{ClusterId, NetworkId};

const VERSION: &str = "authentication.k8s.io/v1";
const KIND: &str = "TokenReview";

/// The part of a TokenReview that is read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Question<'a> {
    #[serde(borrow)]
    api_version: Cow<'a, str>,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    spec: Spec<'a>,
}

#[derive(Deserialize)]
struct Spec<'a> {
    #[serde(borrow)]
    token: Cow<'a, str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the body is not a TokenReview of {VERSION} with a token")]
pub struct Unreadable;

/// The token that is asked about.
pub(super) fn token(body: &[u8]) -> Result<Cow<'_, str>, Unreadable> {
    let question: Question<'_> = serde_json::from_slice(body).map_err(|_| Unreadable)?;
    if question.api_version == VERSION && question.kind == KIND {
        Ok(question.spec.token)
    } else {
        Err(Unreadable)
    }
}

/// Who answers. The server knows no more of it: so that what it costs can be told from what the answer costs.
pub trait Answers: Send + Sync {
    /// The body of an answer to that cluster of that network.
    fn answer(&self, network: &NetworkId, cluster: &ClusterId, question: &[u8]) -> Result<Bytes, Unreadable>;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bent::bent;

    const ASKED: &str = r#"{"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","metadata":{"creationTimestamp":null},"spec":{"token":"a.b.c","audiences":["https://kubernetes.default.svc"]},"status":{"user":{}}}"#;

    #[test]
    fn what_an_apiserver_sends_is_read() {
        assert_eq!(token(ASKED.as_bytes()).as_deref(), Ok("a.b.c"));
        let escaped = ASKED.replace("a.b.c", r"\u003ca\u0026b");
        assert_eq!(token(escaped.as_bytes()).as_deref(), Ok("<a&b"));
    }

    #[test]
    fn anything_else_is_not() {
        for other in [
            "",
            "{}",
            "[]",
            r#"{"apiVersion":"authentication.k8s.io/v1beta1","kind":"TokenReview","spec":{"token":"a"}}"#,
            r#"{"apiVersion":"authentication.k8s.io/v1","kind":"SubjectAccessReview","spec":{"token":"a"}}"#,
            r#"{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{}}"#,
            r#"{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":1}}"#,
            r#"{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"a","token":"b"}}"#,
        ] {
            assert_eq!(token(other.as_bytes()), Err(Unreadable), "{other}");
        }
    }

    proptest! {
        #[test]
        fn damaged_ones_do_no_harm(body in bent(ASKED.as_bytes().to_vec(), 6)) {
            let _ = token(&body);
        }
    }
}
