//! Limits of the host that every machine counts against, and whose defaults are made for one user's desktop. A node
//! alone has some fifteen inotify instances; with the default of 128 the fourth cluster's kubelets would not start.
//!
//! They are raised, never lowered, and stay raised: whatever else runs on the host has only more room.

use std::fs;

/// Path below `/proc/sys` and the least value that a host full of machines needs.
const LEAST: [(&str, u64); 9] = [
    ("fs/inotify/max_user_instances", 65_536),
    ("fs/inotify/max_user_watches", 1_048_576),
    ("kernel/keys/maxkeys", 20_000),
    ("kernel/keys/maxbytes", 2_000_000),
    ("kernel/pid_max", 1_048_576),
    ("kernel/threads-max", 1_048_576),
    ("net/ipv4/neigh/default/gc_thresh1", 4_096),
    ("net/ipv4/neigh/default/gc_thresh2", 16_384),
    ("net/ipv4/neigh/default/gc_thresh3", 32_768),
];

/// What cannot be raised is told: machines work until that limit is met.
pub fn raise() {
    for (name, least) in LEAST {
        let path = format!("/proc/sys/{name}");
        let now = fs::read_to_string(&path)
            .ok()
            .and_then(|text| text.trim().parse::<u64>().ok());
        if now.is_none_or(|now| now >= least) {
            continue;
        }
        if let Err(error) = fs::write(&path, least.to_string()) {
            tracing::warn!(limit = name, wanted = least, %error, "a limit of the host stays low");
        }
    }
}
