//! A whole cluster: from the request to two ready workers, image and bundle warm.

use std::time::{Duration, Instant};

use e2e::{Cluster, Platform};

use crate::figures::{Report, median, ratio, seconds};

pub fn measure(platform: &Platform, rounds: usize, bare: Duration, report: &mut Report) {
    let mut times = Vec::new();
    for round in 0..rounds {
        let name = format!("pair{round}");
        let began = Instant::now();
        let cluster = Cluster::create(platform, &name, "bench", 2, &["--instance-type", "u1.small"]);
        times.push(began.elapsed());
        cluster.delete();
    }
    let ours = median(times);
    report.add(
        "create → 2 workers Ready",
        format!("{} = {:.2} × bare start", seconds(ours), ratio(ours, bare)),
        "≤ 15 s",
        Some(ours <= Duration::from_secs(15)),
    );
}
