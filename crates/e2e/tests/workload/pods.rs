//! Pods: where they run, what they say, and how large they may be.

use std::{collections::BTreeSet, process::Command, time::Duration};

use e2e::{Cluster, Platform, eventually, run};

pub const AGNHOST: &str = "registry.k8s.io/e2e-test-images/agnhost:2.63.0";

/// A cluster that is said to be ready takes a pod, without a wait for what its controllers make a moment later.
pub fn at_once(cluster: &Cluster<'_>) {
    cluster
        .kubectl(&[
            "run",
            "first",
            "--image=busybox:latest",
            "--restart=Never",
            "--",
            "sleep",
            "3600",
        ])
        .ok();
    eventually("the first pod runs", Duration::from_secs(60), || {
        let pod = cluster.get(&["pod", "first"])?;
        if pod["status"]["phase"] == "Running" {
            Ok(())
        } else {
            Err(pod["status"].to_string())
        }
    });
    cluster.kubectl(&["delete", "pod", "first", "--now"]).ok();
}

pub fn capacity(cluster: &Cluster<'_>) {
    let nodes = cluster.get(&["nodes"]).expect("nodes");
    let nodes = nodes["items"].as_array().expect("a list");
    assert_eq!(nodes.len(), 2);
    for node in nodes {
        let capacity = &node["status"]["capacity"];
        assert_eq!(capacity["cpu"], "1", "u1.small has one: {capacity}");
        assert_eq!(capacity["memory"], "2Gi", "u1.small has 2 GiB: {capacity}");
        assert_eq!(
            node["metadata"]["labels"]["node.kubernetes.io/instance-type"],
            "u1.small"
        );
    }
}

/// `image: nginx:latest` is pulled each time, so it comes from inside the VPC.
pub fn spread(cluster: &Cluster<'_>) {
    cluster.apply(
        r#"
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
      containers:
      - name: nginx
        image: nginx:latest
        ports: [{containerPort: 80}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
"#,
    );
    let pods = cluster.wait_for_pods("app=web", 2);
    let nodes: BTreeSet<&str> = pods
        .iter()
        .filter_map(|pod| pod["spec"]["nodeName"].as_str())
        .collect();
    assert_eq!(nodes.len(), 2, "one on each node");
    for pod in &pods {
        assert_eq!(pod["spec"]["containers"][0]["imagePullPolicy"], "Always");
    }
}

/// One pod of agnhost on each node, named `probe-0` and `probe-1`.
pub fn probes(cluster: &Cluster<'_>) {
    for (number, node) in cluster.node_names().iter().enumerate() {
        cluster.apply(&format!(
            r#"
apiVersion: v1
kind: Pod
metadata: {{name: probe-{number}, labels: {{app: probe}}}}
spec:
  nodeName: {node}
  terminationGracePeriodSeconds: 1
  containers:
  - {{name: agnhost, image: "{AGNHOST}", args: [netexec, --http-port=8080]}}
"#
        ));
    }
    cluster.wait_for_pods("app=probe", 2);
}

pub fn logs_and_exec(cluster: &Cluster<'_>) {
    cluster
        .shell("probe-0", "echo said from inside > /proc/1/fd/1")
        .ok();
    eventually("logs show what was said", Duration::from_secs(20), || {
        let logs = cluster.kubectl(&["logs", "probe-0"]).try_ok()?;
        if logs.contains("said from inside") {
            Ok(())
        } else {
            Err(logs)
        }
    });
    assert_eq!(cluster.shell("probe-1", "hostname").ok().trim(), "probe-1");
    let failed = cluster.shell("probe-1", "exit 7");
    assert_eq!(failed.code, Some(7), "{}", failed.told());
}

pub fn too_large(cluster: &Cluster<'_>) {
    cluster.apply(&format!(
        r#"
apiVersion: v1
kind: Pod
metadata: {{name: giant}}
spec:
  containers:
  - {{name: a, image: "{AGNHOST}", args: [pause], resources: {{requests: {{memory: 3Gi}}}}}}
"#
    ));
    eventually(
        "the scheduler says why it does not fit",
        Duration::from_secs(30),
        || {
            let pod = cluster.get(&["pod", "giant"])?;
            let why = pod["status"]["conditions"][0]["message"]
                .as_str()
                .unwrap_or_default();
            let pending = pod["status"]["phase"] == "Pending";
            if pending && why.contains("Insufficient memory") {
                Ok(())
            } else {
                Err(pod["status"].to_string())
            }
        },
    );
    cluster.kubectl(&["delete", "pod", "giant", "--now"]).ok();
}

/// A chart made by `helm create` itself: nginx behind a service.
pub fn helm(cluster: &Cluster<'_>, platform: &Platform) {
    let helm = |words: &[&str]| {
        let mut command = Command::new(&platform.programs().helm);
        command
            .args(words)
            .current_dir(platform.dir())
            .env("HOME", platform.dir());
        command.env("KUBECONFIG", cluster.kubeconfig());
        run(&mut command, Duration::from_secs(120))
    };
    helm(&["create", "shop"]).ok();
    helm(&[
        "install",
        "shop",
        "./shop",
        "--set",
        "image.tag=latest",
        "--wait",
        "--timeout",
        "90s",
    ])
    .ok();
    assert!(helm(&["list"]).ok().contains("deployed"));
    helm(&["uninstall", "shop", "--wait"]).ok();
}
