//! What the platform itself takes with ten clusters at rest, and how quickly it answers.

use std::{
    fs,
    time::{Duration, Instant},
};

use e2e::{Platform, Process};

use crate::figures::{Report, median};

/// How long the platform is watched.
const WATCH: Duration = Duration::from_secs(60);
/// How long it is given to come to rest first.
const REST: Duration = Duration::from_secs(60);

pub fn measure(platform: &Platform, report: &mut Report) {
    let times = (0..20).map(|_| {
        let began = Instant::now();
        platform.cloud(&["k8s", "list"]).ok();
        began.elapsed()
    });
    let list = median(times.collect());
    report.add(
        "`cloud k8s list`, 10 clusters",
        format!("{:.0} ms", list.as_secs_f64() * 1000.0),
        "≤ 50 ms",
        Some(list <= Duration::from_millis(50)),
    );
    wait(REST);
    let own = own_processes(platform);
    let daemon: u64 = own.iter().filter(|p| is(p, "cloudd")).map(pss_kib).sum();
    let all: u64 = own.iter().map(pss_kib).sum();
    let mib = |kib: u64| kib as f64 / 1024.0;
    report.add(
        "PSS of cloudd, 10 clusters",
        format!("{:.0} MiB", mib(daemon)),
        "≤ 64 MiB",
        Some(mib(daemon) <= 64.0),
    );
    report.add(
        "PSS of all processes the platform adds, 10 clusters",
        format!("{:.0} MiB in {} processes", mib(all), own.len()),
        "≤ 128 MiB",
        Some(mib(all) <= 128.0),
    );
    let before: u64 = own.iter().map(cpu_ticks).sum();
    let began = Instant::now();
    wait(WATCH);
    let spent = own_processes(platform)
        .iter()
        .map(cpu_ticks)
        .sum::<u64>()
        .saturating_sub(before);
    let share = spent as f64 / began.elapsed().as_secs_f64();
    report.add(
        "idle CPU of the same",
        format!("{share:.1} % of a core"),
        "≤ 2 %",
        Some(share <= 2.0),
    );
}

#[expect(clippy::disallowed_methods, reason = "a measurement over a stretch of time")]
fn wait(time: Duration) {
    std::thread::sleep(time);
}

fn is(process: &Process, name: &str) -> bool {
    process
        .words()
        .first()
        .is_some_and(|program| program.ends_with(name))
}

/// Our own programs and the containers' monitors of this platform; not what runs inside machines but the supervisor.
fn own_processes(platform: &Platform) -> Vec<Process> {
    let ours = ["/cloudd", "/cloud-edge", "/cloud-keeper", "/systemd-nspawn"];
    let of_this_one = |p: &Process| p.speaks_of(platform.dir()) || p.in_cgroup(platform.mark());
    Process::all()
        .into_iter()
        .filter(|p| ours.iter().any(|name| is(p, name)) && of_this_one(p))
        .collect()
}

fn pss_kib(process: &Process) -> u64 {
    let [pid, ..] = process.numbers()[..] else {
        return 0;
    };
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = text
        .lines()
        .find(|line| line.starts_with("Pss:"))
        .unwrap_or_default();
    line.split_whitespace()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(0)
}

/// User and system time in hundredths of a second.
fn cpu_ticks(process: &Process) -> u64 {
    let [pid, ..] = process.numbers()[..] else {
        return 0;
    };
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|n| n.parse::<u64>().ok())
        .sum()
}
