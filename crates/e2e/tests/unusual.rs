//! Names and ranges at their limits, and creates that are cancelled, repeated or many at once.

use std::time::{Duration, Instant};

use e2e::{Cluster, Machine, Platform, Stages, eventually};

const LONG: Duration = Duration::from_secs(180);

#[test]
fn unusual_wishes_are_met() {
    let platform = Platform::start();
    let mut stages = Stages::new();
    stages.run("the longest name, the smallest VPC, other ranges", || {
        limits(&platform)
    });
    platform
        .cloud(&["vpc", "create", "--name", "lab", "--cidr", "192.168.0.0/16"])
        .ok();
    stages.run("a create is cancelled at any moment", || cancelled(&platform));
    stages.run("several at once", || at_once(&platform));
    platform.finish();
    stages.end();
}

/// As long as a name may be, in a VPC of a few addresses, with ranges nobody else uses.
fn limits(platform: &Platform) {
    let name = format!("a{}9", "-0".repeat(19));
    assert_eq!(name.len(), 40);
    platform
        .cloud(&["vpc", "create", "--name", &name, "--cidr", "172.30.255.192/26"])
        .ok();
    let ranges = [
        "--pods-cidr",
        "198.18.0.0/20",
        "--services-cidr",
        "203.0.113.0/24",
        "--instance-type",
        "u1.small",
    ];
    let cluster = Cluster::create(platform, &name, &name, 2, &ranges);
    for node in cluster.get(&["nodes"]).expect("nodes")["items"]
        .as_array()
        .expect("a list")
    {
        let address = node["status"]["addresses"][0]["address"]
            .as_str()
            .expect("an address");
        assert!(address.starts_with("172.30.255.2"), "{address}");
        let pods = node["spec"]["podCIDR"].as_str().expect("a range");
        assert!(pods.starts_with("198.18."), "{pods}");
    }
    cluster.apply(
        r#"
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: who}
spec:
  selector: {matchLabels: {app: who}}
  template:
    metadata: {labels: {app: who}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - {name: a, image: "busybox:latest", command: [/bin/sh, -c, "mkdir /w; hostname > /w/index.html; exec httpd -f -p 80 -h /w"]}
---
apiVersion: v1
kind: Service
metadata: {name: who}
spec: {selector: {app: who}, ports: [{port: 80}]}
"#,
    );
    let pods = cluster.wait_for_pods("app=who", 2);
    let service = cluster.get(&["service", "who"]).expect("a service");
    assert!(
        service["spec"]["clusterIP"]
            .as_str()
            .is_some_and(|ip| ip.starts_with("203.0.113.")),
        "{service}"
    );
    for client in &pods {
        let client = client["metadata"]["name"].as_str().expect("a name");
        for server in &pods {
            let address = server["status"]["podIP"].as_str().expect("an address");
            cluster
                .shell(client, &format!("wget -T 3 -q -O - http://{address}/"))
                .ok();
        }
        eventually("the service answers by name", Duration::from_secs(30), || {
            cluster
                .shell(client, "wget -T 3 -q -O - http://who.default.svc.cluster.local/")
                .try_ok()
        });
    }
    cluster.delete();
    platform.cloud(&["vpc", "delete", &name]).ok();
}

/// A delete takes the place of a create that is under way; the name is free again, and the next create succeeds.
fn cancelled(platform: &Platform) {
    let words = [
        "k8s",
        "create",
        "--name",
        "brief",
        "--vpc",
        "lab",
        "--workers",
        "1",
        "--instance-type",
        "u1.micro",
        "--no-wait",
    ];
    for machines in [0, 1, 2] {
        let id = platform.cloud(&words).ok().trim().to_owned();
        let start = Instant::now();
        eventually("the create is on its way", LONG, || {
            let running = Machine::all(platform.mark()).len();
            if running >= machines {
                Ok(())
            } else {
                Err(format!("{running} machines run"))
            }
        });
        let report = platform.cloud(&["k8s", "delete", "brief"]).ok();
        assert!(
            report.contains("nothing left") && !report.contains("nothing known"),
            "{report}"
        );
        eprintln!(
            "  cancelled with {machines} machines, {:.1} s in all",
            start.elapsed().as_secs_f64()
        );
        assert_eq!(Machine::all(platform.mark()).len(), 0);
        let operation = platform.cloud(&["operation", "get", &id, "-o", "json"]).json();
        assert!(
            matches!(operation["state"].as_str(), Some("superseded" | "succeeded")),
            "{operation}"
        );
    }
    let cluster = Cluster::create(platform, "brief", "lab", 1, &["--instance-type", "u1.micro"]);
    cluster.delete();
}

fn at_once(platform: &Platform) {
    let names = ["first", "second", "third"];
    for name in names {
        let words = [
            "k8s",
            "create",
            "--name",
            name,
            "--vpc",
            "lab",
            "--workers",
            "1",
            "--instance-type",
            "u1.micro",
            "--no-wait",
        ];
        platform.cloud(&words).ok();
    }
    // The name is taken from the moment it was accepted.
    assert_eq!(
        platform
            .cloud(&["k8s", "create", "--name", "first", "--vpc", "lab"])
            .code,
        Some(4)
    );
    for name in names {
        eventually(&format!("{name} is RUNNING"), LONG, || {
            let view = platform.cloud(&["k8s", "get", name, "-o", "json"]).json();
            let phase = view["cluster"]["phase"].to_string();
            if phase.contains("RUNNING") {
                Ok(())
            } else {
                Err(format!("{phase} {}", view["cluster"]["reason"]))
            }
        });
    }
    for name in names {
        platform.cloud(&["k8s", "delete", name, "--no-wait"]).ok();
    }
    eventually("all are gone", LONG, || {
        let list = platform.cloud(&["k8s", "list", "-o", "json"]).json();
        if list["clusters"].as_array().is_some_and(Vec::is_empty) {
            Ok(())
        } else {
            Err(list.to_string())
        }
    });
    assert_eq!(Machine::all(platform.mark()).len(), 0);
}
