//! containerd: images come from the network's own registry first, whatever name they have.

use ports::{compute::MachineConfig, edge::REGISTRY_PORT};

use super::{NodeInput, text, unit};

pub(super) fn add(input: &NodeInput<'_>, config: &mut MachineConfig) {
    config
        .files
        .push(text("/etc/containerd/config.toml", runtime(input.pause_image)));
    config.files.push(text(
        "/etc/containerd/certs.d/_default/hosts.toml",
        format!(
            "[host.\"http://{}:{REGISTRY_PORT}\"]\n  capabilities = [\"pull\", \"resolve\"]\n",
            input.platform
        ),
    ));
    config.units.push(unit("containerd.service", UNIT));
}

fn runtime(pause_image: &str) -> String {
    format!(
        "version = 3
root = \"/var/lib/containerd\"
state = \"/run/containerd\"

[plugins.'io.containerd.cri.v1.images']
  snapshotter = \"overlayfs\"
  discard_unpacked_layers = true
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = \"{pause_image}\"
  [plugins.'io.containerd.cri.v1.images'.registry]
    config_path = \"/etc/containerd/certs.d\"

[plugins.'io.containerd.cri.v1.runtime']
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = [\"/opt/cni/bin\"]
    conf_dir = \"/etc/cni/net.d\"
  [plugins.'io.containerd.cri.v1.runtime'.containerd]
    default_runtime_name = \"runc\"
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
      runtime_type = \"io.containerd.runc.v2\"
      [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
        SystemdCgroup = false
"
    )
}

const UNIT: &str = "[Unit]
# What fails in passing is tried again for ever.
StartLimitIntervalSec=0
Description=containerd
After=plasmacloud-prepare.service
Requires=plasmacloud-prepare.service

[Service]
Type=notify
ExecStart=/usr/local/bin/containerd
Delegate=yes
KillMode=process
Restart=always
RestartSec=1
LimitNOFILE=1048576
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity

[Install]
WantedBy=multi-user.target
";
