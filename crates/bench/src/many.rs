//! Ten clusters of one `u1.micro` worker, asked for at once. The bar is the CPU that ten single creations take, spread
//! over the cores.

use std::time::{Duration, Instant};

use e2e::{Cluster, Platform, eventually};

use crate::figures::{Report, host_cpu, seconds};

const TYPE: [&str; 2] = ["--instance-type", "u1.micro"];

/// Ten, or fewer for a try.
pub fn clusters() -> u32 {
    let given = std::env::var("BENCH_CLUSTERS").ok();
    given.and_then(|n| n.parse().ok()).unwrap_or(10)
}

/// One time around: CPU of a single creation, and how long ten took.
struct Round {
    cpu: Duration,
    wall: Duration,
    ratio: f64,
}

/// The clusters of the last round stay.
pub fn measure(platform: &Platform, rounds: usize, report: &mut Report) {
    let cores = std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(1));
    let mut all = Vec::new();
    for n in 0..rounds.max(1) {
        if n > 0 {
            clean_up(platform);
        }
        all.push(round(platform, cores));
    }
    all.sort_by(|one, other| one.ratio.total_cmp(&other.ratio));
    let Round { cpu, wall, ratio } = all.swap_remove(all.len() / 2);
    let count = clusters();
    report.add(
        &format!("{count} clusters of one u1.micro worker at once"),
        format!(
            "{} = {ratio:.2} × ({} of CPU for one × {count} ÷ {cores} cores)",
            seconds(wall),
            seconds(cpu)
        ),
        "≤ 1.3 ×",
        Some(ratio <= 1.3),
    );
}

fn round(platform: &Platform, cores: u32) -> Round {
    let before = host_cpu();
    let single = Cluster::create(platform, "single", "bench", 1, &TYPE);
    let cpu = host_cpu() - before;
    single.delete();
    let fair = cpu * clusters() / cores;
    let began = Instant::now();
    for n in 0..clusters() {
        let name = format!("many{n}");
        let mut words = vec!["k8s", "create", "--name", &name, "--vpc", "bench"];
        words.extend(["--workers", "1", "--no-wait"]);
        words.extend(TYPE);
        platform.cloud(&words).ok();
    }
    wait_until(platform, "all clusters are RUNNING", |phases| {
        phases.iter().filter(|phase| *phase == "RUNNING").count() >= clusters() as usize
    });
    let wall = began.elapsed();
    Round {
        cpu,
        wall,
        ratio: wall.as_secs_f64() / fair.as_secs_f64(),
    }
}

pub fn clean_up(platform: &Platform) {
    for n in 0..clusters() {
        platform
            .cloud(&["k8s", "delete", &format!("many{n}"), "--no-wait"])
            .ok();
    }
    wait_until(platform, "no cluster is left", <[String]>::is_empty);
}

/// Until the phases of all clusters are so.
fn wait_until(platform: &Platform, what: &str, so: impl Fn(&[String]) -> bool) {
    eventually(what, Duration::from_secs(600), || {
        let text = platform.cloud(&["k8s", "list", "-o", "json"]).try_ok()?;
        let list: serde_json::Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let clusters = list["clusters"].as_array();
        let clusters = clusters.ok_or_else(|| format!("not a list: {text}"))?;
        let phases: Vec<String> = clusters
            .iter()
            .map(|item| item["phase"].as_str().unwrap_or_default().to_owned())
            .collect();
        if so(&phases) {
            Ok(())
        } else {
            Err(format!("{phases:?}"))
        }
    });
}
