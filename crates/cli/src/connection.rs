//! Which platform, as whom, in which project: flags, then environment, then the client file of the platform on this host.

use std::{fs, io, path::PathBuf};

use api::client::Client;
use clap::Args;
use serde::Deserialize;

use crate::failure::{Exit, Failure};

pub const DEFAULT_CLIENT_FILE: &str = "/var/lib/plasmacloud/client.toml";
const DEFAULT_PROJECT: &str = "default";
const DEFAULT_CACHE: &str = "/var/cache/plasmacloud";

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connection")]
pub struct Connection {
    /// The platform's API, such as http://127.0.0.1:7400
    #[arg(
        long,
        global = true,
        env = "PLASMACLOUD_ENDPOINT",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub endpoint: Option<String>,
    /// File that holds the token and nothing else [env: PLASMACLOUD_TOKEN=<the token itself>]
    #[arg(long, global = true, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Project to work in [default: default]
    #[arg(
        long,
        global = true,
        env = "PLASMACLOUD_PROJECT",
        hide_env_values = true,
        value_name = "NAME"
    )]
    pub project: Option<String>,
}

/// What `cloudd` leaves for its clients. Unknown keys are a newer platform's.
#[derive(Debug, Default, Deserialize)]
struct ClientFile {
    endpoint: Option<String>,
    token: Option<String>,
    cache_dir: Option<PathBuf>,
}

fn client_file_path() -> PathBuf {
    std::env::var_os("PLASMACLOUD_CLIENT_FILE").map_or_else(|| DEFAULT_CLIENT_FILE.into(), PathBuf::from)
}

fn read_client_file() -> Result<ClientFile, Failure> {
    let path = client_file_path();
    let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::new(
            Exit::Unreachable,
            "client-file-missing",
            format!(
                "there is no {}: no platform was started on this host",
                path.display()
            ),
            "start one with `make up` or cloudd, or give --endpoint and --token-file",
        ),
        _ => Failure::new(
            Exit::Refused,
            "client-file-unreadable",
            format!("{} cannot be read: {error}", path.display()),
            "run as root, or copy the file and name it with PLASMACLOUD_CLIENT_FILE",
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

impl Connection {
    pub fn client(&self) -> Result<Client, Failure> {
        let token = self.given_token()?;
        // The file's token belongs to the file's platform; it is not sent to another one.
        let (endpoint, token) = match (&self.endpoint, token) {
            (Some(endpoint), Some(token)) => (endpoint.clone(), Some(token)),
            (Some(endpoint), None) => {
                let file = read_client_file().unwrap_or_default();
                let same = file.endpoint.as_deref() == Some(endpoint.trim_end_matches('/'));
                (endpoint.clone(), file.token.filter(|_| same))
            }
            (None, token) => {
                let file = read_client_file()?;
                let endpoint = file.endpoint.ok_or_else(|| {
                    Failure::new(
                        Exit::Failed,
                        "client-file-invalid",
                        format!("{} names no endpoint", client_file_path().display()),
                        "restart cloudd, which writes it, or give --endpoint and --token-file",
                    )
                })?;
                (endpoint, token.or(file.token))
            }
        };
        let project = self.project.as_deref().unwrap_or(DEFAULT_PROJECT);
        Ok(Client::new(&endpoint, token, project)?)
    }

    fn given_token(&self) -> Result<Option<String>, Failure> {
        let Some(path) = &self.token_file else {
            return Ok(std::env::var("PLASMACLOUD_TOKEN")
                .ok()
                .filter(|token| !token.is_empty()));
        };
        let text = fs::read_to_string(path).map_err(|error| {
            Failure::new(
                Exit::Usage,
                "token-file-unreadable",
                format!("--token-file: {} cannot be read: {error}", path.display()),
                "give a file that holds the token and that you may read",
            )
        })?;
        Ok(Some(text.trim().to_owned()))
    }
}

/// Where bundles are: where it was said, else where the platform on this host has them.
pub fn cache_dir(given: Option<PathBuf>) -> PathBuf {
    let from_file = || read_client_file().ok().and_then(|file| file.cache_dir);
    given.or_else(from_file).unwrap_or_else(|| DEFAULT_CACHE.into())
}
