//! kube-controller-manager. It exits when the API is not ready for it yet; the supervisor starts it again.

use cluster::{
    kubeconfig,
    node::{API_PORT, leaf_files},
};
use ports::compute::{Content, FileEntry};
use types::{
    Secret,
    keeper::{Gate, Process},
};

use crate::{
    Child, PlaneInput, local_api,
    paths::{bin, pki},
    sizing,
};

const KUBECONFIG: &str = "/etc/kubernetes/controller-manager.conf";

pub(crate) fn child(input: &PlaneInput<'_>) -> Child {
    let mut files = leaf_files(
        &pki("controller-manager"),
        &input.material.control_plane.controller_manager,
    )
    .to_vec();
    files.push(FileEntry {
        path: pki("ca.key").into(),
        mode: 0o600,
        content: Content::Secret(Secret::new(input.material.ca.key_pem())),
    });
    let config = kubeconfig::from_files(
        &local_api(),
        &pki("ca.crt"),
        &pki("controller-manager.crt"),
        &pki("controller-manager.key"),
    );
    files.push(FileEntry {
        path: KUBECONFIG.into(),
        mode: 0o600,
        content: Content::Text(config),
    });
    let argv = vec![
        bin("kube-controller-manager"),
        format!("--kubeconfig={KUBECONFIG}"),
        format!("--authentication-kubeconfig={KUBECONFIG}"),
        format!("--authorization-kubeconfig={KUBECONFIG}"),
        "--bind-address=127.0.0.1".to_owned(),
        // What it would look up is made a moment after the API answers, and it ends if that is not there.
        "--authentication-skip-lookup=true".to_owned(),
        // Each of its controllers asks for a token of its own: at the default rate the last waits for five seconds.
        "--kube-api-qps=100".to_owned(),
        "--kube-api-burst=200".to_owned(),
        format!("--cluster-name={}", input.cluster.name),
        format!("--cluster-cidr={}", input.cluster.spec.ranges.pods),
        // The platform gives nodes their ranges: it routes them.
        "--allocate-node-cidrs=false".to_owned(),
        format!("--cluster-signing-cert-file={}", pki("ca.crt")),
        format!("--cluster-signing-key-file={}", pki("ca.key")),
        format!("--root-ca-file={}", pki("ca.crt")),
        format!(
            "--service-account-private-key-file={}",
            pki("service-accounts.key")
        ),
        "--use-service-account-credentials=true".to_owned(),
        "--controllers=*,bootstrapsigner,tokencleaner".to_owned(),
        // One replica has nobody to elect against.
        "--leader-elect=false".to_owned(),
        "--profiling=false".to_owned(),
    ];
    Child {
        files,
        process: Process {
            name: "kube-controller-manager".to_owned(),
            argv,
            env: sizing::go_env(),
            after: vec![Gate::TcpPort(API_PORT)],
            limits: sizing::limits(
                &input.cluster.spec.control_plane.controller_manager,
                sizing::CONTROLLER_MANAGER_PRESET,
            ),
        },
    }
}
