//! What can go wrong between a client and the platform, told apart so that a script can react to each.

use std::time::Duration;

use crate::Problem;

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The platform answered, and said no.
    #[error("{}", .0.detail)]
    Problem(Box<Problem>),
    #[error("the platform at {endpoint} does not answer")]
    Unreachable {
        endpoint: String,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("the connection to the platform at {endpoint} was lost before it answered")]
    Lost {
        endpoint: String,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("the platform at {endpoint} did not answer within {} seconds", after.as_secs())]
    Timeout { endpoint: String, after: Duration },
    /// Something answered, and could not show that it is the platform.
    #[error("the certificate of {endpoint} is not believed: {reason}")]
    Untrusted { endpoint: String, reason: String },
    #[error("an https:// endpoint cannot be checked: {detail}")]
    Trust { detail: String },
    #[error("'{given}' is not an endpoint such as http://127.0.0.1:7400 or https://cloud.example.org:7443")]
    Endpoint { given: String },
    #[error("the file could not be read")]
    File(#[source] std::io::Error),
    #[error("the answer was not understood: {detail}")]
    Protocol { detail: String },
}

impl ClientError {
    pub fn is_unreachable(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Lost { .. } | Self::Timeout { .. } => true,
            Self::Problem(_)
            | Self::Endpoint { .. }
            | Self::File(_)
            | Self::Protocol { .. }
            | Self::Trust { .. }
            | Self::Untrusted { .. } => false,
        }
    }

    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Problem(problem) if problem.status == 404)
    }
}
