//! What everything in some cgroups takes over a stretch of time. CPU is the cgroups' own account, which misses nothing
//! that came and went; the parts of it by program are the processes' accounts.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use e2e::Process;

use crate::proc::{cpu_ticks, name, pss_kib};

/// Between two looks at the memory.
const LOOK: Duration = Duration::from_secs(30);

pub struct Weight {
    pub pss_mib: f64,
    /// Of one core.
    pub cpu_percent: f64,
    /// By program: MiB and percent.
    pub parts: BTreeMap<String, (f64, f64)>,
}

/// Of what is in the cgroups of these names, but for processes that `left_out` names.
pub fn weigh(cgroups: &[&str], left_out: impl Fn(&Process) -> bool, time: Duration) -> Weight {
    let inside = || -> Vec<Process> {
        let all = Process::all().into_iter();
        all.filter(|p| cgroups.iter().any(|cgroup| p.in_cgroup(cgroup)) && !left_out(p))
            .collect()
    };
    let accounts: Vec<Account> = cgroups
        .iter()
        .map(|cgroup| Account::of(cgroup, &inside()))
        .collect();
    let spent = || accounts.iter().map(Account::seconds).sum::<f64>();
    let (before, began) = (spent(), Instant::now());
    let ticks: Vec<(Process, u64)> = inside().into_iter().map(|p| (p, cpu_ticks(&p))).collect();
    let mut looks = 0.0;
    let mut parts: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    loop {
        for process in inside() {
            parts.entry(name(&process)).or_default().0 += pss_kib(&process) as f64 / 1024.0;
        }
        looks += 1.0;
        let left = time.saturating_sub(began.elapsed());
        if left.is_zero() {
            break;
        }
        wait(left.min(LOOK));
    }
    let elapsed = began.elapsed().as_secs_f64();
    let cpu_percent = (spent() - before) / elapsed * 100.0;
    for process in inside() {
        let earlier = ticks.iter().find(|(p, _)| *p == process).map_or(0, |(_, t)| *t);
        let more = cpu_ticks(&process).saturating_sub(earlier);
        parts.entry(name(&process)).or_default().1 += more as f64 / elapsed;
    }
    for part in parts.values_mut() {
        part.0 /= looks;
    }
    Weight {
        pss_mib: parts.values().map(|part| part.0).sum(),
        cpu_percent,
        parts,
    }
}

#[expect(clippy::disallowed_methods, reason = "a measurement over a stretch of time")]
pub fn wait(time: Duration) {
    std::thread::sleep(time);
}

/// Seconds from the environment, for a quick try; a figure counts with the default only.
pub fn seconds_of(variable: &str, default: u64) -> Duration {
    let given = std::env::var(variable).ok().and_then(|n| n.parse().ok());
    Duration::from_secs(given.unwrap_or(default))
}

/// Where the kernel writes down what a cgroup has computed.
enum Account {
    /// In nanoseconds.
    V1(PathBuf),
    V2(PathBuf),
}

impl Account {
    fn of(cgroup: &str, processes: &[Process]) -> Self {
        let found = processes.iter().find_map(|p| account(p, cgroup));
        found.unwrap_or_else(|| panic!("no process in {cgroup}, or no account of its CPU"))
    }

    fn seconds(&self) -> f64 {
        let number = |text: &str| text.trim().parse::<f64>().unwrap_or(0.0);
        match self {
            Self::V1(file) => number(&fs::read_to_string(file).unwrap_or_default()) / 1e9,
            Self::V2(file) => {
                let text = fs::read_to_string(file).unwrap_or_default();
                let line = text.lines().find_map(|line| line.strip_prefix("usage_usec "));
                number(line.unwrap_or_default()) / 1e6
            }
        }
    }
}

/// From `/proc/<pid>/cgroup`: `3:cpu,cpuacct:/a/b` or, where there is one hierarchy only, `0::/a/b`.
fn account(process: &Process, cgroup: &str) -> Option<Account> {
    let text = fs::read_to_string(format!("/proc/{}/cgroup", process.pid)).ok()?;
    let mounts = fs::read_to_string("/proc/mounts").ok()?;
    let mount = |kind: &str, option: &str| {
        mounts.lines().find_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [_, at, found, options, ..] = fields[..] else {
                return None;
            };
            let has = option.is_empty() || options.split(',').any(|o| o == option);
            (found == kind && has).then(|| PathBuf::from(at))
        })
    };
    let (at, v1) = match mount("cgroup", "cpuacct") {
        Some(at) => (at, true),
        None => (mount("cgroup2", "")?, false),
    };
    let path = text.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let wanted = if v1 {
            controllers.split(',').any(|c| c == "cpuacct")
        } else {
            controllers.is_empty()
        };
        wanted.then(|| path.to_owned())
    })?;
    let dir = up_to(&at.join(path.trim_start_matches('/')), cgroup)?;
    Some(if v1 {
        Account::V1(dir.join("cpuacct.usage"))
    } else {
        Account::V2(dir.join("cpu.stat"))
    })
}

/// The part of a path that ends with the component of that name.
fn up_to(path: &Path, name: &str) -> Option<PathBuf> {
    let named = |part: &Path| {
        let last = part.file_name()?.to_str()?;
        (last == name || last.starts_with(&format!("{name}."))).then(|| part.to_owned())
    };
    path.ancestors().find_map(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machines_account_is_that_of_its_cgroup_not_of_one_below() {
        let path = Path::new("/sys/fs/cgroup/cpuacct/plasmacloud-x/i-1/init.scope");
        let found = up_to(path, "i-1").unwrap();
        assert_eq!(found, Path::new("/sys/fs/cgroup/cpuacct/plasmacloud-x/i-1"));
        assert_eq!(up_to(path, "i-2"), None);
    }
}
