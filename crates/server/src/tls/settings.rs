//! `[tls]` of the settings.

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

use app::ApiNames;
use serde::Deserialize;
use types::Fault;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsSettings {
    /// Where the API is served over TLS, beside `listen`.
    pub listen: SocketAddr,
    /// Names and addresses it is called by; the first is what people are told.
    #[serde(default)]
    pub names: Vec<String>,
    certificate_file: Option<PathBuf>,
    key_file: Option<PathBuf>,
    ca_file: Option<PathBuf>,
}

/// A certificate that the operator brings, and looks after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Own {
    pub certificate: PathBuf,
    pub key: PathBuf,
    /// What clients are told to check it by.
    pub ca: Option<PathBuf>,
}

impl TlsSettings {
    pub fn check(&self) -> Result<(), Fault> {
        if self.certificate_file.is_some() != self.key_file.is_some()
            || (self.ca_file.is_some() && self.certificate_file.is_none())
        {
            return Err(Fault::invalid(
                "config-tls-files",
                "tls: certificate_file and key_file belong together, and ca_file to them",
                "give both, or neither to have a certificate of the platform's own",
            ));
        }
        if self.names.is_empty() && self.listen.ip().is_unspecified() {
            return Err(Fault::invalid(
                "config-tls-names",
                format!(
                    "tls.names: nobody can tell how {} is called from elsewhere",
                    self.listen
                ),
                "give the names or addresses that clients use, such as names = [\"cloud.example.org\"]",
            ));
        }
        let odd = self.names.iter().find(|name| {
            let part = |part: &str| {
                let letters = part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
                letters && (1..=63).contains(&part.len()) && !part.starts_with('-') && !part.ends_with('-')
            };
            name.parse::<IpAddr>().is_err() && !(name.len() <= 253 && name.split('.').all(part))
        });
        match odd {
            None => Ok(()),
            Some(name) => Err(Fault::invalid(
                "config-tls-names",
                format!("tls.names: '{name}' is neither a host name nor an address"),
                "give names such as cloud.example.org, without a port",
            )),
        }
    }

    /// What people are told.
    pub fn endpoint(&self) -> String {
        let port = self.listen.port();
        match self.names.first().map(|name| (name, name.parse::<IpAddr>())) {
            Some((_, Ok(address))) => format!("https://{}", SocketAddr::new(address, port)),
            Some((name, Err(_))) => format!("https://{name}:{port}"),
            None => format!("https://{}", self.listen),
        }
    }

    pub fn own(&self) -> Option<Own> {
        Some(Own {
            certificate: self.certificate_file.clone()?,
            key: self.key_file.clone()?,
            ca: self.ca_file.clone(),
        })
    }

    /// What a certificate of ours is made for.
    pub fn api_names(&self) -> Option<ApiNames> {
        if self.certificate_file.is_some() {
            return None;
        }
        let mut wanted = ApiNames {
            names: Vec::new(),
            addresses: Vec::new(),
        };
        for name in &self.names {
            match name.parse() {
                Ok(address) => wanted.addresses.push(address),
                Err(_) => wanted.names.push(name.clone()),
            }
        }
        let listen = self.listen.ip();
        if !listen.is_unspecified() && !wanted.addresses.contains(&listen) {
            wanted.addresses.push(listen);
        }
        Some(wanted)
    }
}
