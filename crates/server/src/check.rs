//! What the platform needs of its host, looked for by trying: a module that is not loaded may load itself when used.
//! Trials run in a network namespace of their own, which vanishes with them.

use std::{
    env, fmt, fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
};

/// One thing needed, and how to get it.
#[derive(Debug)]
pub struct Finding {
    pub what: &'static str,
    pub present: bool,
    pub remedy: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.present {
            true => write!(f, "ok       {}", self.what),
            false => write!(f, "missing  {}\n           help: {}", self.what, self.remedy),
        }
    }
}

const TOOLS: [(&str, &str); 8] = [
    ("ip", "apt-get install iproute2"),
    ("nft", "apt-get install nftables"),
    ("systemd-nspawn", "apt-get install systemd-container"),
    ("mkfs.ext4", "apt-get install e2fsprogs"),
    ("mmdebstrap", "apt-get install mmdebstrap"),
    ("mount", "apt-get install mount"),
    ("losetup", "apt-get install mount"),
    ("unshare", "apt-get install util-linux"),
];

pub fn run() -> Vec<Finding> {
    let mut findings = vec![Finding {
        what: "running as root",
        present: rustix::process::geteuid().is_root(),
        remedy: "run cloudd as root: it makes network namespaces, mounts and cgroups",
    }];
    findings.extend(TOOLS.map(|(what, remedy)| Finding {
        what,
        present: on_path(what),
        remedy,
    }));
    findings.push(Finding {
        what: "kernel: overlay",
        present: has_filesystem("overlay"),
        remedy: "load it with `modprobe overlay`, or run a kernel with CONFIG_OVERLAY_FS",
    });
    findings.push(Finding {
        what: "kernel: network namespaces and veth",
        present: try_apart(&[
            "ip", "link", "add", "plasma0", "type", "veth", "peer", "name", "plasma1",
        ]),
        remedy: "load it with `modprobe veth`, or run a kernel with CONFIG_NET_NS and CONFIG_VETH",
    });
    findings.push(Finding {
        what: "kernel: nf_tables",
        present: try_apart(&["nft", "add", "table", "inet", "plasma"]),
        remedy: "load it with `modprobe nf_tables`, or run a kernel with CONFIG_NF_TABLES and CONFIG_NF_TABLES_INET",
    });
    findings.push(Finding {
        what: "kernel: loop devices",
        present: Path::new("/dev/loop-control").exists(),
        remedy: "load it with `modprobe loop`, or run a kernel with CONFIG_BLK_DEV_LOOP",
    });
    findings
}

fn on_path(tool: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    // A service's PATH often lacks the system's own directories.
    let dirs = env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    dirs.map(|dir| dir.join(tool)).any(|file| {
        fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    })
}

fn has_filesystem(name: &str) -> bool {
    let known = |text: String| {
        text.lines()
            .any(|line| line.split_whitespace().next_back() == Some(name))
    };
    let listed = || fs::read_to_string("/proc/filesystems").is_ok_and(known);
    // Not listed until it is loaded, and loaded on first use: asking modprobe is that use.
    listed() || (succeeds(Command::new("modprobe").arg(name)) && listed())
}

fn try_apart(command: &[&str]) -> bool {
    succeeds(Command::new("unshare").args(["--net", "--"]).args(command))
}

fn succeeds(command: &mut Command) -> bool {
    let quiet = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_found_and_what_is_not_is_missing() {
        assert!(on_path("sh"));
        assert!(!on_path("no-such-tool-anywhere"));
        assert!(has_filesystem("proc"));
        let missing = Finding {
            what: "x",
            present: false,
            remedy: "get x",
        };
        assert_eq!(missing.to_string(), "missing  x\n           help: get x");
    }
}
