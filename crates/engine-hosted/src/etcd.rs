//! etcd: the cluster's data, on its own volume, reachable from the machine itself only.

use cluster::{node::leaf_files, recipe::RecipeError};
use types::keeper::Limits;

use crate::{
    PlaneInput,
    child::{Child, process, text},
    paths::pki,
};

pub(crate) fn child(input: &PlaneInput<'_>) -> Result<Child, RecipeError> {
    let mut files = vec![text(&pki("etcd-ca.crt"), 0o644, &input.material.etcd_ca.cert_pem)];
    files.extend(leaf_files(
        &pki("etcd"),
        &input.material.control_plane.etcd_server,
    ));
    Ok(Child {
        files,
        process: process(input, "etcd", Vec::new(), Limits::default())?,
    })
}
