//! Certificates for servers that tests run in pods, made as the platform makes its own.

use std::time::{SystemTime, UNIX_EPOCH};

use cluster::pki::{Authority, LeafRequest, Names};
use types::Timestamp;

pub struct ServingCertificate {
    pub ca_pem: String,
    pub cert_pem: String,
    pub key_pem: String,
}

impl ServingCertificate {
    /// Of the service `name` in `namespace`.
    pub fn of_service(name: &str, namespace: &str) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        let now = Timestamp(i64::try_from(since.as_secs()).expect("a small number"));
        let authority = Authority::generate("test", now).expect("an authority");
        let dns = vec![
            format!("{name}.{namespace}.svc"),
            format!("{name}.{namespace}.svc.cluster.local"),
        ];
        let request = LeafRequest::server(
            name,
            Names {
                dns,
                addresses: Vec::new(),
            },
        );
        let leaf = authority.issue(&request, now).expect("a certificate");
        Self {
            ca_pem: authority.cert_pem,
            cert_pem: leaf.cert_pem,
            key_pem: leaf.key_pem,
        }
    }
}
