//! A provider as the operator describes it, checked before anything is asked of it.

use std::{fs, path::PathBuf};

use http::Uri;
use types::{Fault, Secret};
use zeroize::Zeroizing;

/// Whether people come back to `127.0.0.1` or to `localhost`: providers differ in which of them may have any port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loopback {
    #[default]
    Address,
    Localhost,
}

impl Loopback {
    pub fn host(self) -> &'static str {
        match self {
            Self::Address => "127.0.0.1",
            Self::Localhost => "localhost",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// As people name it: `cloud login --provider <name>`.
    pub name: String,
    /// Exactly as its tokens name it.
    pub issuer: String,
    pub client: String,
    /// Holds the client's secret and nothing else; read for each exchange. Without one the client is a public one.
    pub secret_file: Option<PathBuf>,
    pub scopes: Vec<String>,
    pub email_claim: String,
    pub groups_claim: String,
    /// Hosts besides the issuer's own that its endpoints may be on, with the port where it is not that of https.
    pub hosts: Vec<String>,
    /// Certificates of the authority that vouches for it, where that is not one of the host's.
    pub ca_file: Option<PathBuf>,
    pub loopback: Loopback,
    /// Whether one may log in on a device without a browser.
    pub device: bool,
}

impl Settings {
    pub fn check(&self) -> Result<(), Fault> {
        let wrong = |code, cause: String, remedy: &'static str| {
            Err(Fault::invalid(
                code,
                format!("login.oidc '{}': {cause}", self.name),
                remedy,
            ))
        };
        let in_name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if self.name.is_empty() || self.name.len() > 32 || !self.name.bytes().all(in_name) {
            return wrong(
                "provider-name",
                "name: this is not a name".to_owned(),
                "give a name of lower-case letters, digits and '-', such as corp",
            );
        }
        if let Err(what) = place(&self.issuer) {
            return wrong(
                "provider-issuer",
                format!("issuer: '{}' {what}", self.issuer),
                "give the issuer as the provider's discovery document has it, such as https://id.example.com",
            );
        }
        if self.client.is_empty()
            || self.client.len() > 255
            || !self.client.bytes().all(|b| b.is_ascii_graphic())
        {
            return wrong(
                "provider-client",
                "client_id: this is not the id of a client".to_owned(),
                "give the id that the provider has this platform registered under",
            );
        }
        let word = |word: &String| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|b| b.is_ascii_graphic() && b != b'"' && b != b'\\')
        };
        if !self.scopes.iter().all(word) || !self.scopes.iter().any(|scope| scope == "openid") {
            return wrong(
                "provider-scopes",
                "scopes: the provider is to be asked for 'openid', and each scope is one word".to_owned(),
                "give scopes such as [\"openid\", \"email\", \"groups\"]",
            );
        }
        if self.email_claim.is_empty() || self.groups_claim.is_empty() {
            return wrong(
                "provider-claims",
                "email_claim, groups_claim: a claim has a name".to_owned(),
                "name the claims of the ID token, or leave these settings out",
            );
        }
        if let Some(host) = self.hosts.iter().find(|host| !is_authority(host)) {
            return wrong(
                "provider-hosts",
                format!("hosts: '{host}' is not a host"),
                "give names such as oauth2.example.com, or oauth2.example.com:8443",
            );
        }
        if let Some(path) = &self.ca_file {
            crate::web::trust(Some(path)).map_err(|what| {
                Fault::invalid(
                    "provider-authority",
                    format!("login.oidc '{}': ca_file: {}: {what}", self.name, path.display()),
                    "name a readable file of PEM certificates",
                )
            })?;
        }
        self.secret().map(drop)
    }

    pub(crate) fn secret(&self) -> Result<Option<Secret>, Fault> {
        let Some(path) = &self.secret_file else {
            return Ok(None);
        };
        let wrong = |what: String| {
            Fault::refused(
                "provider-secret",
                format!(
                    "login.oidc '{}': client_secret_file: {} {what}",
                    self.name,
                    path.display()
                ),
                "put the client's secret there, readable for cloudd alone, or leave the setting out for a public client",
            )
        };
        let bytes = fs::read(path).map(Zeroizing::new);
        let bytes = bytes.map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let secret = Secret::new(bytes.trim_ascii());
        if secret.expose().is_empty() || secret.expose_str().is_err() {
            return Err(wrong("holds no secret".to_owned()));
        }
        Ok(Some(secret))
    }

    /// Whether the provider may be asked there: over TLS or on this host, and at a host that is named.
    pub(crate) fn may_ask(&self, url: &str) -> Result<Uri, String> {
        let uri = place(url).map_err(|what| format!("'{}' {what}", shown(url)))?;
        let issuer = place(&self.issuer).map_err(str::to_owned)?;
        let at = |uri: &Uri| {
            uri.authority()
                .map(|authority| authority.as_str().to_ascii_lowercase())
        };
        let named = at(&uri).is_some_and(|host| {
            at(&issuer).as_ref() == Some(&host)
                || self.hosts.iter().any(|other| other.eq_ignore_ascii_case(&host))
        });
        // What is plain at the issuer may be plain; nothing that is encrypted there becomes plain.
        if !named || (uri.scheme_str() == Some("http") && issuer.scheme_str() != Some("http")) {
            return Err(format!(
                "'{}' is not on the issuer's host, nor on one that `hosts` names",
                shown(url)
            ));
        }
        Ok(uri)
    }
}

