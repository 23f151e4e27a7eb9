//! Certificates of people: a cluster's SSH authority says that a key may come in as root to one machine, for some minutes,
//! from the platform's side of the network.

use std::net::Ipv4Addr;

use ssh_key::{
    PrivateKey,
    certificate::{Builder, CertType},
};
use types::{Fault, Timestamp};

use super::{PublicKey, SshKey};

/// By how much the machine's clock may be behind.
const SKEW_S: i64 = 30;

/// What is certified.
#[derive(Debug, Clone, Copy)]
pub struct Pass<'a> {
    /// Shown in the machine's log.
    pub who: &'a str,
    /// The machine's id: its sshd takes certificates of this principal and of no other.
    pub principal: &'a str,
    /// Where connections come from: nobody else in the network has these addresses.
    pub sources: &'a [Ipv4Addr],
    pub now: Timestamp,
    pub until: Timestamp,
    pub serial: u64,
}

impl SshKey {
    /// As OpenSSH keeps it in `…-cert.pub`.
    pub fn certify(&self, public: &PublicKey, pass: Pass<'_>) -> Result<String, Fault> {
        let fault = |error: ssh_key::Error| {
            Fault::internal(
                "ssh-certificate",
                format!("an SSH certificate could not be made: {error}"),
            )
        };
        let mut nonce = [0u8; Builder::RECOMMENDED_NONCE_SIZE];
        getrandom::fill(&mut nonce)
            .map_err(|error| Fault::internal("random", format!("no random bytes: {error}")))?;
        let seconds = |time: Timestamp| u64::try_from(time.0).unwrap_or_default();
        let from = seconds(pass.now.plus(-SKEW_S));
        let mut builder =
            Builder::new(nonce, public.data().clone(), from, seconds(pass.until)).map_err(fault)?;
        let sources: Vec<String> = pass
            .sources
            .iter()
            .map(|address| format!("{address}/32"))
            .collect();
        builder
            .serial(pass.serial)
            .and_then(|b| b.cert_type(CertType::User))
            .and_then(|b| b.key_id(pass.who))
            .and_then(|b| b.valid_principal(pass.principal))
            .and_then(|b| b.critical_option("source-address", sources.join(",")))
            // A shell and tunnels to what runs there; no agent, no display, nothing of the other side's files.
            .and_then(|b| b.extension("permit-port-forwarding", ""))
            .and_then(|b| b.extension("permit-pty", ""))
            .map_err(fault)?;
        let authority = PrivateKey::from_openssh(&self.private_openssh).map_err(fault)?;
        builder
            .sign(&authority)
            .and_then(|made| made.to_openssh())
            .map_err(fault)
    }
}

#[cfg(test)]
mod tests {
    use ssh_key::{Certificate, HashAlg};

    use super::*;

    #[test]
    fn it_says_who_where_from_and_until_when() {
        let authority = SshKey::generate("authority").unwrap();
        let person = SshKey::generate("ana").unwrap();
        let public = PublicKey::parse(&person.public_openssh).unwrap();
        let text = authority
            .certify(
                &public,
                Pass {
                    who: "ana@acme.example",
                    principal: "i-0123456789abcdef",
                    sources: &[Ipv4Addr::new(10, 20, 0, 1)],
                    now: Timestamp(1_000_000),
                    until: Timestamp(1_000_300),
                    serial: 7,
                },
            )
            .unwrap();
        let made = Certificate::from_openssh(&text).unwrap();
        let by = ssh_key::PublicKey::from_openssh(&authority.public_openssh).unwrap();
        let by = by.fingerprint(HashAlg::Sha256);
        made.validate_at(1_000_100, [&by]).unwrap();
        made.validate_at(1_000_301, [&by]).unwrap_err();
        let other = SshKey::generate("other").unwrap();
        let other = ssh_key::PublicKey::from_openssh(&other.public_openssh).unwrap();
        made.validate_at(1_000_100, [&other.fingerprint(HashAlg::Sha256)])
            .unwrap_err();
        assert_eq!(made.key_id(), "ana@acme.example");
        assert_eq!(made.valid_principals(), ["i-0123456789abcdef"]);
        assert_eq!(
            made.critical_options().get("source-address").map(String::as_str),
            Some("10.20.0.1/32")
        );
        let extensions: Vec<&str> = made.extensions().keys().map(String::as_str).collect();
        assert_eq!(extensions, ["permit-port-forwarding", "permit-pty"]);
    }
}
