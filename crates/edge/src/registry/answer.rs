//! One request of the distribution protocol, answered: GET and HEAD of manifests, blobs and tags.

use std::{io, ops::Range, path::PathBuf, sync::Arc};

use bundle::{Registry, Route};
use bytes::Bytes;
use http_body_util::{BodyExt, Empty, Full, combinators::UnsyncBoxBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming,
    header::{ACCEPT_RANGES, ALLOW, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, RANGE},
};
use ports::edge::RegistryClient;

use super::{
    file::FileBody,
    images::Images,
    range::{Wanted, wanted},
};

pub(super) type Body = UnsyncBoxBody<Bytes, io::Error>;

const VERSION: (&str, &str) = ("docker-distribution-api-version", "registry/2.0");
const DIGEST: &str = "docker-content-digest";

/// A file that answers, and what is said about it.
struct Content {
    media_type: String,
    digest: String,
    size: u64,
    path: PathBuf,
}

enum Found {
    Content(Content),
    Tags(String, Vec<String>),
    Nothing {
        code: &'static str,
        message: &'static str,
    },
}

pub(super) async fn answer(
    request: Request<Incoming>,
    client: Option<Arc<RegistryClient>>,
    images: Arc<Images>,
) -> Response<Body> {
    images.metrics.registry_requests.add(1);
    let Some(client) = client else {
        images.metrics.registry_refused.add(1);
        return error(
            StatusCode::FORBIDDEN,
            "DENIED",
            "this address belongs to no machine that may read images",
        );
    };
    let head = match *request.method() {
        Method::GET => false,
        Method::HEAD => true,
        _ => {
            let mut refused = error(
                StatusCode::METHOD_NOT_ALLOWED,
                "UNSUPPORTED",
                "this registry is read-only",
            );
            refused
                .headers_mut()
                .insert(ALLOW, "GET, HEAD".parse().expect("a plain header"));
            return refused;
        }
    };
    let Some(route) = Route::parse(request.uri().path(), request.uri().query()) else {
        return error(
            StatusCode::NOT_FOUND,
            "NAME_INVALID",
            "no such path in a registry",
        );
    };
    if route == Route::Ping {
        return json(StatusCode::OK, "{}".to_owned());
    }
    let searched = {
        let images = images.clone();
        tokio::task::spawn_blocking(move || find(&images.of(&client)?, &route)).await
    };
    match searched {
        Ok(Ok(Found::Content(content))) => {
            let range = request.headers().get(RANGE).and_then(|value| value.to_str().ok());
            send(content, range, head, &images).await
        }
        Ok(Ok(Found::Tags(name, tags))) => json(
            StatusCode::OK,
            serde_json::json!({"name": name, "tags": tags}).to_string(),
        ),
        Ok(Ok(Found::Nothing { code, message })) => error(StatusCode::NOT_FOUND, code, message),
        Ok(Err(failure)) => {
            tracing::error!(%failure, "reading images failed");
            error(
                StatusCode::INTERNAL_SERVER_ERROR,
                "UNKNOWN",
                "the images could not be read; see the edge's log",
            )
        }
        Err(failure) => {
            tracing::error!(%failure, "looking for an image failed");
            error(
                StatusCode::INTERNAL_SERVER_ERROR,
                "UNKNOWN",
                "looking for the image failed; see the edge's log",
            )
        }
    }
}

fn find(sources: &[Arc<Registry>], route: &Route) -> Result<Found, bundle::Error> {
    match route {
        Route::Ping => Ok(Found::Nothing {
            code: "NAME_INVALID",
            message: "not an image",
        }),
        Route::Manifest {
            ns,
            repository,
            reference,
        } => {
            for source in sources {
                if let Some(found) = source.resolve(ns.as_deref(), repository, reference)? {
                    return Ok(Found::Content(Content {
                        media_type: found.media_type,
                        digest: found.digest.to_string(),
                        size: found.size,
                        path: found.path,
                    }));
                }
            }
            Ok(Found::Nothing {
                code: "MANIFEST_UNKNOWN",
                message: "this cluster has no such image",
            })
        }
        Route::Blob { digest } => {
            for source in sources {
                if let Some(found) = source.blob(digest)? {
                    return Ok(Found::Content(Content {
                        media_type: "application/octet-stream".to_owned(),
                        digest: found.digest.to_string(),
                        size: found.size,
                        path: found.path,
                    }));
                }
            }
            Ok(Found::Nothing {
                code: "BLOB_UNKNOWN",
                message: "no image of this cluster has such a blob",
            })
        }
        Route::Tags { ns, repository } => {
            let mut tags = Vec::new();
            for source in sources {
                tags.extend(source.tags(ns.as_deref(), repository)?);
            }
            tags.sort();
            tags.dedup();
            if tags.is_empty() {
                return Ok(Found::Nothing {
                    code: "NAME_UNKNOWN",
                    message: "this cluster has no such repository",
                });
            }
            Ok(Found::Tags(repository.clone(), tags))
        }
    }
}

async fn send(content: Content, range: Option<&str>, head: bool, images: &Images) -> Response<Body> {
    let Content {
        media_type,
        digest,
        size,
        path,
    } = content;
    let (status, part): (StatusCode, Range<u64>) = match wanted(range, size) {
        Wanted::Whole => (StatusCode::OK, 0..size),
        Wanted::Part(part) => (StatusCode::PARTIAL_CONTENT, part),
        Wanted::Unsatisfiable => {
            let mut refused = error(
                StatusCode::RANGE_NOT_SATISFIABLE,
                "SIZE_INVALID",
                "beyond the end",
            );
            let all = format!("bytes */{size}").parse().expect("digits make a header");
            refused.headers_mut().insert(CONTENT_RANGE, all);
            return refused;
        }
    };
    let mut answer = Response::builder()
        .status(status)
        .header(VERSION.0, VERSION.1)
        .header(CONTENT_TYPE, media_type)
        .header(CONTENT_LENGTH, part.end - part.start)
        .header(ACCEPT_RANGES, "bytes")
        .header(ETAG, format!("\"{digest}\""))
        .header(DIGEST, digest);
    if status == StatusCode::PARTIAL_CONTENT {
        answer = answer.header(
            CONTENT_RANGE,
            format!("bytes {}-{}/{size}", part.start, part.end - 1),
        );
    }
    let body = if head {
        Empty::new().map_err(|never| match never {}).boxed_unsync()
    } else {
        match FileBody::open(&path, part, images.metrics.clone()).await {
            Ok(body) => body.boxed_unsync(),
            Err(failure) => {
                tracing::error!(path = %path.display(), %failure, "a blob that an image names cannot be opened");
                return error(
                    StatusCode::NOT_FOUND,
                    "BLOB_UNKNOWN",
                    "the blob is gone from the cache",
                );
            }
        }
    };
    answer.body(body).expect("headers of ours are valid")
}

fn json(status: StatusCode, text: String) -> Response<Body> {
    Response::builder()
        .status(status)
        .header(VERSION.0, VERSION.1)
        .header(CONTENT_TYPE, "application/json")
        .body(Full::from(text).map_err(|never| match never {}).boxed_unsync())
        .expect("headers of ours are valid")
}

/// An error in the form the protocol gives it.
fn error(status: StatusCode, code: &str, message: &str) -> Response<Body> {
    json(
        status,
        serde_json::json!({"errors": [{"code": code, "message": message}]}).to_string(),
    )
}
