//! The processes of a machine, its supervisor included. Below systemd the supervisor is on its way into the machine's
//! cgroup for a moment after its start; then it is known by the name it was given only.

use std::path::Path;

use super::layout::MachineDir;
use crate::{
    cgroup::Cgroups,
    error::{Context, Result},
    host::process,
};

/// What a supervisor is started as: itself, or by systemd's tool that becomes it.
const SUPERVISORS: [&str; 2] = ["systemd-nspawn", "systemd-run"];

/// Everything alive that belongs to the machine: numbers with start times.
pub fn members(place: &MachineDir, cgroups: &Cgroups) -> Result<Vec<(u32, u64)>> {
    let mut pids = cgroups
        .processes(&place.id)
        .doing("list the processes of", &place.dir)?;
    pids.extend(supervisors(place)?);
    pids.sort_unstable();
    pids.dedup();
    let alive = |pid: u32| process::stat(pid).filter(|stat| stat.is_alive());
    Ok(pids
        .into_iter()
        .filter_map(|pid| Some((pid, alive(pid)?.start_time)))
        .collect())
}

/// One that is there without its machine is about to start it, or about to end.
pub fn supervisors(place: &MachineDir) -> Result<Vec<u32>> {
    let mark = format!("--machine={}", place.nspawn_name);
    let is_supervisor = |pid: &u32| {
        let words = process::command_line(*pid);
        let program = words
            .first()
            .and_then(|word| Path::new(word).file_name()?.to_str());
        program.is_some_and(|program| SUPERVISORS.contains(&program)) && words.contains(&mark)
    };
    let mut pids = process::all().doing("list", Path::new("/proc"))?;
    pids.retain(|pid| is_supervisor(pid) && process::stat(*pid).is_some_and(process::Stat::is_alive));
    Ok(pids)
}
