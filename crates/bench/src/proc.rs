//! What the kernel says a process takes.

use std::fs;

use e2e::Process;

/// Its share of memory: pages it has with others are counted in parts.
pub fn pss_kib(process: &Process) -> u64 {
    let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", process.pid)).unwrap_or_default();
    let line = text
        .lines()
        .find(|line| line.starts_with("Pss:"))
        .unwrap_or_default();
    line.split_whitespace()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(0)
}

/// Hundredths of a second it has computed so far, and the children it has waited for: many live too briefly to be seen.
pub fn cpu_ticks(process: &Process) -> u64 {
    let text = fs::read_to_string(format!("/proc/{}/stat", process.pid)).unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    after_name
        .split_whitespace()
        .skip(11)
        .take(4)
        .filter_map(|n| n.parse::<u64>().ok())
        .sum()
}

/// The program's name, without where it is and what it says of itself.
pub fn name(process: &Process) -> String {
    let first = process.words().into_iter().next().unwrap_or_default();
    let program = first.split([' ', ':']).next().unwrap_or_default();
    program.rsplit('/').next().unwrap_or_default().to_owned()
}
