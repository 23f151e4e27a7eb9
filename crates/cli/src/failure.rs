//! How a command fails: what is printed, and the exit code a script reacts to.

use std::{fmt, process::ExitCode};

use api::client::ClientError;
use types::{Fault, FaultKind, FieldFault};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It was tried and did not work.
    Failed,
    Usage,
    NotFound,
    /// Refused, or something stands in the way; nothing was changed.
    Refused,
    Unreachable,
    /// Ctrl-C, as shells report it.
    Interrupted,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::Refused => 4,
            Self::Unreachable => 5,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub code: String,
    pub cause: String,
    pub remedy: String,
    pub exit: Exit,
    /// What of the request is wrong, where there is more than one such thing.
    pub fields: Vec<FieldFault>,
}

impl Failure {
    pub fn new(exit: Exit, code: &str, cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            cause: cause.into(),
            remedy: remedy.into(),
            exit,
            fields: Vec::new(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.code, self.cause)?;
        for field in &self.fields {
            write!(f, "\n  - {}: {} ({})", field.field, field.detail, field.remedy)?;
        }
        write!(f, "\n  help: {}", self.remedy)
    }
}

/// A refusal of a request: nothing was begun.
impl From<&Fault> for Failure {
    fn from(fault: &Fault) -> Self {
        let exit = match fault.kind {
            FaultKind::Invalid | FaultKind::Unfit => Exit::Usage,
            FaultKind::NotFound => Exit::NotFound,
            FaultKind::Conflict
            | FaultKind::Stale
            | FaultKind::Refused
            | FaultKind::Unauthenticated
            | FaultKind::Forbidden
            | FaultKind::TooMany
            | FaultKind::Gone
            | FaultKind::Exhausted => Exit::Refused,
            FaultKind::Unavailable | FaultKind::Internal => Exit::Failed,
        };
        let told = Self::new(exit, &fault.code, fault.cause.clone(), fault.remedy.clone());
        // A single field is in the cause already.
        let fields = fault.fields.iter().filter(|_| fault.fields.len() > 1);
        Self {
            fields: fields.cloned().collect(),
            ..told
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::from(&fault)
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let cause = with_sources(&error);
        match error {
            ClientError::Problem(problem) => Self::from(&Fault::from(&*problem)),
            ClientError::Unreachable { .. } => Self::new(
                Exit::Unreachable,
                "platform-unreachable",
                cause,
                "start cloudd, or name the platform with --endpoint or PLASMACLOUD_ENDPOINT",
            ),
            ClientError::Lost { .. } => Self::new(
                Exit::Unreachable,
                "connection-lost",
                cause,
                "it may have been carried out: look before you run the command again",
            ),
            ClientError::Timeout { .. } => Self::new(
                Exit::Unreachable,
                "platform-timeout",
                cause,
                "look at the platform's log; try again when the host is less busy",
            ),
            ClientError::Endpoint { .. } => Self::new(
                Exit::Usage,
                "endpoint-invalid",
                cause,
                "give http:// or https://, a host and a port",
            ),
            ClientError::Untrusted { .. } => Self::new(
                Exit::Refused,
                "platform-untrusted",
                cause,
                "nothing was sent. Ask the platform's operator for `cloud admin ca`, and log in again with `cloud login --endpoint URL` \
                 and --ca-file FILE or --ca-fingerprint sha256:…; if that was right before, somebody may stand between you \
                 and the platform",
            ),
            ClientError::Trust { .. } => Self::new(
                Exit::Usage,
                "ca-unusable",
                cause,
                "give --ca-file with authorities in PEM, as `cloud admin ca` prints them",
            ),
            ClientError::File(_) => Self::new(
                Exit::Failed,
                "file-unreadable",
                cause,
                "give a file that exists and that you may read",
            ),
            ClientError::Protocol { .. } => Self::new(
                Exit::Failed,
                "answer-unexpected",
                cause,
                "check that `cloud` and the platform have the same version: `cloud version`",
            ),
        }
    }
}

impl From<bundle::Error> for Failure {
    fn from(error: bundle::Error) -> Self {
        let exit = match error {
            bundle::Error::Catalogue(_) => Exit::Usage,
            bundle::Error::Cache(_)
            | bundle::Error::Build(_)
            | bundle::Error::Transfer(_)
            | bundle::Error::Archive(_) => Exit::Failed,
        };
        Self::new(exit, error.code(), with_sources(&error), error.remedy())
    }
}

impl From<bundle::CacheError> for Failure {
    fn from(error: bundle::CacheError) -> Self {
        bundle::Error::from(error).into()
    }
}

/// An error with what is behind it, each said once.
pub fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let said = inner.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        source = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_fault_has_its_exit_code() {
        for (kind, code) in [
            (FaultKind::Invalid, 2),
            (FaultKind::Unfit, 2),
            (FaultKind::NotFound, 3),
            (FaultKind::Conflict, 4),
            (FaultKind::Stale, 4),
            (FaultKind::Refused, 4),
            (FaultKind::Unauthenticated, 4),
            (FaultKind::Exhausted, 4),
            (FaultKind::Unavailable, 1),
            (FaultKind::Internal, 1),
        ] {
            assert_eq!(
                Failure::from(Fault::new(kind, "c", "x", "y")).exit.code(),
                code,
                "{kind:?}"
            );
        }
    }

    #[test]
    fn it_reads_code_cause_help() {
        let failure = Failure::new(
            Exit::Refused,
            "vpc-in-use",
            "cluster 'dev' is in it",
            "delete the cluster first",
        );
        insta::assert_snapshot!(failure, @r"
        error[vpc-in-use]: cluster 'dev' is in it
          help: delete the cluster first
        ");
    }
}
