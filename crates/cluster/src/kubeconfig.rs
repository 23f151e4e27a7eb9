//! Kubeconfigs: files a person or a component authenticates with. JSON is YAML, but people read these, so they are
//! written as YAML by hand: the shape is fixed and every value is base 64, a name or a URL.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use types::Secret;

use crate::pki::Leaf;

pub struct Kubeconfig<'a> {
    pub cluster: &'a str,
    pub user: &'a str,
    pub server: String,
    /// What the certificate is checked against where the address says nothing, as behind the shared endpoint.
    pub tls_server_name: Option<&'a str>,
    pub ca_pem: &'a str,
    pub client: &'a Leaf,
}

impl Kubeconfig<'_> {
    pub fn render(&self) -> Secret {
        let Self {
            cluster,
            user,
            server,
            ..
        } = self;
        let sni = self
            .tls_server_name
            .map(|name| format!("\n    tls-server-name: {name}"))
            .unwrap_or_default();
        let encode = |text: &str| STANDARD.encode(text);
        let (ca, cert, key) = (
            encode(self.ca_pem),
            encode(&self.client.cert_pem),
            encode(&self.client.key_pem),
        );
        Secret::new(format!(
            "apiVersion: v1
kind: Config
clusters:
- name: {cluster}
  cluster:
    server: {server}{sni}
    certificate-authority-data: {ca}
users:
- name: {user}
  user:
    client-certificate-data: {cert}
    client-key-data: {key}
contexts:
- name: {cluster}
  context:
    cluster: {cluster}
    user: {user}
current-context: {cluster}
"
        ))
    }
}

/// The same for a component that reads its certificate from files, so that a renewed one is picked up.
pub fn from_files(server: &str, ca_path: &str, cert_path: &str, key_path: &str) -> String {
    format!(
        "apiVersion: v1
kind: Config
clusters:
- name: cluster
  cluster:
    server: {server}
    certificate-authority: {ca_path}
users:
- name: self
  user:
    client-certificate: {cert_path}
    client-key: {key_path}
contexts:
- name: self
  context:
    cluster: cluster
    user: self
current-context: self
"
    )
}
