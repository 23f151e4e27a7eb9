//! How nspawn is called. Capabilities, system calls and everything shared with the host are listed here and nowhere
//! else; `docs/decisions` says why each is as it is.

use std::path::Path;

use ports::compute::{Init, MachineDesired};
use types::keeper::BINARY_PATH;

use super::{lay, layout::MachineDir};
use crate::host::identity::UidRange;

/// What a machine's root may do, always within its own user namespace.
const KEPT: [&str; 27] = [
    "CAP_AUDIT_CONTROL",
    "CAP_AUDIT_WRITE",
    "CAP_CHOWN",
    "CAP_DAC_OVERRIDE",
    "CAP_DAC_READ_SEARCH",
    "CAP_FOWNER",
    "CAP_FSETID",
    "CAP_IPC_LOCK",
    "CAP_IPC_OWNER",
    "CAP_KILL",
    "CAP_LEASE",
    "CAP_LINUX_IMMUTABLE",
    "CAP_MKNOD",
    "CAP_NET_ADMIN",
    "CAP_NET_BIND_SERVICE",
    "CAP_NET_BROADCAST",
    "CAP_NET_RAW",
    "CAP_SETFCAP",
    "CAP_SETGID",
    "CAP_SETPCAP",
    "CAP_SETUID",
    "CAP_SYS_ADMIN",
    "CAP_SYS_CHROOT",
    "CAP_SYS_NICE",
    "CAP_SYS_PTRACE",
    "CAP_SYS_RESOURCE",
    "CAP_SYS_TTY_CONFIG",
];

/// Taken away even inside: they mean the host's clock, kernel, hardware and power.
const DROPPED: [&str; 10] = [
    "CAP_SYS_TIME",
    "CAP_SYS_MODULE",
    "CAP_SYS_RAWIO",
    "CAP_SYS_BOOT",
    "CAP_SYS_PACCT",
    "CAP_SYSLOG",
    "CAP_MAC_ADMIN",
    "CAP_MAC_OVERRIDE",
    "CAP_WAKE_ALARM",
    "CAP_BLOCK_SUSPEND",
];

/// Beyond nspawn's own list: runc keeps a session keyring for every container, databases lock and bind memory.
const SYSTEM_CALLS: &str = "@keyring @memlock @pkey mbind set_mempolicy get_mempolicy move_pages";

/// The environment nspawn itself reads; nothing of ours is passed on.
pub fn environment(notify: &str, init: Init) -> Vec<(&'static str, String)> {
    let mut environment = vec![
        (
            "PATH",
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".to_owned(),
        ),
        // A machine may set its own network's kernel settings.
        ("SYSTEMD_NSPAWN_API_VFS_WRITABLE", "network".to_owned()),
        // We lock machines ourselves; its lock files would outlive them.
        ("SYSTEMD_NSPAWN_LOCK", "0".to_owned()),
        ("NOTIFY_SOCKET", notify.to_owned()),
    ];
    match init {
        Init::Systemd => {}
        // Building its filter takes longer than the rest of the start; the supervisor has one of its own for what it
        // runs, and no tenant's code is in such a machine.
        Init::Keeper => environment.push(("SYSTEMD_SECCOMP", "0".to_owned())),
    }
    environment
}

pub fn arguments(
    nspawn: &Path,
    place: &MachineDir,
    desired: &MachineDesired,
    range: UidRange,
) -> Vec<String> {
    let mut words = vec![
        nspawn.to_string_lossy().into_owned(),
        "--quiet".to_owned(),
        format!("--machine={}", place.nspawn_name),
        format!("--directory={}", place.root().display()),
        format!("--hostname={}", desired.hostname),
        format!("--uuid={}", lay::machine_id(&desired.id)),
        "--settings=no".to_owned(),
        "--register=no".to_owned(),
        "--keep-unit".to_owned(),
        format!("--private-users={}:{}", range.base, range.count),
        "--private-users-ownership=off".to_owned(),
        "--private-network".to_owned(),
        "--resolv-conf=off".to_owned(),
        "--timezone=off".to_owned(),
        "--link-journal=no".to_owned(),
        "--rlimit=NOFILE=1048576".to_owned(),
        format!("--capability={}", KEPT.join(",")),
        format!("--drop-capability={}", DROPPED.join(",")),
    ];
    match desired.init {
        Init::Systemd => words.extend([
            format!("--system-call-filter={SYSTEM_CALLS}"),
            "--console=read-only".to_owned(),
            "--boot".to_owned(),
        ]),
        Init::Keeper => {
            words.extend([
                "--console=pipe".to_owned(),
                "--".to_owned(),
                BINARY_PATH.to_owned(),
                "init".to_owned(),
            ]);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reaches_the_hosts_clock_kernel_or_power_is_never_kept() {
        for capability in ["CAP_SYS_TIME", "CAP_SYS_MODULE", "CAP_SYS_RAWIO", "CAP_SYS_BOOT"] {
            assert!(
                !KEPT.contains(&capability) && DROPPED.contains(&capability),
                "{capability}"
            );
        }
    }
}
