//! Finding a machine's first process. The record says where to look first; the process itself must carry the mark: the
//! machine's cgroup, the number 1 inside, and the start time that was recorded.

use ports::compute::Leader;

use super::{layout::MachineDir, record};
use crate::{
    cgroup::Cgroups,
    error::{Context, Result},
    host::{identity::UidRange, process},
};

pub fn find(place: &MachineDir, cgroups: &Cgroups) -> Result<Option<Leader>> {
    if let Some(leader) = recorded(place, cgroups) {
        return Ok(Some(leader));
    }
    let pids = cgroups
        .processes(&place.id)
        .doing("list the processes of", &place.dir)?;
    Ok(pids.into_iter().find_map(first_process))
}

fn recorded(place: &MachineDir, cgroups: &Cgroups) -> Option<Leader> {
    let record: record::Record = record::read(&place.record())?;
    let same_boot = record::boot_id().is_ok_and(|boot| boot == record.boot);
    let now = process::stat(record.leader.pid)?;
    let same = same_boot
        && now.start_time == record.leader.start_time
        && now.is_alive()
        && cgroups.holds(record.leader.pid);
    same.then_some(record.leader)
}

/// Number 1 in the namespace directly below ours. Pods have namespaces too, but one deeper.
fn first_process(pid: u32) -> Option<Leader> {
    match process::inner_pids(pid)[..] {
        [_, 1] => {
            let stat = process::stat(pid)?;
            stat.is_alive().then_some(Leader {
                pid,
                start_time: stat.start_time,
            })
        }
        _ => None,
    }
}

/// The ids of a machine that runs, as the kernel has them.
pub fn range_of(leader: Leader) -> Option<UidRange> {
    let map = std::fs::read_to_string(format!("/proc/{}/uid_map", leader.pid)).ok()?;
    let mut numbers = map.split_whitespace().map(str::parse::<u32>);
    match (
        numbers.next()?.ok()?,
        numbers.next()?.ok()?,
        numbers.next()?.ok()?,
    ) {
        (0, base, count) if base != 0 => Some(UidRange { base, count }),
        _ => None,
    }
}
