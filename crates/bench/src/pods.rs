//! A pod: from its creation to Running, its image present on the node. Times are Kubernetes' own, to the second, so the
//! clock here is ours around a watch.

use std::time::{Duration, Instant};

use e2e::{Cluster, Platform};

use crate::figures::{Report, median, seconds};

const IMAGE: &str = "registry.k8s.io/pause:3.10.2";

pub fn measure(platform: &Platform, rounds: usize, report: &mut Report) {
    let cluster = Cluster::create(platform, "pods", "bench", 1, &["--instance-type", "u1.small"]);
    let run = |name: &str| {
        let image = format!("--image={IMAGE}");
        cluster
            .kubectl(&["run", name, &image, "--image-pull-policy=IfNotPresent"])
            .ok();
        let began = Instant::now();
        let wanted = "--for=jsonpath={.status.phase}=Running";
        cluster
            .kubectl(&["wait", wanted, &format!("pod/{name}"), "--timeout=60s"])
            .ok();
        began.elapsed()
    };
    // The service account of a new cluster takes a moment; the first pod is not counted.
    e2e::eventually("the default service account", Duration::from_secs(60), || {
        cluster.get(&["serviceaccount", "default"]).map(|_| ())
    });
    run("warm");
    let ours = median((0..rounds.max(5)).map(|n| run(&format!("pod{n}"))).collect());
    report.add(
        "pod created → Running, image present",
        seconds(ours),
        "≤ 1 s",
        Some(ours <= Duration::from_secs(1)),
    );
    cluster.delete();
}
