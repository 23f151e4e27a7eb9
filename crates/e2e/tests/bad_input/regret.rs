//! A creation that its owner thinks better of, twice.

use std::time::Duration;

use e2e::{Platform, eventually};

use super::super::refused;

pub fn cancelled(platform: &Platform) {
    let create = [
        "k8s",
        "create",
        "--name",
        "regret",
        "--vpc",
        "lab",
        "--workers",
        "1",
        "--no-wait",
    ];
    let operation = platform.cloud(&create).ok();
    let told = platform.cloud(&["operation", "cancel", operation.trim()]).ok();
    assert!(told.contains("cloud k8s retry regret"), "{told}");
    wait_for(platform, "FAILED");
    let shown = platform.cloud(&["k8s", "get", "regret"]).ok();
    assert!(shown.contains("cancelled"), "{shown}");
    refused(
        platform.cloud(&["operation", "cancel", "op-0000000000000000"]),
        3,
        "operation-not-found",
        &[],
    );

    let told = platform.cloud(&["k8s", "retry", "regret"]).ok();
    assert!(told.contains("ready"), "{told}");
    wait_for(platform, "RUNNING");
    refused(
        platform.cloud(&["k8s", "retry", "regret"]),
        4,
        "nothing-to-retry",
        &["RUNNING"],
    );
    platform.cloud(&["k8s", "delete", "regret"]).ok();
}

fn wait_for(platform: &Platform, phase: &str) {
    eventually("the cluster's phase", Duration::from_secs(60), || {
        let shown = platform.cloud(&["k8s", "get", "regret", "-o", "json"]).json();
        let seen = shown["cluster"]["phase"].clone();
        if seen == phase {
            Ok(())
        } else {
            Err(format!("{seen}, not {phase}"))
        }
    });
}
