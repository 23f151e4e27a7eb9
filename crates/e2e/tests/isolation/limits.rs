//! Memory and disk end at the machine's size, and only for that machine.

use std::{fs, time::Duration};

use e2e::{Cluster, Machine, Platform, eventually};

fn pod(cluster: &Cluster<'_>, name: &str, node: &str, line: &str) {
    cluster.apply(&format!(
        r#"
apiVersion: v1
kind: Pod
metadata: {{name: {name}, labels: {{app: {name}}}}}
spec:
  nodeName: {node}
  restartPolicy: Never
  terminationGracePeriodSeconds: 1
  containers:
  - {{name: a, image: "busybox:latest", command: [/bin/sh, -c, "{line}"]}}
"#
    ));
}

fn healthy(cluster: &Cluster<'_>, platform: &Platform, machines: &[Machine]) {
    let now = Machine::all(platform.mark());
    for machine in machines {
        assert!(
            now.iter().any(|m| m.id == machine.id),
            "{} is gone",
            machine.hostname
        );
    }
    cluster.wait_for_phase("RUNNING", Duration::from_secs(90));
}

/// A pod without a limit takes all there is: the kernel ends it, inside.
pub fn memory(cluster: &Cluster<'_>, platform: &Platform) {
    let machines = Machine::all(platform.mark());
    let nodes = cluster.node_names();
    let other = Machine::named(platform.mark(), &nodes[0]);
    pod(cluster, "hog", &nodes[1], "exec tail /dev/zero");
    let pod = eventually("the hog is killed", Duration::from_secs(120), || {
        let pod = cluster.get(&["pod", "hog"])?;
        if pod["status"]["phase"] == "Failed" {
            Ok(pod)
        } else {
            Err(pod["status"].to_string())
        }
    });
    let ended = &pod["status"]["containerStatuses"][0]["state"]["terminated"];
    let evicted = pod["status"]["reason"] == "Evicted";
    assert!(
        evicted || ended["reason"] == "OOMKilled" || ended["exitCode"] == 137,
        "{}",
        pod["status"]
    );
    assert!(other.leader.is_alive(), "the other machine lives");
    healthy(cluster, platform, &machines);
    cluster.kubectl(&["delete", "pod", "hog", "--now"]).ok();
}

pub fn disk(cluster: &Cluster<'_>, platform: &Platform) {
    let machines = Machine::all(platform.mark());
    let nodes = cluster.node_names();
    let free = || {
        let found = rustix::fs::statvfs(platform.dir()).expect("a file system");
        found.f_bavail * found.f_frsize
    };
    let before = free();
    pod(
        cluster,
        "filler",
        &nodes[1],
        "dd if=/dev/zero of=/big bs=1M; echo ended; sleep 3600",
    );
    eventually("the disk is full there", Duration::from_secs(180), || {
        let pod = cluster.get(&["pod", "filler"])?;
        let logs = cluster.kubectl(&["logs", "filler"]);
        let full = logs.stdout.contains("No space left on device") || pod["status"]["reason"] == "Evicted";
        if full {
            Ok(())
        } else {
            Err(format!("{} {}", pod["status"], logs.told()))
        }
    });
    let taken = before.saturating_sub(free());
    assert!(
        taken < 8 << 30,
        "{taken} bytes were taken of the host's disk for a machine of 4 GiB"
    );
    pod(
        cluster,
        "writer",
        &nodes[0],
        "dd if=/dev/zero of=/some bs=1M count=64 && echo written; sleep 3600",
    );
    eventually("the other machine writes", Duration::from_secs(60), || {
        let logs = cluster.kubectl(&["logs", "writer"]).try_ok()?;
        if logs.contains("written") {
            Ok(())
        } else {
            Err(logs)
        }
    });
    fs::write(platform.dir().join("here"), vec![0u8; 1 << 20]).expect("the host writes");
    cluster
        .kubectl(&["delete", "pod", "filler", "writer", "--now", "--ignore-not-found"])
        .ok();
    healthy(cluster, platform, &machines);
}
