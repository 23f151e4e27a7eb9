//! kube-proxy, as a unit of the node rather than a pod: services work before the first image is pulled.

use ports::compute::MachineConfig;
use serde_json::json;

use super::{NodeInput, json as json_file, leaf_files, text, unit};
use crate::kubeconfig;

pub(super) fn add(input: &NodeInput<'_>, config: &mut MachineConfig) {
    let proxy = json!({
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "mode": "nftables",
        "clusterCIDR": input.cluster.spec.ranges.pods.to_string(),
        "hostnameOverride": input.machine.hostname,
        "nodePortAddresses": ["primary"],
        "clientConnection": {"kubeconfig": "/etc/kubernetes/proxy.conf"},
        // The limits belong to the host, not to a machine's namespace.
        "conntrack": {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},
        "healthzBindAddress": "0.0.0.0:10256",
        "metricsBindAddress": "127.0.0.1:10249",
    });
    config.files.push(json_file("/etc/kubernetes/proxy.json", &proxy));
    config.files.extend(leaf_files(
        "/etc/kubernetes/pki/kube-proxy",
        &input.node.kube_proxy,
    ));
    config.files.push(text(
        "/etc/kubernetes/proxy.conf",
        kubeconfig::from_files(
            &input.api_url(),
            "/etc/kubernetes/pki/ca.crt",
            "/etc/kubernetes/pki/kube-proxy.crt",
            "/etc/kubernetes/pki/kube-proxy.key",
        ),
    ));
    config.units.push(unit("kube-proxy.service", UNIT));
}

const UNIT: &str = "[Unit]
# What fails in passing is tried again for ever.
StartLimitIntervalSec=0
Description=kube-proxy
After=plasmacloud-prepare.service
Requires=plasmacloud-prepare.service

[Service]
ExecStart=/usr/local/bin/kube-proxy --config=/etc/kubernetes/proxy.json
Restart=always
RestartSec=1

[Install]
WantedBy=multi-user.target
";
