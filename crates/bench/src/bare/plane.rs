//! How the programs of a control plane are called by hand.

use std::{net::Ipv4Addr, path::PathBuf};

use cluster::kubeconfig;
use types::cluster::Ranges;

/// Where a bare control plane lives.
pub struct Place {
    pub dir: PathBuf,
    pub address: Ipv4Addr,
    pub etcd_client: u16,
    pub etcd_peer: u16,
    pub api: u16,
}

impl Place {
    pub fn file(&self, name: &str) -> String {
        self.dir.join(name).display().to_string()
    }

    pub fn url(&self) -> String {
        format!("https://{}:{}", self.address, self.api)
    }

    /// Writes the kubeconfig of a component that has a certificate, and gives its path.
    pub fn kubeconfig(&self, name: &str) -> String {
        let path = self.file(&format!("{name}.conf"));
        let (cert, key) = (format!("{name}.crt"), format!("{name}.key"));
        let text = kubeconfig::from_files(
            &self.url(),
            &self.file("ca.crt"),
            &self.file(&cert),
            &self.file(&key),
        );
        std::fs::write(&path, text).expect("our own directory");
        path
    }

    pub fn etcd(&self) -> Vec<String> {
        let (client, peer) = (self.etcd_client, self.etcd_peer);
        vec![
            format!("--data-dir={}", self.file("etcd")),
            format!("--listen-client-urls=https://127.0.0.1:{client}"),
            format!("--advertise-client-urls=https://127.0.0.1:{client}"),
            format!("--listen-peer-urls=http://127.0.0.1:{peer}"),
            format!("--initial-advertise-peer-urls=http://127.0.0.1:{peer}"),
            format!("--initial-cluster=default=http://127.0.0.1:{peer}"),
            format!("--cert-file={}", self.file("server.crt")),
            format!("--key-file={}", self.file("server.key")),
            format!("--trusted-ca-file={}", self.file("ca.crt")),
            "--client-cert-auth=true".to_owned(),
            "--log-level=warn".to_owned(),
        ]
    }

    pub fn apiserver(&self) -> Vec<String> {
        vec![
            format!("--etcd-servers=https://127.0.0.1:{}", self.etcd_client),
            format!("--etcd-cafile={}", self.file("ca.crt")),
            format!("--etcd-certfile={}", self.file("client.crt")),
            format!("--etcd-keyfile={}", self.file("client.key")),
            format!("--secure-port={}", self.api),
            format!("--bind-address={}", self.address),
            format!("--tls-cert-file={}", self.file("server.crt")),
            format!("--tls-private-key-file={}", self.file("server.key")),
            format!("--client-ca-file={}", self.file("ca.crt")),
            format!("--kubelet-client-certificate={}", self.file("client.crt")),
            format!("--kubelet-client-key={}", self.file("client.key")),
            "--kubelet-preferred-address-types=InternalIP".to_owned(),
            format!("--service-cluster-ip-range={}", Ranges::default().services),
            "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
            format!("--service-account-signing-key-file={}", self.file("server.key")),
            format!("--service-account-key-file={}", self.file("server.crt")),
            "--authorization-mode=Node,RBAC".to_owned(),
            "--allow-privileged=true".to_owned(),
        ]
    }

    pub fn controller_manager(&self) -> Vec<String> {
        let mut words = self.as_client("controller-manager");
        words.extend([
            format!("--cluster-cidr={}", Ranges::default().pods),
            "--allocate-node-cidrs=true".to_owned(),
            format!("--cluster-signing-cert-file={}", self.file("ca.crt")),
            format!("--cluster-signing-key-file={}", self.file("ca.key")),
            format!("--root-ca-file={}", self.file("ca.crt")),
            format!("--service-account-private-key-file={}", self.file("server.key")),
            "--use-service-account-credentials=true".to_owned(),
        ]);
        words
    }

    pub fn scheduler(&self) -> Vec<String> {
        self.as_client("scheduler")
    }

    fn as_client(&self, name: &str) -> Vec<String> {
        let config = self.kubeconfig(name);
        let flags = [
            "kubeconfig",
            "authentication-kubeconfig",
            "authorization-kubeconfig",
        ];
        flags.map(|flag| format!("--{flag}={config}")).to_vec()
    }
}
