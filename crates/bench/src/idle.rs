//! What the platform itself takes with ten clusters at rest, and how quickly it answers.

use std::time::{Duration, Instant};

use e2e::{Platform, Process};

use crate::{
    figures::{Report, median},
    many,
    proc::{cpu_ticks, name, pss_kib},
    weight::{seconds_of, wait},
};

pub fn measure(platform: &Platform, report: &mut Report) {
    let count = many::clusters();
    let times = (0..20).map(|_| {
        let began = Instant::now();
        platform.cloud(&["k8s", "list"]).ok();
        began.elapsed()
    });
    let list = median(times.collect());
    report.add(
        &format!("`cloud k8s list`, {count} clusters"),
        format!("{:.0} ms", list.as_secs_f64() * 1000.0),
        "≤ 50 ms",
        Some(list <= Duration::from_millis(50)),
    );
    wait(seconds_of("BENCH_PLATFORM_SETTLE_S", 60));
    let own = own_processes(platform);
    let daemon: u64 = own.iter().filter(|p| name(p) == "cloudd").map(pss_kib).sum();
    let all: u64 = own.iter().map(pss_kib).sum();
    let mib = |kib: u64| kib as f64 / 1024.0;
    report.add(
        &format!("PSS of cloudd, {count} clusters"),
        format!("{:.0} MiB", mib(daemon)),
        "≤ 64 MiB",
        Some(mib(daemon) <= 64.0),
    );
    report.add(
        &format!("PSS of all processes the platform adds, {count} clusters"),
        format!("{:.0} MiB in {} processes", mib(all), own.len()),
        "≤ 128 MiB",
        Some(mib(all) <= 128.0),
    );
    let before: u64 = own.iter().map(cpu_ticks).sum();
    let began = Instant::now();
    wait(seconds_of("BENCH_PLATFORM_IDLE_S", 60));
    let spent = own_processes(platform)
        .iter()
        .map(cpu_ticks)
        .sum::<u64>()
        .saturating_sub(before);
    let share = spent as f64 / began.elapsed().as_secs_f64();
    report.add(
        "idle CPU of the same, and of the programs they call",
        format!("{share:.1} % of a core"),
        "≤ 2 %",
        Some(share <= 2.0),
    );
}

/// Our own programs and the containers' monitors of this platform; not what runs inside machines but the supervisor.
fn own_processes(platform: &Platform) -> Vec<Process> {
    let ours = ["cloudd", "cloud-edge", "cloud-keeper", "systemd-nspawn"];
    let machines = format!("plasmacloud-{}", platform.mark());
    let of_this_one = |p: &Process| p.speaks_of(platform.dir()) || p.in_cgroup(&machines);
    Process::all()
        .into_iter()
        .filter(|p| ours.contains(&name(p).as_str()) && of_this_one(p))
        .collect()
}
