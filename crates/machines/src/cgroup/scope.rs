//! Version 2 below systemd, which owns the tree: it makes the cgroup as a scope, which is no part of our service and so
//! outlives its restart.
//!
//! All scopes are in one slice that no one takes away. A slice for each instance would have to be stopped when it is
//! empty, and stopping it ends a machine that is just being started in it.

use std::process::{Command, Stdio};

use types::machine::Size;

use crate::{error::Result, host::process::tool};

pub const SLICE: &str = "plasmacloud.slice";

/// What the units of one instance's machines begin with.
pub fn prefix(family: &str) -> String {
    format!("{family}-")
}

pub fn unit(family: &str, machine: &str) -> String {
    format!("{}{machine}.scope", prefix(family))
}

pub fn wrapper(unit: &str, size: &Size) -> Result<Vec<String>> {
    let program = tool("systemd-run", "systemd")?;
    let mut words = vec![
        program.to_string_lossy().into_owned(),
        "--quiet".to_owned(),
        "--scope".to_owned(),
        "--collect".to_owned(),
        format!("--unit={unit}"),
        format!("--slice={SLICE}"),
        "--description=Machine of PlasmaCloud".to_owned(),
    ];
    let properties = [
        "Delegate=yes".to_owned(),
        format!("CPUWeight={}", super::weight(size)),
        format!("MemoryMax={}", size.memory.0),
        "MemorySwapMax=0".to_owned(),
        format!("TasksMax={}", super::most_processes(size)),
        "DevicePolicy=closed".to_owned(),
        "DeviceAllow=/dev/net/tun rwm".to_owned(),
        "DeviceAllow=/dev/fuse rwm".to_owned(),
    ];
    words.extend(
        properties
            .into_iter()
            .map(|property| format!("--property={property}")),
    );
    words.push("--".to_owned());
    Ok(words)
}

/// A scope goes when its last process does; one that failed is forgotten.
pub fn stop(unit: &str) {
    let Ok(program) = tool("systemctl", "systemd") else {
        return;
    };
    for verb in ["stop", "reset-failed"] {
        let _ = Command::new(&program)
            .args(["--quiet", verb, unit])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
}
