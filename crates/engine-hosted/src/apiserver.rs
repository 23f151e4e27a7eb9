//! kube-apiserver: the cluster's front door.

use cluster::{material::ClusterMaterial, node::leaf_files, recipe::RecipeError};
use ports::compute::{Content, FileEntry};
use serde_json::json;
use types::{Secret, keeper::Gate};

use crate::{
    PlaneInput, authentication,
    child::{Child, environment, process, text},
    identity,
    paths::{ETCD_PORT, pki},
    sizing,
};

const ENCRYPTION: &str = "/etc/kubernetes/encryption.json";
const AUDIT_POLICY: &str = "/etc/kubernetes/audit-policy.yaml";

pub(crate) fn child(input: &PlaneInput<'_>) -> Result<Child, RecipeError> {
    let (authentication, anonymous) = authentication::anonymous(input.cluster.pins.version.line);
    let mut files = certificates(input.material);
    files.extend(authentication);
    files.extend(identity::files(input)?);
    files.push(encryption(input.material));
    let policy = input.recipe.text("plane/audit-policy.yaml", &input.values())?;
    files.push(text(AUDIT_POLICY, 0o644, policy));
    let limits = sizing::limits(
        &input.cluster.spec.control_plane.api_server,
        sizing::APISERVER_PRESET,
    );
    let mut process = process(input, "kube-apiserver", vec![Gate::TcpPort(ETCD_PORT)], limits)?;
    process.argv.push(anonymous);
    process.env = environment(input)?;
    Ok(Child { files, process })
}

fn certificates(material: &ClusterMaterial) -> Vec<FileEntry> {
    let plane = &material.control_plane;
    let mut files = vec![
        text(&pki("ca.crt"), 0o644, &material.ca.cert_pem),
        text(
            &pki("front-proxy-ca.crt"),
            0o644,
            &material.front_proxy_ca.cert_pem,
        ),
    ];
    for (stem, leaf) in [
        ("apiserver", &plane.apiserver),
        ("kubelet-client", &plane.kubelet_client),
        ("front-proxy-client", &plane.front_proxy_client),
        ("etcd-client", &plane.etcd_client),
        ("service-accounts", &material.service_accounts),
    ] {
        files.extend(leaf_files(&pki(stem), leaf));
    }
    files
}

/// Secrets are encrypted in etcd; what was written before a key existed stays readable.
fn encryption(material: &ClusterMaterial) -> FileEntry {
    let config = json!({
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "EncryptionConfiguration",
        "resources": [{
            "resources": ["secrets"],
            "providers": [
                {"secretbox": {"keys": [{"name": "key1", "secret": material.encryption_key.0}]}},
                {"identity": {}},
            ],
        }],
    });
    FileEntry {
        path: ENCRYPTION.into(),
        mode: 0o600,
        content: Content::Secret(Secret::new(config.to_string())),
    }
}
