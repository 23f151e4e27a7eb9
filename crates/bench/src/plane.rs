//! A hosted control plane: from the accepted request to `/readyz`.

use std::time::{Duration, Instant};

use e2e::{Cluster, Platform};

use crate::{
    bare::pause,
    figures::{Report, median, ratio, seconds},
};

pub fn measure(platform: &Platform, rounds: usize, bare: Duration, report: &mut Report) {
    let mut times = Vec::new();
    for round in 0..rounds {
        let name = format!("plane{round}");
        let create = [
            "k8s",
            "create",
            "--name",
            &name,
            "--vpc",
            "bench",
            "--workers",
            "0",
            "--no-wait",
        ];
        platform.cloud(&create).ok();
        let began = Instant::now();
        times.push(ready(platform, &name, began));
        Cluster::open(platform, &name).delete();
    }
    let ours = median(times);
    let ratio = ratio(ours, bare);
    report.add(
        "hosted control plane: accepted → /readyz",
        format!("{} = {ratio:.2} × bare ({})", seconds(ours), seconds(bare)),
        "≤ 1.5 × bare",
        Some(ratio <= 1.5),
    );
}

fn ready(platform: &Platform, name: &str, began: Instant) -> Duration {
    // The kubeconfig is there as soon as the keys are.
    while platform.cloud(&["k8s", "kubeconfig", name]).try_ok().is_err() {
        assert!(began.elapsed() < Duration::from_secs(120), "{name} got no keys");
        pause();
    }
    let cluster = Cluster::open(platform, name);
    loop {
        if cluster
            .kubectl(&["get", "--raw", "/readyz"])
            .try_ok()
            .is_ok_and(|answer| answer.trim() == "ok")
        {
            return began.elapsed();
        }
        assert!(
            began.elapsed() < Duration::from_secs(120),
            "{name} did not become ready"
        );
        pause();
    }
}
