//! The headers that say on what terms a call is carried out, and what comes back of them: `Idempotency-Key`, `If-Match`
//! and `If-None-Match` in, `Idempotency-Replayed` and `ETag` out. A header that a route cannot honour is refused, never
//! ignored.
//!
//! An ETag has two parts, `"<revision>.<digest>"`. The digest is of the answer's bytes, so that 304 means nothing at all
//! has changed. The revision is of what the owner wrote; `If-Match` compares that alone, so that an edit is not refused
//! because the platform itself went on with its work.

use api::{
    routes::{self, Method, Route},
    terms::{self as words, Repeat},
};
use app::terms::{self, Expected, OnceKey, Revised, Revision, Terms};
use axum::{
    body::{Body, Bytes, to_bytes},
    extract::{MatchedPath, Request},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use sha2::{Digest, Sha256};
use types::{Fault, FaultKind, audit::Actor};

use crate::{answer::Refusal, router::BODY_LIMIT};

const ETAG_DIGEST: usize = 16;

/// On an answer that has a revision; carried to the ETag.
#[derive(Debug, Clone)]
pub struct Revisioned(Revision);

/// An answer with the revision of what it shows.
pub fn revised(thing: &impl Revised, answer: impl IntoResponse) -> Response {
    at(thing.revision(), answer)
}

pub fn at(revision: Revision, answer: impl IntoResponse) -> Response {
    let mut response = answer.into_response();
    response.extensions_mut().insert(Revisioned(revision));
    response
}

/// Within authentication and the audit log.
pub async fn on_terms(matched: MatchedPath, request: Request, next: Next) -> Response {
    let Some(row) = routes::row(request.method().as_str(), matched.as_str()) else {
        return next.run(request).await;
    };
    let read = match read(row, request).await {
        Ok(read) => read,
        Err(fault) => return Refusal(fault).into_response(),
    };
    let Read {
        terms: set,
        seen,
        request,
    } = read;
    let response = terms::under(set.clone(), next.run(request)).await;
    let response = told(&set, response);
    if row.is_tagged() {
        return tagged(seen.as_deref(), response).await;
    }
    response
}

struct Read {
    terms: std::sync::Arc<Terms>,
    /// What a reader has already.
    seen: Option<String>,
    request: Request,
}

async fn read(row: &Route, request: Request) -> Result<Read, Fault> {
    let (parts, body) = request.into_parts();
    let expected = expected(row, &parts.headers)?;
    let seen = match row.is_tagged() {
        true => seen(&parts.headers)?,
        false => None,
    };
    let (once, body) = match key(row, &parts.headers)? {
        None => (None, body),
        Some(key) => {
            let key = key.to_owned();
            let bytes = to_bytes(body, BODY_LIMIT).await;
            let bytes = bytes.map_err(|_| {
                Fault::invalid(
                    "body-too-large",
                    "the request's body did not arrive whole, or is larger than this route takes",
                    "send less",
                )
            })?;
            (Some(once(row, &parts, &key, &bytes)), Body::from(bytes))
        }
    };
    Ok(Read {
        terms: Terms::new(once, expected),
        seen,
        request: Request::from_parts(parts, body),
    })
}

/// The ETags a reader shows.
fn seen(headers: &HeaderMap) -> Result<Option<String>, Fault> {
    let shown = text(headers, &header::IF_NONE_MATCH)?;
    if let Some(tags) = shown.filter(|tags| *tags != "*") {
        revisions(tags, &header::IF_NONE_MATCH)?;
    }
    Ok(shown.map(str::to_owned))
}

fn once(row: &Route, parts: &Parts, key: &str, body: &Bytes) -> OnceKey {
    // The guard let somebody in, or the route is not one that makes something.
    let caller = parts.extensions.get::<Actor>().map_or("", |actor| &actor.id);
    OnceKey::new(caller, row.id, key, &[parts.uri.path().as_bytes(), body])
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Fault> {
    let mut given = headers.get_all(name).iter();
    let Some(first) = given.next() else {
        return Ok(None);
    };
    let one = given.next().is_none();
    match first.to_str() {
        Ok(text) if one => Ok(Some(text)),
        _ => Err(Fault::invalid(
            "header-invalid",
            format!("{name} is there more than once, or is not ASCII"),
            "send it once, as the document under /openapi.json describes it",
        )),
    }
}

/// The key, if the call carries one that this route keeps.
fn key<'a>(row: &Route, headers: &'a HeaderMap) -> Result<Option<&'a str>, Fault> {
    let name = HeaderName::from_static(words::IDEMPOTENCY_KEY);
    let Some(given) = text(headers, &name)? else {
        return Ok(None);
    };
    if !words::is_key(given) {
        return Err(Fault::invalid(
            "idempotency-key-invalid",
            "an Idempotency-Key is 1 to 255 visible ASCII characters",
            "give a random one, such as a UUID",
        ));
    }
    match row.repeat() {
        Repeat::Keyed => Ok(Some(given)),
        // Sent again it changes nothing more: what the key asks for holds without it.
        Repeat::Harmless => Ok(None),
        Repeat::Again => Err(Fault::invalid(
            "idempotency-key-unsupported",
            format!(
                "{} keeps no answer that it could give again: it holds a secret, or is new each time",
                row.id
            ),
            "leave the Idempotency-Key out; revoke what a lost answer may have made, and ask again",
        )),
    }
}

