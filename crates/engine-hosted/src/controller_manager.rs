//! kube-controller-manager. It exits when the API is not ready for it yet; the supervisor starts it again.

use cluster::{
    kubeconfig,
    node::{API_PORT, leaf_files},
    recipe::RecipeError,
};
use ports::compute::{Content, FileEntry};
use types::{Secret, keeper::Gate};

use crate::{
    PlaneInput,
    child::{Child, environment, process, text},
    local_api,
    paths::pki,
    sizing,
};

const KUBECONFIG: &str = "/etc/kubernetes/controller-manager.conf";

pub(crate) fn child(input: &PlaneInput<'_>) -> Result<Child, RecipeError> {
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
    files.push(text(KUBECONFIG, 0o600, config));
    let limits = sizing::limits(
        &input.cluster.spec.control_plane.controller_manager,
        sizing::CONTROLLER_MANAGER_PRESET,
    );
    let mut process = process(
        input,
        "kube-controller-manager",
        vec![Gate::TcpPort(API_PORT)],
        limits,
    )?;
    process.env = environment(input)?;
    Ok(Child { files, process })
}
