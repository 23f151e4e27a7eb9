//! Answers and refusals of the HTTP layer: every error leaves as problem+json, also those axum finds by itself.

use api::{Problem, problem};
use axum::{
    Extension, Json,
    extract::{
        FromRequest, FromRequestParts, Path, Query, Request,
        rejection::{BytesRejection, FailedToBufferBody, JsonRejection},
    },
    http::{StatusCode, header, request::Parts},
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
        problem_response(problem::status_of(fault.kind), &Problem::from(&fault))
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

/// A JSON body of a known shape; unknown fields and broken JSON are refused with the place where they stand.
pub struct Given<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Given<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(body)) => Ok(Self(body)),
            Err(rejection) => Err(Refusal(body_fault(&rejection))),
        }
    }
}

fn body_fault(rejection: &JsonRejection) -> Fault {
    const REMEDY: &str = "send JSON as the document under /openapi.json describes it";
    match rejection {
        JsonRejection::MissingJsonContentType(_) => Fault::invalid(
            "body-media-type",
            "the request's Content-Type is not application/json",
            REMEDY,
        ),
        JsonRejection::BytesRejection(BytesRejection::FailedToBufferBody(
            FailedToBufferBody::LengthLimitError(_),
        )) => Fault::invalid(
            "body-too-large",
            "the request's body is larger than this route takes",
            "send less",
        ),
        // The innermost error is the one that names the field.
        other => Fault::invalid("body-invalid", innermost(other), REMEDY),
    }
}

fn innermost(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => innermost_with_path(source),
        None => error.to_string(),
    }
}

/// `serde_path_to_error` prints the path before its own source; deeper errors lack it.
fn innermost_with_path(error: &dyn std::error::Error) -> String {
    error.to_string().trim_start_matches(".: ").to_owned()
}

/// Parameters of the path.
pub struct At<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for At<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(parameters)) => Ok(Self(parameters)),
            Err(rejection) => Err(Refusal(Fault::invalid(
                "path-invalid",
                rejection.body_text(),
                "send names and ids as UTF-8",
            ))),
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