fn expected(row: &Route, headers: &HeaderMap) -> Result<Expected, Fault> {
    let matches = text(headers, &header::IF_MATCH)?;
    let none = match row.is_tagged() {
        true => None,
        false => text(headers, &header::IF_NONE_MATCH)?,
    };
    match (matches, none) {
        (None, None) => Ok(Expected::Anything),
        (Some("*"), None) if row.is_conditional() => Ok(Expected::There),
        (Some(tags), None) if row.is_conditional() => Ok(Expected::At(revisions(tags, &header::IF_MATCH)?)),
        (None, Some("*")) if row.may_create() => Ok(Expected::Absent),
        (None, Some(_)) if row.may_create() => Err(Fault::invalid(
            "if-none-match-invalid",
            "a change takes `If-None-Match: *` and no other",
            "send * to make something only if it is not there, or If-Match with an ETag to change it",
        )),
        (Some(_), Some(_)) if row.may_create() => Err(Fault::new(
            FaultKind::Stale,
            "precondition-failed",
            "If-Match wants it to be there, If-None-Match wants it not to be",
            "send one of them",
        )),
        // What a reader asks of a GET without a tag is answered in full.
        (None, Some(_)) if row.method == Method::Get => Ok(Expected::Anything),
        _ => Err(Fault::invalid(
            "precondition-unsupported",
            format!("{} is not carried out on such a condition", row.id),
            "leave If-Match and If-None-Match out, or send one of them",
        )),
    }
}

/// The revisions of a list of ETags.
fn revisions(tags: &str, name: &HeaderName) -> Result<Vec<Revision>, Fault> {
    let tag = |tag: &str| {
        let tag = tag.trim();
        let bare = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
        // A weak tag says that something like it was seen; that is not enough to overwrite it.
        let weak = tag.strip_prefix("W/\"").and_then(|tag| tag.strip_suffix('"'));
        let own = bare.map(|tag| tag.split('.').next().unwrap_or_default());
        own.or(weak.map(|_| "")).map(Revision::shown)
    };
    let all: Option<Vec<Revision>> = tags.split(',').map(tag).collect();
    all.ok_or_else(|| {
        Fault::invalid(
            "etag-invalid",
            format!("{name} is neither * nor a list of ETags in quotes"),
            "send the ETag as it was received, with its quotes",
        )
    })
}

/// What whoever set the terms is told.
fn told(set: &Terms, mut response: Response) -> Response {
    if response.status() == StatusCode::PRECONDITION_FAILED
        && let Some(found) = set.found()
        && let Ok(tag) = HeaderValue::from_str(&format!("\"{found}\""))
    {
        response.headers_mut().insert(header::ETAG, tag);
    }
    if set.was_replayed() && response.status().is_success() {
        let name = HeaderName::from_static(words::IDEMPOTENCY_REPLAYED);
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static("true"));
    }
    response
}

/// With its ETag; or without its body, when the reader has it already.
async fn tagged(seen: Option<&str>, response: Response) -> Response {
    let Some(Revisioned(revision)) = response.extensions().get::<Revisioned>().cloned() else {
        return response;
    };
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return Refusal(Fault::internal(
            "answer-lost",
            "an answer in memory could not be read",
        ))
        .into_response();
    };
    let digest: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let tag = format!("\"{revision}.{}\"", &digest[..ETAG_DIGEST]);
    if let Ok(value) = HeaderValue::from_str(&tag) {
        parts.headers.insert(header::ETAG, value);
    }
    if seen.is_some_and(|seen| has(seen, &tag)) {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(header::CONTENT_TYPE);
        parts.headers.remove(header::CONTENT_LENGTH);
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(bytes))
}

/// Compared weakly, as RFC 9110 has it for readers.
fn has(seen: &str, tag: &str) -> bool {
    seen.trim() == "*"
        || seen
            .split(',')
            .any(|one| one.trim().trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_etag_the_revision_counts_for_a_change_and_all_of_it_for_a_reader() {
        let shown = Revision::shown("r1");
        assert_eq!(
            revisions("\"r1.aa\", \"r2.bb\"", &header::IF_MATCH).unwrap()[0],
            shown
        );
        assert_eq!(revisions("\"r1\"", &header::IF_MATCH).unwrap()[0], shown);
        assert_ne!(revisions("W/\"r1.aa\"", &header::IF_MATCH).unwrap(), [shown]);
        for bad in ["r1", "\"r1", "", "\"a\", b"] {
            assert!(revisions(bad, &header::IF_MATCH).is_err(), "{bad}");
        }
        assert!(
            has("\"r1.aa\"", "\"r1.aa\"") && has("*", "\"r1.aa\"") && has("\"x\", W/\"r1.aa\"", "\"r1.aa\"")
        );
        assert!(!has("\"r1.bb\"", "\"r1.aa\""));
    }
}
