//! Keys and certificates of a bare cluster, one authority for all of it.

use std::{fs, net::Ipv4Addr, path::Path};

use cluster::pki::{Authority, Leaf, LeafRequest, Names, Usage};
use types::{Timestamp, cluster::Ranges};

/// Who gets a certificate as a client: name of the files, user, group.
const CLIENTS: [(&str, &str, &[&str]); 5] = [
    ("client", "bench", &["system:masters"]),
    ("controller-manager", "system:kube-controller-manager", &[]),
    ("scheduler", "system:kube-scheduler", &[]),
    ("kubelet", "system:node:bare", &["system:nodes"]),
    ("proxy", "system:kube-proxy", &[]),
];

pub fn write(dir: &Path, address: Ipv4Addr) {
    let now = Timestamp(
        std::time::UNIX_EPOCH
            .elapsed()
            .map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(0)),
    );
    let ca = Authority::generate("bench", now).expect("an authority");
    put(dir, "ca.crt", &ca.cert_pem);
    put(dir, "ca.key", ca.key_pem());
    let names = Names {
        dns: ["localhost", "kubernetes.default.svc"]
            .map(str::to_owned)
            .to_vec(),
        addresses: [Ipv4Addr::LOCALHOST, address, Ranges::default().api_address()]
            .map(Into::into)
            .to_vec(),
    };
    let server = LeafRequest::server("server", names).usage(Usage::Peer);
    put_leaf(dir, "server", &ca.issue(&server, now).expect("a certificate"));
    for (name, user, groups) in CLIENTS {
        let leaf = ca.issue(&LeafRequest::client(user, groups), now);
        put_leaf(dir, name, &leaf.expect("a certificate"));
    }
}

fn put_leaf(dir: &Path, name: &str, leaf: &Leaf) {
    put(dir, &format!("{name}.crt"), &leaf.cert_pem);
    put(dir, &format!("{name}.key"), &leaf.key_pem);
}

fn put(dir: &Path, name: &str, content: &str) {
    fs::write(dir.join(name), content).expect("our own directory");
}
