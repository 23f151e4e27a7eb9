//! Errors on the wire: `application/problem+json` with a stable code to search for and what to do about it.

use serde::{Deserialize, Serialize};
use types::{Fault, FaultKind, FieldFault};

pub const MEDIA_TYPE: &str = "application/problem+json";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Problem {
    /// `urn:plasmacloud:problem:<code>`
    #[serde(rename = "type")]
    pub kind: String,
    /// The class of problem, the same for every problem with this status.
    pub title: String,
    pub status: u16,
    /// Stable; scripts may compare it.
    pub code: String,
    /// The cause, for a person.
    pub detail: String,
    /// What to do about it.
    pub remedy: String,
    /// What the problem is about, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// Every field of the request that is wrong, where that can be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldErrorView>,
}

/// One field of a request that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct FieldErrorView {
    /// Its path in the body: `spec.nodeGroups.default.minReplicas`.
    pub field: String,
    /// Stable; scripts may compare it.
    pub code: String,
    pub detail: String,
    pub remedy: String,
}

impl From<&FieldFault> for FieldErrorView {
    fn from(fault: &FieldFault) -> Self {
        let FieldFault {
            field,
            code,
            detail,
            remedy,
        } = fault;
        Self {
            field: field.clone(),
            code: code.to_string(),
            detail: detail.clone(),
            remedy: remedy.clone(),
        }
    }
}

impl From<&FieldErrorView> for FieldFault {
    fn from(view: &FieldErrorView) -> Self {
        let FieldErrorView {
            field,
            code,
            detail,
            remedy,
        } = view;
        Self {
            field: field.clone(),
            code: code.clone().into(),
            detail: detail.clone(),
            remedy: remedy.clone(),
        }
    }
}

pub fn status_of(kind: FaultKind) -> u16 {
    match kind {
        FaultKind::Invalid => 400,
        FaultKind::Unauthenticated => 401,
        FaultKind::Forbidden => 403,
        FaultKind::TooMany => 429,
        FaultKind::NotFound => 404,
        FaultKind::Conflict => 409,
        FaultKind::Gone => 410,
        FaultKind::Stale => 412,
        FaultKind::Refused | FaultKind::Unfit => 422,
        FaultKind::Internal => 500,
        FaultKind::Unavailable => 503,
        FaultKind::Exhausted => 507,
    }
}

/// Of a status we do not use ourselves (somebody else's proxy answered), the nearest kind.
pub fn kind_of(status: u16) -> FaultKind {
    match status {
        401 => FaultKind::Unauthenticated,
        404 => FaultKind::NotFound,
        409 => FaultKind::Conflict,
        410 => FaultKind::Gone,
        412 => FaultKind::Stale,
        403 => FaultKind::Forbidden,
        422 => FaultKind::Refused,
        429 => FaultKind::TooMany,
        400..=499 => FaultKind::Invalid,
        502..=504 => FaultKind::Unavailable,
        507 => FaultKind::Exhausted,
        _ => FaultKind::Internal,
    }
}

/// What an engine or a release does not do yet.
const NOT_SUPPORTED: [&str; 2] = ["field-not-supported", "exclusive-cores"];

/// Two kinds share a status: a refusal that names fields is about their values, unless they are not supported at all.
fn kind_of_problem(problem: &Problem) -> FaultKind {
    let of_values = problem
        .errors
        .iter()
        .all(|error| !NOT_SUPPORTED.contains(&error.code.as_str()));
    match kind_of(problem.status) {
        FaultKind::Refused if !problem.errors.is_empty() && of_values => FaultKind::Unfit,
        kind => kind,
    }
}

fn title_of(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Invalid => "The request is not valid",
        FaultKind::Unauthenticated => "The request carries no valid token",
        FaultKind::NotFound => "There is no such thing",
        FaultKind::Gone => "It is no longer there",
        FaultKind::Conflict => "Something else stands in the way",
        FaultKind::Stale => "It is not as it was seen last",
        FaultKind::Forbidden => "Not allowed to you",
        FaultKind::TooMany => "Asked for too often",
        FaultKind::Refused | FaultKind::Unfit => "Understood, and not allowed or not supported",
        FaultKind::Internal => "A defect of the platform",
        FaultKind::Unavailable => "Something did not answer",
        FaultKind::Exhausted => "The host lacks something",
    }
}

impl From<&Fault> for Problem {
    fn from(fault: &Fault) -> Self {
        Self {
            kind: format!("urn:plasmacloud:problem:{}", fault.code),
            title: title_of(fault.kind).to_owned(),
            status: status_of(fault.kind),
            code: fault.code.to_string(),
            detail: fault.cause.clone(),
            remedy: fault.remedy.clone(),
            instance: None,
            errors: fault.fields.iter().map(FieldErrorView::from).collect(),
        }
    }
}

impl From<&Problem> for Fault {
    fn from(problem: &Problem) -> Self {
        Fault {
            kind: kind_of_problem(problem),
            code: problem.code.clone().into(),
            cause: problem.detail.clone(),
            remedy: problem.remedy.clone(),
            fields: problem.errors.iter().map(FieldFault::from).collect(),
        }
    }
}

/// A fault inside an answer that is not itself an error: why an operation or a step of it failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct FaultView {
    pub code: String,
    pub cause: String,
    pub remedy: String,
}

impl From<&Fault> for FaultView {
    fn from(fault: &Fault) -> Self {
        Self {
            code: fault.code.to_string(),
            cause: fault.cause.clone(),
            remedy: fault.remedy.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_keeps_its_kind_on_the_way_to_the_client_and_back() {
        for kind in [
            FaultKind::Invalid,
            FaultKind::Unauthenticated,
            FaultKind::NotFound,
            FaultKind::Gone,
            FaultKind::Conflict,
            FaultKind::Stale,
            FaultKind::Refused,
            FaultKind::Internal,
            FaultKind::Unavailable,
            FaultKind::Exhausted,
        ] {
            let fault = Fault::new(kind, "some-code", "the cause", "the remedy");
            assert_eq!(Fault::from(&Problem::from(&fault)), fault);
        }
        let unfit = Fault::unfit("group-limits", "the cause", "the remedy").at("spec.vpc");
        let unsupported = Fault::refused(NOT_SUPPORTED[0], "the cause", "the remedy").at("spec.vpc");
        for fault in [unfit, unsupported] {
            assert_eq!(Fault::from(&Problem::from(&fault)), fault);
        }
    }
}
