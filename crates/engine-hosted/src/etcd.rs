//! etcd: the cluster's data, on its own volume, reachable from the machine itself only.

use std::collections::BTreeMap;

use cluster::node::leaf_files;
use ports::compute::{Content, FileEntry};
use types::keeper::{Limits, Process};

use crate::{
    Child, PlaneInput,
    paths::{ETCD_DATA, ETCD_PORT, bin, pki},
};

const PEER_PORT: u16 = 2380;

pub(crate) fn child(input: &PlaneInput<'_>) -> Child {
    let material = &input.material.control_plane;
    let mut files = vec![FileEntry {
        path: pki("etcd-ca.crt").into(),
        mode: 0o644,
        content: Content::Text(input.material.etcd_ca.cert_pem.clone()),
    }];
    files.extend(leaf_files(&pki("etcd"), &material.etcd_server));
    let client = format!("https://127.0.0.1:{ETCD_PORT}");
    let peer = format!("https://127.0.0.1:{PEER_PORT}");
    let argv = vec![
        bin("etcd"),
        "--name=etcd-0".to_owned(),
        format!("--data-dir={ETCD_DATA}"),
        format!("--listen-client-urls={client}"),
        format!("--advertise-client-urls={client}"),
        format!("--listen-peer-urls={peer}"),
        format!("--initial-advertise-peer-urls={peer}"),
        format!("--initial-cluster=etcd-0={peer}"),
        "--initial-cluster-state=new".to_owned(),
        format!("--cert-file={}", pki("etcd.crt")),
        format!("--key-file={}", pki("etcd.key")),
        format!("--trusted-ca-file={}", pki("etcd-ca.crt")),
        "--client-cert-auth=true".to_owned(),
        format!("--peer-cert-file={}", pki("etcd.crt")),
        format!("--peer-key-file={}", pki("etcd.key")),
        format!("--peer-trusted-ca-file={}", pki("etcd-ca.crt")),
        "--peer-client-cert-auth=true".to_owned(),
        // One member elects itself; waiting a second for others only delays the start.
        "--heartbeat-interval=100".to_owned(),
        "--election-timeout=1000".to_owned(),
        "--initial-election-tick-advance=true".to_owned(),
        "--auto-compaction-mode=periodic".to_owned(),
        "--auto-compaction-retention=5m".to_owned(),
        "--quota-backend-bytes=4294967296".to_owned(),
        "--snapshot-count=10000".to_owned(),
        "--log-level=warn".to_owned(),
    ];
    Child {
        files,
        process: Process {
            name: "etcd".to_owned(),
            argv,
            env: BTreeMap::new(),
            after: Vec::new(),
            limits: Limits::default(),
        },
    }
}
