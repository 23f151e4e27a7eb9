//! What went wrong, for a person: a stable code to search for, the cause, and what to do about it.
//! Adapters keep their own error enums; at a port's boundary each becomes one of these.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};

/// How a caller should react; the API maps it to a status, the CLI to an exit code, the workflow to retry or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The request itself is wrong; repeating it cannot help.
    Invalid,
    /// The request has the right form, and a value that cannot be; repeating it cannot help. Always of a field.
    Unfit,
    NotFound,
    /// It was there and is no more; asking for the same again cannot help.
    Gone,
    /// The state of something else stands in the way.
    Conflict,
    /// It is not as the caller last saw it, and was to be changed only if it were.
    Stale,
    /// Understood, and not allowed or not supported.
    Refused,
    Unauthenticated,
    /// Known, and without the role for it.
    Forbidden,
    /// Asked for too often; later it is answered.
    TooMany,
    /// The host lacks something: disk, memory, a tool, a kernel feature. An operator can mend it.
    Exhausted,
    /// Something did not answer; trying again may help.
    Unavailable,
    /// A defect of ours.
    Internal,
}

impl FaultKind {
    /// Whether a step that failed this way is worth running again by itself.
    pub fn is_transient(self) -> bool {
        match self {
            Self::Unavailable | Self::Internal | Self::Exhausted => true,
            Self::Invalid
            | Self::Unfit
            | Self::NotFound
            | Self::Gone
            | Self::Conflict
            | Self::Stale
            | Self::Refused
            | Self::Unauthenticated
            | Self::Forbidden
            | Self::TooMany => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub kind: FaultKind,
    pub code: Cow<'static, str>,
    pub cause: String,
    pub remedy: String,
    /// What of the request is wrong, field by field, where that can be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldFault>,
}

/// One field of a request that is wrong, by its path in the body: `spec.nodeGroups.default.minReplicas`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldFault {
    pub field: String,
    pub code: Cow<'static, str>,
    pub detail: String,
    pub remedy: String,
}

impl Fault {
    pub fn new(
        kind: FaultKind,
        code: impl Into<Cow<'static, str>>,
        cause: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            code: code.into(),
            cause: cause.into(),
            remedy: remedy.into(),
            fields: Vec::new(),
        }
    }

    /// The same, about this field.
    pub fn at(self, field: impl Into<String>) -> Self {
        let field = field.into();
        Self {
            cause: format!("{field}: {}", self.cause),
            fields: vec![FieldFault {
                field,
                code: self.code.clone(),
                detail: self.cause,
                remedy: self.remedy.clone(),
            }],
            ..self
        }
    }

    pub fn invalid(code: &'static str, cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(FaultKind::Invalid, code, cause, remedy)
    }

    pub fn unfit(code: &'static str, cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(FaultKind::Unfit, code, cause, remedy)
    }

    pub fn not_found(what: &str, name: &str) -> Self {
        Self::new(
            FaultKind::NotFound,
            format!("{what}-not-found"),
            format!("there is no {what} '{name}' in this project"),
            format!("list what is there with the {what}'s list command, or create it"),
        )
    }

    pub fn conflict(code: &'static str, cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(FaultKind::Conflict, code, cause, remedy)
    }

    pub fn refused(code: &'static str, cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(FaultKind::Refused, code, cause, remedy)
    }

    pub fn unavailable(code: &'static str, cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(FaultKind::Unavailable, code, cause, remedy)
    }

    pub fn internal(code: &'static str, cause: impl Into<String>) -> Self {
        Self::new(
            FaultKind::Internal,
            code,
            cause,
            "this is a defect of the platform; its log has the details, please report it",
        )
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.cause, self.code)
    }
}

impl std::error::Error for Fault {}
