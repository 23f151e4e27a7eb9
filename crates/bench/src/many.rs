//! Ten clusters of one `u1.micro` worker, asked for at once. The bar is the CPU that ten single creations take, spread
//! over the cores.

use std::time::{Duration, Instant};

use e2e::{Cluster, Platform, eventually};

use crate::figures::{Report, host_cpu, seconds};

const CLUSTERS: u32 = 10;
const TYPE: [&str; 2] = ["--instance-type", "u1.micro"];

fn name(n: u32) -> String {
    format!("many{n}")
}

pub fn measure(platform: &Platform, report: &mut Report) {
    let before = host_cpu();
    let single = Cluster::create(platform, "single", "bench", 1, &TYPE);
    let cpu = host_cpu() - before;
    single.delete();
    let cores = std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(1));
    let fair = cpu * CLUSTERS / cores;
    let began = Instant::now();
    for n in 0..CLUSTERS {
        let name = name(n);
        let mut words = vec![
            "k8s",
            "create",
            "--name",
            &name,
            "--vpc",
            "bench",
            "--workers",
            "1",
            "--no-wait",
        ];
        words.extend(TYPE);
        platform.cloud(&words).ok();
    }
    eventually("all clusters RUNNING", Duration::from_secs(600), || {
        let all = platform.cloud(&["k8s", "list", "-o", "json"]).try_ok()?;
        let running = all.matches("\"RUNNING\"").count();
        if running >= CLUSTERS as usize {
            Ok(())
        } else {
            Err(format!("{running} are RUNNING"))
        }
    });
    let wall = began.elapsed();
    let ratio = wall.as_secs_f64() / fair.as_secs_f64();
    report.add(
        "10 clusters of one u1.micro worker at once",
        format!(
            "{} = {ratio:.2} × ({} of CPU for one × 10 ÷ {cores} cores)",
            seconds(wall),
            seconds(cpu)
        ),
        "≤ 1.3 ×",
        Some(ratio <= 1.3),
    );
}

pub fn clean_up(platform: &Platform) {
    for n in 0..CLUSTERS {
        Cluster::open(platform, &name(n)).delete();
    }
}
