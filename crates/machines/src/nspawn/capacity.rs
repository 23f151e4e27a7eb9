//! What the host has to give to machines.

use std::path::Path;

use ports::compute::HostCapacity;
use types::Bytes;

use crate::{
    error::{Context, Result},
    host::ext4,
    options::Overcommit,
};

pub fn capacity(state: &Path, overcommit: Overcommit) -> Result<HostCapacity> {
    std::fs::create_dir_all(state).doing("make", state)?;
    let path = Path::new("/proc/meminfo");
    let meminfo = std::fs::read_to_string(path).doing("read", path)?;
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Ok(HostCapacity {
        cpus: scaled(cpus as u64, overcommit.cpu).try_into().unwrap_or(u32::MAX),
        memory: Bytes(scaled(
            total(&meminfo).saturating_sub(overcommit.memory_reserve.0),
            overcommit.memory,
        )),
        disk_free: Bytes(ext4::free(state)?),
    })
}

fn total(meminfo: &str) -> u64 {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))
        .unwrap_or_default();
    line.split_whitespace()
        .next()
        .and_then(|kib| kib.parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}

fn scaled(amount: u64, factor: f64) -> u64 {
    (amount as f64 * factor) as u64
}
