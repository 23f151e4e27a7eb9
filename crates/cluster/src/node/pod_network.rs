//! The pods' network on a node: a bridge with the node's own range, routed by the VPC. Sources are kept between pods;
//! what leaves the cluster's pod range takes the node's address, which is all the VPC knows to answer to.

use ports::compute::MachineConfig;
use serde_json::json;

use super::{NodeInput, json as json_file, text, unit};

pub(super) fn add(input: &NodeInput<'_>, config: &mut MachineConfig) {
    let conflist = json!({
        "cniVersion": "1.0.0",
        "name": "plasmacloud",
        "plugins": [
            {
                "type": "bridge",
                "bridge": "cni0",
                "isDefaultGateway": true,
                "hairpinMode": true,
                "ipMasq": false,
                "mtu": input.mtu,
                "ipam": {
                    "type": "host-local",
                    "dataDir": "/run/cni-ipam",
                    "ranges": [[{"subnet": input.pods.to_string()}]],
                },
            },
            {"type": "portmap", "capabilities": {"portMappings": true}, "backend": "nftables"},
            {"type": "bandwidth", "capabilities": {"bandwidth": true}},
        ],
    });
    config
        .files
        .push(json_file("/etc/cni/net.d/10-plasmacloud.conflist", &conflist));
    let (own, all) = (input.pods, input.cluster.spec.ranges.pods);
    config.files.push(text(
        "/etc/plasmacloud/pods.nft",
        format!(
            "table ip plasmacloud_pods
delete table ip plasmacloud_pods
table ip plasmacloud_pods {{
  chain leaving {{
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr {own} ip daddr != {all} masquerade
  }}
}}
"
        ),
    ));
    config.units.push(unit("plasmacloud-pods.service", UNIT));
}

const UNIT: &str = "[Unit]
Description=Addresses of pods towards the outside
After=plasmacloud-prepare.service
Requires=plasmacloud-prepare.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/nft -f /etc/plasmacloud/pods.nft

[Install]
WantedBy=multi-user.target
";
