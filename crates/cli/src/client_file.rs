//! The client file of the platform on this host: its endpoint and the token of its first administrator, for root.

use std::{fs, io, path::PathBuf};

use serde::Deserialize;

use crate::failure::{Exit, Failure};

pub const VARIABLE: &str = "PLASMACLOUD_CLIENT_FILE";
const DEFAULT: &str = "/var/lib/plasmacloud/client.toml";

/// What `cloudd` leaves for its clients. Unknown keys are a newer platform's.
#[derive(Default, Deserialize)]
pub struct ClientFile {
    endpoint: Option<String>,
    pub token: Option<String>,
    pub cache_dir: Option<PathBuf>,
}

/// Whether somebody said which file it is.
pub fn is_named() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

fn path() -> PathBuf {
    std::env::var_os(VARIABLE).map_or_else(|| DEFAULT.into(), PathBuf::from)
}

pub fn read() -> Result<ClientFile, Failure> {
    let path = path();
    let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::new(
            Exit::Unreachable,
            "client-file-missing",
            format!(
                "there is no {}: no platform was started on this host",
                path.display()
            ),
            "start one with `make up` or cloudd, or log in to another with `cloud login --endpoint URL`",
        ),
        _ => Failure::new(
            Exit::Refused,
            "client-file-unreadable",
            format!("{} cannot be read: {error}", path.display()),
            "log in with `cloud login --endpoint URL`; as the platform's operator, run as root",
        ),
    })?;
    toml::from_str(&text).map_err(|error| {
        Failure::new(
            Exit::Failed,
            "client-file-invalid",
            format!("{} is not valid: {}", path.display(), error.message()),
            "restart cloudd, which writes it, or give --endpoint and --token-file",
        )
    })
}

impl ClientFile {
    pub fn endpoint(&self) -> Result<&str, Failure> {
        self.endpoint.as_deref().ok_or_else(|| {
            Failure::new(
                Exit::Failed,
                "client-file-invalid",
                format!("{} names no endpoint", path().display()),
                "restart cloudd, which writes it, or give --endpoint and --token-file",
            )
        })
    }
}