/// Of what a stranger wrote, something to show.
pub(crate) fn shown(text: &str) -> String {
    text.chars().take(200).filter(|c| !c.is_control()).collect()
}

fn is_authority(host: &str) -> bool {
    host.parse::<http::uri::Authority>()
        .is_ok_and(|authority| !authority.host().is_empty() && !host.contains('@'))
}

/// An address that may be asked: https, or http on this host.
fn place(url: &str) -> Result<Uri, &'static str> {
    let uri: Uri = url.parse().map_err(|_| "is not an address")?;
    let Some(authority) = uri.authority() else {
        return Err("names no host");
    };
    if authority.as_str().contains('@') || authority.host().is_empty() {
        return Err("is not the address of a host");
    }
    if url.contains('#') {
        return Err("has a fragment");
    }
    match uri.scheme_str() {
        Some("https") => Ok(uri),
        Some("http") if is_loopback(uri.host().unwrap_or_default()) => Ok(uri),
        Some("http") => Err("would be asked over the network in clear"),
        _ => Err("is neither https nor http"),
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corp() -> Settings {
        Settings {
            name: "corp".to_owned(),
            issuer: "https://id.corp.example/realm".to_owned(),
            client: "plasmacloud".to_owned(),
            secret_file: None,
            scopes: vec!["openid".to_owned(), "email".to_owned()],
            email_claim: "email".to_owned(),
            groups_claim: "groups".to_owned(),
            hosts: vec!["keys.corp.example:8443".to_owned()],
            ca_file: None,
            loopback: Loopback::Address,
            device: true,
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        corp().check().unwrap();
        let bend = |bend: fn(&mut Settings), code: &str| {
            let mut bent = corp();
            bend(&mut bent);
            let fault = bent.check().unwrap_err();
            assert_eq!(fault.code, code, "{fault}");
            assert!(!fault.remedy.is_empty());
        };
        bend(|s| s.name = "Corp SSO".to_owned(), "provider-name");
        bend(
            |s| s.issuer = "http://id.corp.example".to_owned(),
            "provider-issuer",
        );
        bend(|s| s.issuer = "id.corp.example".to_owned(), "provider-issuer");
        bend(
            |s| s.issuer = "https://a@id.corp.example".to_owned(),
            "provider-issuer",
        );
        bend(|s| s.client = String::new(), "provider-client");
        bend(|s| s.scopes = vec!["email".to_owned()], "provider-scopes");
        bend(|s| s.groups_claim = String::new(), "provider-claims");
        bend(|s| s.hosts = vec!["https://x".to_owned()], "provider-hosts");
        bend(|s| s.ca_file = Some("/nonexistent".into()), "provider-authority");
        bend(|s| s.secret_file = Some("/nonexistent".into()), "provider-secret");
    }

    #[test]
    fn only_named_hosts_are_asked_and_never_in_clear() {
        let corp = corp();
        for good in [
            "https://id.corp.example/token",
            "https://ID.corp.example/token",
            "https://keys.corp.example:8443/jwks",
        ] {
            corp.may_ask(good).unwrap();
        }
        for bad in [
            "http://id.corp.example/token",
            "https://id.corp.example:444/token",
            "https://keys.corp.example/jwks",
            "https://169.254.169.254/latest",
            "http://127.0.0.1:7400/v1",
            "https://id.corp.example@robber.example/",
            "https://id.corp.example.robber.example/",
            "file:///etc/shadow",
            "//id.corp.example/",
        ] {
            assert!(corp.may_ask(bad).is_err(), "{bad}");
        }
        let here = Settings {
            issuer: "http://127.0.0.1:5556/dex".to_owned(),
            hosts: Vec::new(),
            ..corp
        };
        here.may_ask("http://127.0.0.1:5556/dex/keys").unwrap();
        assert!(here.may_ask("http://127.0.0.1:7400/v1").is_err());
    }
}
