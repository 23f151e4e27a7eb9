//! Why a call failed, and what that means to the platform.

use std::{error::Error, fmt::Write as _, io, net::SocketAddr, time::Duration};

use kube::core::Status;
use types::Fault;

const UNAVAILABLE: &str = "cluster-api-unavailable";
const WAIT: &str = "the control plane may be starting or overloaded and is asked again; if it stays like this, look at \
                    the cluster's events and the log of its kube-apiserver";

#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    #[error("the {what} we call with is not usable")]
    Material {
        what: &'static str,
        source: Box<dyn Error + Send + Sync>,
    },
    #[error("there is no connection")]
    Connect(#[source] io::Error),
    #[error("the server's certificate is not the cluster's")]
    Identity(#[source] rustls::Error),
    #[error("there was no TLS connection")]
    Handshake(#[source] io::Error),
    #[error("the connection could not be used")]
    Http(#[source] hyper::Error),
    #[error("there was no answer within {} s", .0.as_secs())]
    TimedOut(Duration),
    #[error(transparent)]
    Kube(#[from] kube::Error),
    /// Decided here, complete.
    #[error(transparent)]
    Decided(#[from] Fault),
}

impl CallError {
    /// Whether nobody answered, or somebody who cannot serve yet.
    pub(crate) fn is_absence(&self) -> bool {
        match self {
            Self::Connect(_) | Self::Handshake(_) | Self::Http(_) | Self::TimedOut(_) => true,
            Self::Kube(kube::Error::Api(status)) => is_overload(status),
            Self::Kube(error) => matches!(error, kube::Error::HyperError(_) | kube::Error::Service(_)),
            Self::Material { .. } | Self::Identity(_) | Self::Decided(_) => false,
        }
    }

    /// In words, with everything below it; Kubernetes' own message where there is one.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Kube(kube::Error::Api(status)) => format!("{} ({})", status.message, status.code),
            Self::Kube(kube::Error::HyperError(error)) => chain(error),
            Self::Kube(kube::Error::Service(error)) => chain(error.as_ref()),
            other => chain(other),
        }
    }

    /// Fixes the context now, where more of it is known than at the end of the call.
    pub(crate) fn during(self, object: &str, endpoint: SocketAddr) -> Self {
        Self::Decided(self.into_fault(&format!("apply {object}"), endpoint))
    }

    pub(crate) fn into_fault(self, doing: &str, endpoint: SocketAddr) -> Fault {
        let cause = format!(
            "could not {doing}: the cluster's API at {endpoint}: {}",
            self.reason()
        );
        let absent = self.is_absence();
        match self {
            Self::Decided(fault) => fault,
            Self::Identity(_) => Fault::refused(
                "cluster-api-identity",
                cause,
                "something else answers at this address, or the server's certificate is not from the cluster's \
                 authority or has expired; renew the cluster's certificates or free the address",
            ),
            Self::Material { .. } => Fault::internal("cluster-api-material", cause),
            _ if absent => Fault::unavailable(UNAVAILABLE, cause, WAIT),
            Self::Kube(kube::Error::SerdeError(_) | kube::Error::FromUtf8(_)) => {
                Fault::internal("cluster-api-answer", cause)
            }
            _ => Fault::internal("cluster-api-refused", cause),
        }
    }
}

pub(crate) fn is_not_found(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404)
}

fn is_overload(status: &Status) -> bool {
    matches!(status.code, 408 | 429 | 500..)
}

/// The error and its sources, each once: some libraries repeat the source in their own text.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let below = source.to_string();
        if !text.contains(&below) {
            let _ = write!(text, ": {below}");
        }
        next = source.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::FaultKind;

    fn answered(code: u16) -> CallError {
        CallError::Kube(kube::Error::Api(
            Status::failure("no, thanks", "Reason").with_code(code).boxed(),
        ))
    }

    #[test]
    fn each_answer_has_its_fault() {
        let at = "127.0.0.1:6443".parse().unwrap();
        for (error, kind, code) in [
            (answered(429), FaultKind::Unavailable, UNAVAILABLE),
            (answered(500), FaultKind::Unavailable, UNAVAILABLE),
            (answered(503), FaultKind::Unavailable, UNAVAILABLE),
            (answered(401), FaultKind::Internal, "cluster-api-refused"),
            (answered(422), FaultKind::Internal, "cluster-api-refused"),
            (
                CallError::TimedOut(Duration::from_secs(5)),
                FaultKind::Unavailable,
                UNAVAILABLE,
            ),
            (
                CallError::Connect(io::ErrorKind::ConnectionRefused.into()),
                FaultKind::Unavailable,
                UNAVAILABLE,
            ),
            (
                CallError::Identity(rustls::Error::NoCertificatesPresented),
                FaultKind::Refused,
                "cluster-api-identity",
            ),
        ] {
            let absent = error.is_absence();
            let fault = error.into_fault("try", at);
            assert_eq!((fault.kind, fault.code.as_ref()), (kind, code), "{fault}");
            assert_eq!(absent, fault.kind == FaultKind::Unavailable, "{fault}");
        }
    }

    #[test]
    fn kubernetes_own_words_are_kept() {
        let fault = answered(422).into_fault("apply it", "127.0.0.1:6443".parse().unwrap());
        assert!(fault.cause.contains("no, thanks (422)"), "{fault}");
    }
}
