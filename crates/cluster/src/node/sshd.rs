//! SSH into a node with the cluster's key. The host key is made by the platform, so that it is known in advance.

use ports::compute::{FileEntry, MachineConfig};

use super::{NodeInput, secret, text};

pub(super) fn add(input: &NodeInput<'_>, config: &mut MachineConfig) {
    config.files.push(secret(
        "/etc/ssh/ssh_host_ed25519_key",
        input.node.ssh_host.private_openssh.as_bytes(),
    ));
    config.files.push(text(
        "/etc/ssh/ssh_host_ed25519_key.pub",
        format!("{}\n", input.node.ssh_host.public_openssh),
    ));
    let keys = text(
        "/root/.ssh/authorized_keys",
        format!("{}\n", input.material.ssh.public_openssh),
    );
    config.files.push(FileEntry { mode: 0o600, ..keys });
    config.files.push(text(
        "/etc/ssh/sshd_config.d/10-plasmacloud.conf",
        "HostKey /etc/ssh/ssh_host_ed25519_key\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\nUseDNS no\n",
    ));
}
