//! Kubeconfigs: files a person or a component authenticates with. JSON is YAML, but people read these, so they are
//! written as YAML by hand: the shape is fixed and every value is base 64, a name or a URL.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use types::Secret;

use crate::pki::Leaf;

pub struct Kubeconfig<'a> {
    pub cluster: &'a str,
    /// Kubeconfigs of one cluster that are merged into one file are told apart by it.
    pub user: &'a str,
    pub context: &'a str,
    pub server: String,
    /// What the certificate is checked against where the address says nothing, as behind the shared endpoint.
    pub tls_server_name: Option<&'a str>,
    pub ca_pem: &'a str,
    /// Where `kubectl` looks when nothing is said.
    pub namespace: Option<String>,
    pub proof: Proof<'a>,
}

/// What its user shows.
pub enum Proof<'a> {
    Certificate(&'a Leaf),
    /// `cloud` is asked for a token each time: nothing in the file is secret.
    Token {
        cluster: &'a str,
        project: &'a str,
    },
}

impl Proof<'_> {
    fn render(&self) -> String {
        match self {
            Self::Certificate(leaf) => format!(
                "    client-certificate-data: {}
    client-key-data: {}
",
                STANDARD.encode(&leaf.cert_pem),
                STANDARD.encode(&leaf.key_pem),
            ),
            Self::Token { cluster, project } => format!(
                "    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: cloud
      args:
      - k8s
      - token
      - {cluster}
      - --project
      - {project}
      installHint: kubectl asks the command `cloud` for a token; put it on the PATH and log in with `cloud login`
      interactiveMode: Never
      provideClusterInfo: false
"
            ),
        }
    }
}

impl Kubeconfig<'_> {
    pub fn render(&self) -> Secret {
        let Self {
            cluster,
            user,
            context,
            server,
            ..
        } = self;
        let sni = self
            .tls_server_name
            .map(|name| format!("\n    tls-server-name: {name}"))
            .unwrap_or_default();
        let namespace = self
            .namespace
            .as_ref()
            .map(|namespace| format!("\n    namespace: {namespace}"))
            .unwrap_or_default();
        let ca = STANDARD.encode(self.ca_pem);
        let proof = self.proof.render();
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
{proof}contexts:
- name: {context}
  context:
    cluster: {cluster}
    user: {user}{namespace}
current-context: {context}
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
