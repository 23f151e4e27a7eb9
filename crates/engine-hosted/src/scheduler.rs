//! kube-scheduler.

use cluster::{
    kubeconfig,
    node::{API_PORT, leaf_files},
    recipe::RecipeError,
};
use types::keeper::Gate;

use crate::{
    PlaneInput,
    child::{Child, environment, process, text},
    local_api,
    paths::pki,
    sizing,
};

const KUBECONFIG: &str = "/etc/kubernetes/scheduler.conf";

pub(crate) fn child(input: &PlaneInput<'_>) -> Result<Child, RecipeError> {
    let mut files = leaf_files(&pki("scheduler"), &input.material.control_plane.scheduler).to_vec();
    let config = kubeconfig::from_files(
        &local_api(),
        &pki("ca.crt"),
        &pki("scheduler.crt"),
        &pki("scheduler.key"),
    );
    files.push(text(KUBECONFIG, 0o600, config));
    let limits = sizing::limits(
        &input.cluster.spec.control_plane.scheduler,
        sizing::SCHEDULER_PRESET,
    );
    let mut process = process(input, "kube-scheduler", vec![Gate::TcpPort(API_PORT)], limits)?;
    process.env = environment(input)?;
    Ok(Child { files, process })
}
