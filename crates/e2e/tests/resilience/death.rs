//! One thing is killed.

use std::time::Duration;

use e2e::{Cluster, Machine, Platform, eventually};
use rustix::process::Signal;

use super::power::still_remembered;

/// The bar of the platform: back by itself within a minute.
const MINUTE: Duration = Duration::from_secs(60);

pub fn worker(cluster: &Cluster<'_>, platform: &Platform) {
    let node = cluster.node_names().remove(0);
    let machine = Machine::named(platform.mark(), &node);
    machine.kill();
    let reason = cluster.wait_for_phase("DEGRADED", Duration::from_secs(30));
    assert!(!reason.is_empty(), "a cluster that is DEGRADED says why");
    cluster.wait_for_phase("RUNNING", MINUTE);
    let again = Machine::named(platform.mark(), &node);
    assert_ne!(again.leader, machine.leader);
    assert_eq!(cluster.node_names(), [node], "no node was added or lost");
    pods_run(cluster, "after-worker");
}

/// Its supervisor is inside the machine and needs no platform.
pub fn component(cluster: &Cluster<'_>, program: &str) {
    let plane = cluster.plane();
    let before = plane.process(program);
    before.signal(Signal::KILL);
    eventually("another process runs", MINUTE, || {
        let now = plane.process(program);
        if now != before && now.is_alive() {
            Ok(())
        } else {
            Err(format!("{now:?}"))
        }
    });
    eventually("the API answers", MINUTE, || {
        cluster.kubectl(&["get", "--raw", "/readyz"]).try_ok()
    });
    assert_eq!(
        cluster.plane().leader,
        plane.leader,
        "the machine was not started again"
    );
    still_remembered(cluster);
    cluster.wait_for_phase("RUNNING", MINUTE);
}

pub fn plane(cluster: &Cluster<'_>) {
    let plane = cluster.plane();
    plane.kill();
    let reason = cluster.wait_for_phase("DEGRADED", Duration::from_secs(30));
    assert!(!reason.is_empty(), "a cluster that is DEGRADED says why");
    cluster.wait_for_phase("RUNNING", MINUTE);
    assert_ne!(cluster.plane().leader, plane.leader);
    still_remembered(cluster);
    pods_run(cluster, "after-plane");
}

/// A new pod is scheduled, started and reached through the API.
pub fn pods_run(cluster: &Cluster<'_>, name: &str) {
    cluster.apply(&format!(
        r#"
apiVersion: v1
kind: Pod
metadata: {{name: {name}, labels: {{app: {name}}}}}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - {{name: a, image: "busybox:latest", command: [/bin/sh, -c, "echo begun; sleep 3600"]}}
"#
    ));
    cluster.wait_for_pods(&format!("app={name}"), 1);
    eventually("its logs are read", Duration::from_secs(30), || {
        let logs = cluster.kubectl(&["logs", name]).try_ok()?;
        if logs.contains("begun") { Ok(()) } else { Err(logs) }
    });
}

pub fn delete_with_the_api_dead(cluster: &Cluster<'_>, platform: &Platform) {
    let plane = cluster.plane();
    // It comes back by itself, so it is killed as the delete begins and cannot be asked anything.
    plane.kill();
    let report = cluster.delete();
    assert!(report.contains("found nothing left"), "{report}");
    assert!(!report.contains("belong to nothing known"), "{report}");
    assert_eq!(platform.cloud(&["k8s", "get", cluster.name()]).code, Some(3));
    platform.cloud(&["vpc", "delete", "lab"]).ok();
}

/// The supervisor inside the machine does not ask the platform. Connections through the API server break with it, so
/// this is the scheduler.
pub fn component_without_cloudd(cluster: &Cluster<'_>) {
    let plane = cluster.plane();
    let before = plane.process("kube-scheduler");
    before.signal(Signal::KILL);
    eventually("the scheduler is started again", MINUTE, || {
        let now = plane.process("kube-scheduler");
        if now != before {
            Ok(())
        } else {
            Err(format!("{now:?}"))
        }
    });
}
