//! Answers and refusals of the HTTP layer: every error leaves as problem+json, also those axum finds by itself.

use api::{Problem, problem};
use axum::{
    Extension, Json,
    extract::{FromRequestParts, Path, Query, Request},
    http::{HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use serde::de::DeserializeOwned;
use types::{Fault, FaultKind};

/// What a handler fails with.
#[derive(Debug)]
pub struct Refusal(pub Fault);

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self(fault)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Self(fault) = self;
        if fault.kind == FaultKind::Internal {
            tracing::error!(code = %fault.code, cause = %fault.cause, "request failed");
        }
        let mut response = problem_response(problem::status_of(fault.kind), &Problem::from(&fault));
        if fault.kind == FaultKind::Unauthenticated {
            let scheme = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

/// The code of a refusal, on its answer, for whoever keeps a record of it.
#[derive(Debug, Clone)]
pub struct FaultCode(pub String);

/// A problem with a status that no kind of fault has.
fn problem_response(status: u16, problem: &Problem) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = serde_json::to_vec(problem).unwrap_or_default();
    let code = Extension(FaultCode(problem.code.clone()));
    (status, [(header::CONTENT_TYPE, problem::MEDIA_TYPE)], code, body).into_response()
}

pub type Answer<T> = Result<T, Refusal>;

/// `202` with a body.
pub fn accepted<T: serde::Serialize>(body: T) -> Response {
    (StatusCode::ACCEPTED, Json(body)).into_response()
}

/// A path that names nothing.
pub fn unreadable(cause: &str) -> Fault {
    Fault::invalid("path-invalid", cause, "send names and ids as UTF-8")
}

/// Parameters of the path.
pub struct At<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for At<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(parameters)) => Ok(Self(parameters)),
            Err(rejection) => Err(Refusal(unreadable(&rejection.body_text()))),
        }
    }
}

/// Parameters of the query.
pub struct Asked<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(query)) => Ok(Self(query)),
            Err(rejection) => Err(Refusal(Fault::invalid(
                "query-invalid",
                rejection.body_text(),
                "see the parameters in the document under /openapi.json",
            ))),
        }
    }
}

pub async fn no_such_route(request: Request) -> Refusal {
    Refusal(Fault::new(
        FaultKind::NotFound,
        "route-not-found",
        format!("there is nothing at {}", request.uri().path()),
        "see the routes in the document under /openapi.json",
    ))
}

pub async fn no_such_method(request: Request) -> Response {
    let problem = Problem {
        status: StatusCode::METHOD_NOT_ALLOWED.as_u16(),
        ..Problem::from(&Fault::invalid(
            "method-not-allowed",
            format!("{} does not take {}", request.uri().path(), request.method()),
            "see the methods in the document under /openapi.json",
        ))
    };
    problem_response(problem.status, &problem)
}
