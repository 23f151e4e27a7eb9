//! kube-scheduler.

use cluster::{
    kubeconfig,
    node::{API_PORT, leaf_files},
};
use ports::compute::{Content, FileEntry};
use types::keeper::{Gate, Process};

use crate::{
    Child, PlaneInput, local_api,
    paths::{bin, pki},
    sizing,
};

const KUBECONFIG: &str = "/etc/kubernetes/scheduler.conf";

pub(crate) fn child(input: &PlaneInput<'_>) -> Child {
    let mut files = leaf_files(&pki("scheduler"), &input.material.control_plane.scheduler).to_vec();
    let config = kubeconfig::from_files(
        &local_api(),
        &pki("ca.crt"),
        &pki("scheduler.crt"),
        &pki("scheduler.key"),
    );
    files.push(FileEntry {
        path: KUBECONFIG.into(),
        mode: 0o600,
        content: Content::Text(config),
    });
    let argv = vec![
        bin("kube-scheduler"),
        format!("--kubeconfig={KUBECONFIG}"),
        format!("--authentication-kubeconfig={KUBECONFIG}"),
        format!("--authorization-kubeconfig={KUBECONFIG}"),
        "--bind-address=127.0.0.1".to_owned(),
        "--leader-elect=false".to_owned(),
        "--profiling=false".to_owned(),
    ];
    Child {
        files,
        process: Process {
            name: "kube-scheduler".to_owned(),
            argv,
            env: sizing::go_env(),
            after: vec![Gate::TcpPort(API_PORT)],
            limits: sizing::limits(
                &input.cluster.spec.control_plane.scheduler,
                sizing::SCHEDULER_PRESET,
            ),
        },
    }
}
