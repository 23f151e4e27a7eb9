//! What can go wrong here, and how it reads at the port's boundary.

use std::{io, path::PathBuf};

use ports::network::STALE;
use types::{Cidr, Fault, FaultKind, NetworkId};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("generation {given} of network {network} is older than {in_force}, which is in force")]
    Stale {
        network: NetworkId,
        given: u64,
        in_force: u64,
    },
    #[error("network {network}: {reason}")]
    Invalid { network: NetworkId, reason: String },
    #[error("uplink number {number} does not fit into {range}")]
    UplinkExhausted { number: u32, range: Cidr },
    #[error("every range for uplinks in {pool} is already routed by this host")]
    PoolExhausted { pool: Cidr },
    #[error("{range}, the link of network {network} to the host, overlaps the host's own route {route}")]
    UplinkOverlaps {
        network: NetworkId,
        range: Cidr,
        route: String,
    },
    #[error("the program '{program}' is not installed")]
    ToolMissing { program: &'static str },
    #[error("running '{program}' failed")]
    ToolRun {
        program: &'static str,
        source: io::Error,
    },
    #[error("'{program}' refused: {message}{}", at.as_ref().map(|line| format!(" (at: {line})")).unwrap_or_default())]
    Tool {
        program: &'static str,
        message: String,
        at: Option<String>,
    },
    #[error("the answer of '{program}' could not be read")]
    Answer {
        program: &'static str,
        source: serde_json::Error,
    },
    #[error("entering the namespace {path} failed")]
    Enter { path: PathBuf, source: io::Error },
    #[error("setting {path} failed")]
    Sysctl { path: PathBuf, source: io::Error },
    #[error("{what} {path} failed")]
    File {
        what: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

impl Error {
    /// A machine may have died, and its interface with it, between our look and our act.
    fn may_be_a_race(&self) -> bool {
        matches!(self, Self::Tool { .. } | Self::Sysctl { .. } | Self::Enter { .. })
    }

    fn permission(&self) -> bool {
        match self {
            Self::Tool { message, .. } => {
                message.contains("not permitted")
                    || message.contains("Permission denied")
                    || message.contains("must be root")
            }
            Self::Enter { source, .. } | Self::Sysctl { source, .. } | Self::File { source, .. } => {
                matches!(source.kind(), io::ErrorKind::PermissionDenied)
            }
            _ => false,
        }
    }

    fn kernel(&self) -> bool {
        match self {
            Self::Tool { message, .. } => ["Unknown device type", "not supported", "Protocol not available"]
                .iter()
                .any(|m| message.contains(m)),
            _ => false,
        }
    }

    /// The whole story: the message and every source behind it.
    fn story(&self) -> String {
        let mut story = self.to_string();
        let mut source = std::error::Error::source(self);
        while let Some(next) = source {
            story = format!("{story}: {next}");
            source = next.source();
        }
        story
    }
}

const ATTEMPTS: u32 = 3;

/// Does work that begins with a look at the kernel, again when what was seen may have changed meanwhile.
pub(crate) fn look_again<T>(mut work: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    for attempt in 1..ATTEMPTS {
        match work() {
            Err(error) if error.may_be_a_race() => tracing::debug!(%error, attempt, "looking again"),
            other => return other,
        }
    }
    work()
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let story = error.story();
        if error.permission() {
            return Fault::refused(
                "network-not-permitted",
                story,
                "networks are made by root (CAP_NET_ADMIN and CAP_SYS_ADMIN); run the platform as root",
            );
        }
        if error.kernel() {
            return Fault::new(
                FaultKind::Exhausted,
                "network-kernel-feature",
                story,
                "the kernel lacks a feature: load or enable veth, dummy, nf_tables, nft_nat, nft_masq and nf_conntrack zones",
            );
        }
        match error {
            Error::Stale { .. } => {
                Fault::conflict(STALE, story, "read the network again and apply what is newest")
            }
            Error::Invalid { .. } => {
                Fault::invalid("network-invalid", story, "correct the network's ports and ranges")
            }
            Error::UplinkExhausted { .. } | Error::PoolExhausted { .. } => Fault::new(
                FaultKind::Exhausted,
                "network-uplink-exhausted",
                story,
                "give the platform a larger or another range for uplinks, or delete networks that are not used",
            ),
            Error::UplinkOverlaps { .. } => Fault::conflict(
                "network-uplink-overlap",
                story,
                "give the platform another range for uplinks, or remove that route from the host",
            ),
            Error::ToolMissing { program } => Fault::new(
                FaultKind::Exhausted,
                "network-tool-missing",
                story,
                format!(
                    "install it: {} (package {})",
                    program,
                    if program == "ip" { "iproute2" } else { "nftables" }
                ),
            ),
            Error::ToolRun { .. } | Error::File { .. } | Error::Enter { .. } | Error::Sysctl { .. } => {
                Fault::unavailable(
                    "network-host-failed",
                    story,
                    "look at the host (memory, file descriptors, disk) and try again",
                )
            }
            Error::Tool { .. } | Error::Answer { .. } => Fault::internal("network-command-failed", story),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(message: &str) -> Fault {
        Error::Tool {
            program: "ip",
            message: message.to_owned(),
            at: None,
        }
        .into()
    }

    #[test]
    fn what_an_operator_can_mend_is_told_apart() {
        assert_eq!(
            tool("RTNETLINK answers: Operation not permitted").code,
            "network-not-permitted"
        );
        assert_eq!(tool("Error: Unknown device type.").code, "network-kernel-feature");
        assert_eq!(
            tool("RTNETLINK answers: File exists").code,
            "network-command-failed"
        );
        let missing: Fault = Error::ToolMissing { program: "nft" }.into();
        assert!(missing.remedy.contains("nftables"));
    }
}
