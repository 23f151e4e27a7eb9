//! kube-apiserver: the cluster's front door.

use cluster::{
    material::ClusterMaterial,
    node::{API_PORT, leaf_files},
};
use ports::compute::{Content, FileEntry};
use serde_json::json;
use types::{
    Secret,
    keeper::{Gate, Process},
};

use crate::{
    Child, PlaneInput, authentication,
    paths::{AUDIT_DIR, ETCD_PORT, bin, pki},
    sizing,
};

const ENCRYPTION: &str = "/etc/kubernetes/encryption.json";
const AUDIT_POLICY: &str = "/etc/kubernetes/audit-policy.json";

pub(crate) fn child(input: &PlaneInput<'_>) -> Child {
    let (authentication, anonymous) = authentication::anonymous(input.cluster.pins.version.line);
    let mut files = certificates(input.material);
    files.extend(authentication);
    files.push(encryption(input.material));
    files.push(text(AUDIT_POLICY, audit_policy().to_string()));
    let mut argv = vec![bin("kube-apiserver"), anonymous];
    argv.extend(serving(input));
    argv.extend(trust());
    argv.extend(storage_and_audit());
    let spec = &input.cluster.spec.control_plane.api_server;
    Child {
        files,
        process: Process {
            name: "kube-apiserver".to_owned(),
            argv,
            env: sizing::go_env(),
            after: vec![Gate::TcpPort(ETCD_PORT)],
            limits: sizing::limits(spec, sizing::APISERVER_PRESET),
        },
    }
}

fn serving(input: &PlaneInput<'_>) -> Vec<String> {
    let ranges = &input.cluster.spec.ranges;
    vec![
        "--bind-address=0.0.0.0".to_owned(),
        format!("--secure-port={API_PORT}"),
        format!("--advertise-address={}", input.address),
        format!("--service-cluster-ip-range={}", ranges.services),
        format!("--service-node-port-range={}", String::from(ranges.node_ports)),
        format!(
            "--service-account-issuer=https://kubernetes.default.svc.{}",
            ranges.domain
        ),
        format!(
            "--service-account-signing-key-file={}",
            pki("service-accounts.key")
        ),
        format!("--service-account-key-file={}", pki("service-accounts.crt")),
        format!("--tls-cert-file={}", pki("apiserver.crt")),
        format!("--tls-private-key-file={}", pki("apiserver.key")),
        "--tls-min-version=VersionTLS12".to_owned(),
        "--allow-privileged=true".to_owned(),
        "--authorization-mode=Node,RBAC".to_owned(),
        "--enable-admission-plugins=NodeRestriction".to_owned(),
        // The plane is on the VPC: it reaches pods and nodes directly.
        "--enable-aggregator-routing=true".to_owned(),
        "--kubelet-preferred-address-types=InternalIP".to_owned(),
        "--profiling=false".to_owned(),
    ]
}

fn trust() -> Vec<String> {
    vec![
        format!("--client-ca-file={}", pki("ca.crt")),
        format!("--kubelet-certificate-authority={}", pki("ca.crt")),
        format!("--kubelet-client-certificate={}", pki("kubelet-client.crt")),
        format!("--kubelet-client-key={}", pki("kubelet-client.key")),
        format!("--requestheader-client-ca-file={}", pki("front-proxy-ca.crt")),
        "--requestheader-allowed-names=front-proxy-client".to_owned(),
        "--requestheader-extra-headers-prefix=X-Remote-Extra-".to_owned(),
        "--requestheader-group-headers=X-Remote-Group".to_owned(),
        "--requestheader-username-headers=X-Remote-User".to_owned(),
        format!("--proxy-client-cert-file={}", pki("front-proxy-client.crt")),
        format!("--proxy-client-key-file={}", pki("front-proxy-client.key")),
    ]
}

fn storage_and_audit() -> Vec<String> {
    vec![
        format!("--etcd-servers=https://127.0.0.1:{ETCD_PORT}"),
        format!("--etcd-cafile={}", pki("etcd-ca.crt")),
        format!("--etcd-certfile={}", pki("etcd-client.crt")),
        format!("--etcd-keyfile={}", pki("etcd-client.key")),
        format!("--encryption-provider-config={ENCRYPTION}"),
        format!("--audit-policy-file={AUDIT_POLICY}"),
        format!("--audit-log-path={AUDIT_DIR}/audit.log"),
        "--audit-log-maxage=30".to_owned(),
        "--audit-log-maxbackup=10".to_owned(),
        "--audit-log-maxsize=100".to_owned(),
        "--audit-log-mode=batch".to_owned(),
    ]
}

fn certificates(material: &ClusterMaterial) -> Vec<FileEntry> {
    let plane = &material.control_plane;
    let mut files = vec![
        text(&pki("ca.crt"), &material.ca.cert_pem),
        text(&pki("front-proxy-ca.crt"), &material.front_proxy_ca.cert_pem),
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

/// Who did what, without the bodies of secrets, and without the chatter of components watching.
fn audit_policy() -> serde_json::Value {
    let secrets = json!([
        {"group": "", "resources": ["secrets", "configmaps", "serviceaccounts/token"]},
        {"group": "authentication.k8s.io", "resources": ["tokenreviews"]},
    ]);
    json!({
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived"],
        "rules": [
            {"level": "None", "nonResourceURLs": ["/healthz*", "/livez*", "/readyz*", "/version", "/openapi/*"]},
            {"level": "None", "resources": [{"group": "coordination.k8s.io", "resources": ["leases"]}]},
            {"level": "None", "resources": [{"group": "", "resources": ["events"]}]},
            {
                "level": "None",
                "userGroups": ["system:nodes", "system:serviceaccounts:kube-system"],
                "verbs": ["get", "list", "watch"],
            },
            {
                "level": "None",
                "users": [
                    "system:kube-controller-manager", "system:kube-scheduler", "system:kube-proxy", "system:apiserver",
                    "plasmacloud:platform",
                ],
                "verbs": ["get", "list", "watch"],
            },
            {"level": "Metadata", "resources": secrets},
            {"level": "Metadata", "verbs": ["get", "list", "watch"]},
            {"level": "Request", "verbs": ["create", "update", "patch", "delete", "deletecollection"]},
            {"level": "Metadata"},
        ],
    })
}

fn text(path: &str, content: impl Into<String>) -> FileEntry {
    FileEntry {
        path: path.into(),
        mode: 0o644,
        content: Content::Text(content.into()),
    }
}
