//! The kubelet. Its certificates are files the platform renews in place: both the kubelet's server and its client
//! read them again when they change.

use ports::compute::MachineConfig;
use serde_json::json;

use super::{NodeInput, json as json_file, leaf_files, text, unit};
use crate::kubeconfig;

const PKI: &str = "/etc/kubernetes/pki";

pub(super) fn add(input: &NodeInput<'_>, config: &mut MachineConfig) {
    let ranges = &input.cluster.spec.ranges;
    let kubelet = json!({
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {
            "anonymous": {"enabled": false},
            "webhook": {"enabled": true},
            "x509": {"clientCAFile": format!("{PKI}/ca.crt")},
        },
        "authorization": {"mode": "Webhook"},
        "cgroupDriver": "cgroupfs",
        "clusterDNS": [ranges.dns_address().to_string()],
        "clusterDomain": ranges.domain,
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "failCgroupV1": false,
        "failSwapOn": false,
        "resolvConf": "/etc/resolv.conf",
        "staticPodPath": "/etc/kubernetes/manifests",
        "tlsCertFile": format!("{PKI}/kubelet-serving.crt"),
        "tlsPrivateKeyFile": format!("{PKI}/kubelet-serving.key"),
        "tlsMinVersion": "VersionTLS12",
        "featureGates": {"KubeletInUserNamespace": true},
    });
    config
        .files
        .push(text(&format!("{PKI}/ca.crt"), &input.material.ca.cert_pem));
    config
        .files
        .extend(leaf_files(&format!("{PKI}/kubelet"), &input.node.kubelet));
    config.files.extend(leaf_files(
        &format!("{PKI}/kubelet-serving"),
        &input.node.kubelet_serving,
    ));
    config
        .files
        .push(json_file("/etc/kubernetes/kubelet.json", &kubelet));
    config.files.push(text(
        "/etc/kubernetes/kubelet.conf",
        kubeconfig::from_files(
            &input.api_url(),
            &format!("{PKI}/ca.crt"),
            &format!("{PKI}/kubelet.crt"),
            &format!("{PKI}/kubelet.key"),
        ),
    ));
    config.units.push(unit("kubelet.service", service(input)));
}

fn service(input: &NodeInput<'_>) -> String {
    let labels = input
        .machine
        .instance_type
        .iter()
        .map(|name| format!("node.kubernetes.io/instance-type={name}"))
        .chain([format!("plasmacloud.io/instance={}", input.machine.id)])
        .collect::<Vec<_>>()
        .join(",");
    format!(
        "[Unit]
# What fails in passing is tried again for ever.
StartLimitIntervalSec=0
Description=kubelet
After=containerd.service plasmacloud-pods.service
Wants=containerd.service

[Service]
ExecStart=/usr/local/bin/kubelet --config=/etc/kubernetes/kubelet.json --kubeconfig=/etc/kubernetes/kubelet.conf \
--hostname-override={} --node-ip={} --node-labels={labels}
Restart=always
RestartSec=1
KillMode=process

[Install]
WantedBy=multi-user.target
",
        input.machine.hostname, input.machine.address,
    )
}
