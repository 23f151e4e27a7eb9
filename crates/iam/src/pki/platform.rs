//! The whole tree, kept as one sealed document.
//!
//! Whoever shows a certificate sends its authority along, so clients trust roots alone; who checks clients trusts the
//! authorities of `services`. How a level follows itself without anybody being cut off is in `rotation`.

use std::{collections::BTreeMap, fmt, net::IpAddr};

use rcgen::{
    CertificateRevocationListParams, KeyIdMethod, RevocationReason, RevokedCertParams, SerialNumber,
};
use serde::{Deserialize, Serialize};
use types::{ClusterId, Secret, Timestamp};

use super::{
    PkiError,
    authority::{Authority, DAY, at},
    leaf::{Bearer, Issued, VALID_DAYS},
    rotation::{Level, Rotation},
};

pub(super) const ROOT_DAYS: i64 = 3650;
pub(super) const SERVICES_DAYS: i64 = 730;
/// How long a list says it is good for. Who has it goes on with it when the platform is away for longer.
const LIST_DAYS: i64 = 7;

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlatformPki {
    /// The first signs; those after it are on their way out. Never empty.
    pub(super) roots: Vec<Authority>,
    /// The same.
    pub(super) services: Vec<Authority>,
    /// Serial number in hex, and when it was revoked.
    pub(super) revoked: BTreeMap<String, Timestamp>,
    /// One for every authority of `services`, signed when something changed: rendering twice gives the same.
    lists: Vec<String>,
    listed: Timestamp,
    /// What is being replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) rotation: Option<Rotation>,
}

impl fmt::Debug for PlatformPki {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlatformPki")
            .field("roots", &self.roots.len())
            .field("services", &self.services.len())
            .field("revoked", &self.revoked.len())
            .finish_non_exhaustive()
    }
}

impl PlatformPki {
    pub fn new(now: Timestamp) -> Result<Self, PkiError> {
        let root = Authority::generate(&named("root", now), ROOT_DAYS, None, now)?;
        let services = Authority::generate(&named("services", now), SERVICES_DAYS, Some(&root), now)?;
        let mut pki = Self {
            roots: vec![root],
            services: vec![services],
            revoked: BTreeMap::new(),
            lists: Vec::new(),
            listed: now,
            rotation: None,
        };
        pki.sign_lists(now)?;
        Ok(pki)
    }

    pub fn to_secret(&self) -> Secret {
        Secret::new(serde_json::to_vec(self).expect("authorities serialise"))
    }

    pub fn from_secret(secret: &Secret) -> Result<Self, PkiError> {
        let pki: Self = serde_json::from_slice(secret.expose()).map_err(|_| PkiError::Sealed)?;
        if pki.roots.is_empty() || pki.services.is_empty() {
            return Err(PkiError::Sealed);
        }
        Ok(pki)
    }

    /// What a client trusts, to check our services with.
    pub fn roots_pem(&self) -> String {
        joined(self.all_roots())
    }

    /// What a service trusts, to check its clients with: authorities of this purpose and no other of the root's.
    pub fn services_pem(&self) -> String {
        joined(self.all_services())
    }

    /// Those that are trusted, also before they sign.
    pub(super) fn all_roots(&self) -> impl Iterator<Item = &Authority> {
        let coming = self.rotation.as_ref().and_then(|rotation| rotation.root.as_ref());
        coming.into_iter().chain(&self.roots)
    }

    pub(super) fn all_services(&self) -> impl Iterator<Item = &Authority> {
        let coming = self
            .rotation
            .as_ref()
            .and_then(|rotation| rotation.services.as_ref());
        coming.into_iter().chain(&self.services)
    }

    /// Whether a certificate was signed by the authority that signs now, as its chain has it.
    pub fn signed(&self, chain_pem: &str) -> bool {
        chain_pem.contains(&self.services[0].cert_pem)
    }

    /// The root that signs now.
    pub fn root_pem(&self) -> &str {
        &self.roots[0].cert_pem
    }

    /// The authority that signs for services now, and its root.
    pub fn services_ca_chain(&self) -> String {
        format!("{}{}", self.services[0].cert_pem, self.roots[0].cert_pem)
    }

