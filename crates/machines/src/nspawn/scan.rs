//! Looking for anything on the host that carries this instance's mark. No record is read: what was made and forgotten
//! must be found too.

use std::{
    io,
    path::{Path, PathBuf},
};

use ports::scan::{Found, FoundKind};

use super::{
    layout::{machines, nspawn_leftovers, nspawn_name},
    ranges::Ranges,
};
use crate::{
    cgroup::Cgroups,
    error::{Context, Result},
    host::{loopdev, mount_table, process},
};

pub fn scan(state: &Path, instance: &str, cgroups: &Cgroups, ranges: &Ranges) -> Result<Vec<Found>> {
    let mut found = processes(instance, cgroups)?;
    let dir = machines(state);
    for cgroup in cgroups.scan().doing("list", Path::new("/sys/fs/cgroup"))? {
        found.push(item(FoundKind::Cgroup, &cgroup, owner_in(&cgroup)));
    }
    for mount in mount_table::read().doing("read", Path::new("/proc/self/mountinfo"))? {
        if mount.at.starts_with(&dir) {
            found.push(item(FoundKind::Mount, &mount.at, owner_in(&mount.at)));
        }
    }
    for attached in loopdev::list().doing("list", Path::new("/sys/block"))? {
        if attached.file.starts_with(state) {
            found.push(item(
                FoundKind::LoopDevice,
                &attached.device,
                owner_in(&attached.file),
            ));
        }
    }
    for path in entries(&dir)? {
        found.push(item(FoundKind::File, &path, owner_in(&path)));
    }
    for (path, machine) in ranges.scan()? {
        found.push(item(FoundKind::File, &path, machine));
    }
    let mark = nspawn_name(instance, "");
    for dir in nspawn_leftovers() {
        for path in entries(dir)? {
            let name = path
                .file_name()
                .map(|n| n.to_string_lossy().into_owned())
                .unwrap_or_default();
            if let Some(machine) = name.strip_prefix(&mark) {
                found.push(item(FoundKind::File, &path, machine.to_owned()));
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// By their cgroup, or by the name nspawn was called with.
fn processes(instance: &str, cgroups: &Cgroups) -> Result<Vec<Found>> {
    let mark = format!("--machine={}", nspawn_name(instance, ""));
    let mut found = Vec::new();
    for pid in process::all().doing("list", Path::new("/proc"))? {
        if !process::stat(pid).is_some_and(process::Stat::is_alive) {
            continue;
        }
        let words = process::command_line(pid);
        let named = words.iter().find_map(|word| word.strip_prefix(&mark));
        if named.is_some() || cgroups.holds(pid) {
            let owner = named.map_or_else(|| owner_of(pid), str::to_owned);
            found.push(Found {
                what: FoundKind::Process,
                name: pid.to_string(),
                owner,
            });
        }
    }
    Ok(found)
}

fn owner_of(pid: u32) -> String {
    let membership = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    membership
        .lines()
        .map(|line| owner_in(Path::new(line)))
        .find(|owner| !owner.is_empty())
        .unwrap_or_default()
}

/// The id that is a component of the path, alone or inside a unit's or a file's name.
fn owner_in(path: &Path) -> String {
    let id = |part: &str| {
        let stem = part.split('.').next().unwrap_or(part);
        let machine = stem.rfind("-i-").map_or(stem, |at| &stem[at + 1..]);
        let known = machine.parse::<types::MachineId>().is_ok() || machine.parse::<types::VolumeId>().is_ok();
        known.then(|| machine.to_owned())
    };
    path.iter()
        .filter_map(|part| part.to_str())
        .find_map(id)
        .unwrap_or_default()
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>> {
    match std::fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        other => other
            .doing("list", dir)?
            .map(|entry| Ok(entry.doing("list", dir)?.path()))
            .collect(),
    }
}

fn item(what: FoundKind, path: &Path, owner: String) -> Found {
    Found {
        what,
        name: path.display().to_string(),
        owner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_is_found_wherever_its_id_stands() {
        let id = "i-0123456789abcdef";
        for path in [
            format!("/sys/fs/cgroup/pids/plasmacloud-a/{id}"),
            format!("/sys/fs/cgroup/plasmacloud.slice/plasmacloud-a.slice/plasmacloud-a-{id}.scope"),
            format!("/state/machines/{id}/root"),
        ] {
            assert_eq!(owner_in(Path::new(&path)), id, "{path}");
        }
        assert_eq!(
            owner_in(Path::new("/state/volumes/vol-0123456789abcdef.img")),
            "vol-0123456789abcdef"
        );
        assert_eq!(owner_in(Path::new("/state/machines")), "");
    }
}
