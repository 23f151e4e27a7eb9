//! How the programs of a node are called by hand: what ours have, less what is ours.

use std::fs;

use bundle::Bundle;
use serde_json::json;
use types::cluster::Ranges;

use super::plane::Place;

pub const SOCKET: &str = "/run/containerd/containerd.sock";

impl Place {
    pub fn containerd(&self, bundle: &Bundle, pause_image: &str) -> Vec<String> {
        let network = self.file("net.d");
        fs::create_dir_all(&network).expect("our own directory");
        let conflist = json!({
            "cniVersion": "1.0.0",
            "name": "bare",
            "plugins": [
                {
                    "type": "bridge",
                    "bridge": "cni0",
                    "isDefaultGateway": true,
                    "hairpinMode": true,
                    "ipMasq": false,
                    "ipam": {
                        "type": "host-local",
                        "dataDir": "/run/cni-ipam",
                        "ranges": [[{"subnet": "10.244.0.0/24"}]],
                    },
                },
                {"type": "portmap", "capabilities": {"portMappings": true}, "backend": "nftables"},
            ],
        });
        self.put("net.d/10-bare.conflist", &conflist.to_string());
        let config = format!(
            "version = 3
[plugins.'io.containerd.internal.v1.opt']
  path = \"{opt}\"
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = \"{pause_image}\"
[plugins.'io.containerd.cri.v1.runtime']
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = [\"{plugins}\"]
    conf_dir = \"{network}\"
",
            opt = self.file("opt"),
            plugins = bundle.cni_dir().display(),
        );
        vec![format!("--config={}", self.put("containerd.toml", &config))]
    }

    pub fn kubelet(&self) -> Vec<String> {
        let ranges = Ranges::default();
        let config = json!({
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "authentication": {"x509": {"clientCAFile": self.file("ca.crt")}},
            "cgroupDriver": "cgroupfs",
            "clusterDNS": [ranges.dns_address().to_string()],
            "clusterDomain": ranges.domain,
            "containerRuntimeEndpoint": format!("unix://{SOCKET}"),
            "failCgroupV1": false,
            "failSwapOn": false,
            // The disk is the host's, however full it is.
            "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
            "imageGCHighThresholdPercent": 99,
            "imageGCLowThresholdPercent": 98,
            "resolvConf": self.put("resolv.conf", "nameserver 192.168.99.1\n"),
            "volumePluginDir": self.file("plugins"),
        });
        vec![
            format!("--config={}", self.put("kubelet.json", &config.to_string())),
            format!("--kubeconfig={}", self.kubeconfig("kubelet")),
            "--hostname-override=bare".to_owned(),
            format!("--node-ip={}", self.address),
        ]
    }

    pub fn proxy(&self) -> Vec<String> {
        let config = json!({
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
            "kind": "KubeProxyConfiguration",
            "mode": "nftables",
            "clusterCIDR": Ranges::default().pods.to_string(),
            "hostnameOverride": "bare",
            "nodePortAddresses": ["primary"],
            "clientConnection": {"kubeconfig": self.kubeconfig("proxy")},
            "conntrack": {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},
        });
        vec![format!(
            "--config={}",
            self.put("proxy.json", &config.to_string())
        )]
    }

    /// Writes a file and gives its path.
    pub fn put(&self, name: &str, content: &str) -> String {
        let path = self.file(name);
        fs::write(&path, content).expect("our own directory");
        path
    }
}