    pub fn issue_server(
        &self,
        names: &[&str],
        addresses: &[IpAddr],
        now: Timestamp,
    ) -> Result<Issued, PkiError> {
        Issued::sign(&Bearer::Server { names, addresses }, &self.services[0], now)
    }

    /// What a cluster's control plane shows to services of the platform.
    pub fn issue_client(&self, cluster: &ClusterId, now: Timestamp) -> Result<Issued, PkiError> {
        Issued::sign(&Bearer::Cluster(cluster), &self.services[0], now)
    }

    /// Whether it was not revoked already.
    pub fn revoke(&mut self, serial: &str, now: Timestamp) -> Result<bool, PkiError> {
        if self.revoked.contains_key(serial) {
            return Ok(false);
        }
        self.revoked.insert(serial.to_owned(), now);
        self.sign_lists(now)?;
        Ok(true)
    }

    /// One list for every authority a service trusts, in PEM. Each names all that is revoked: serial numbers are random,
    /// and nobody has to remember who signed what.
    pub fn crl(&self) -> &[String] {
        &self.lists
    }

    pub(super) fn sign_lists(&mut self, now: Timestamp) -> Result<(), PkiError> {
        let lists = self.all_services().map(|authority| self.list(authority, now));
        self.lists = lists.collect::<Result<_, _>>()?;
        self.listed = now;
        Ok(())
    }

    fn list(&self, authority: &Authority, now: Timestamp) -> Result<String, PkiError> {
        let sign = |source| PkiError::Sign {
            what: "a revocation list".to_owned(),
            source,
        };
        let revoked_certs = self
            .revoked
            .iter()
            .filter_map(|(serial, since)| {
                Some(RevokedCertParams {
                    serial_number: SerialNumber::from(unhex(serial)?),
                    revocation_time: at(*since),
                    reason_code: Some(RevocationReason::CessationOfOperation),
                    invalidity_date: None,
                })
            })
            .collect();
        CertificateRevocationListParams {
            this_update: at(now),
            next_update: at(now.plus(LIST_DAYS * DAY)),
            crl_number: SerialNumber::from(u64::try_from(now.0).unwrap_or(0)),
            issuing_distribution_point: None,
            revoked_certs,
            key_identifier_method: KeyIdMethod::Sha256,
        }
        .signed_by(&authority.issuer()?)
        .and_then(|list| list.pem())
        .map_err(sign)
    }

    /// Begins to replace what has less than a third of its time left, and forgets what nobody needs any more. Whether
    /// anything changed, and must be sealed again.
    pub fn renew(&mut self, now: Timestamp) -> Result<bool, PkiError> {
        let before = self.clone();
        if self.rotation.is_none() {
            if due(&self.roots[0], ROOT_DAYS, now) {
                self.begin(Level::Root, now)?;
            } else if due(&self.services[0], SERVICES_DAYS, now) {
                self.begin(Level::Services, now)?;
            }
        }
        // What was revoked then has ended by itself since.
        self.revoked.retain(|_, since| since.plus(VALID_DAYS * DAY) > now);
        // Signed again in good time.
        if self.revoked != before.revoked || self.listed.plus(LIST_DAYS * DAY / 2) <= now {
            self.sign_lists(now)?;
        }
        Ok(*self != before)
    }

    /// When it begins to be replaced by itself.
    pub(super) fn replaced_from(authority: &Authority, level: Level) -> Timestamp {
        let days = match level {
            Level::Root => ROOT_DAYS,
            Level::Services => SERVICES_DAYS,
        };
        authority.not_after.plus(-(days * DAY / 3))
    }
}

/// Two authorities never have one name: a revocation list is matched by it.
pub(super) fn named(purpose: &str, now: Timestamp) -> String {
    let mut random = [0u8; 4];
    getrandom::fill(&mut random).expect("the kernel's random source answers");
    format!(
        "PlasmaCloud {purpose} {}-{:08x}",
        now.0,
        u32::from_be_bytes(random)
    )
}

fn joined<'a>(authorities: impl Iterator<Item = &'a Authority>) -> String {
    authorities.map(|authority| authority.cert_pem.as_str()).collect()
}

fn due(authority: &Authority, valid_days: i64, now: Timestamp) -> bool {
    authority.not_after <= now.plus(valid_days * DAY / 3)
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok())
        .collect()
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
