//! Things with equal numbers side by side: clusters with the same ranges in one VPC and in two VPCs of one range, and
//! two platforms on one machine. And what belongs to nobody is reported.

mod neighbours {
    pub mod planted;
}

use std::time::Duration;

use e2e::{Cluster, Platform, Stages, eventually};

const SMALL: [&str; 2] = ["--instance-type", "u1.small"];

#[test]
fn equal_numbers_do_not_meet() {
    let platform = Platform::start();
    let mut stages = Stages::new();
    let same = "10.20.0.0/16";
    for vpc in ["lab", "twin"] {
        platform
            .cloud(&["vpc", "create", "--name", vpc, "--cidr", same])
            .ok();
    }
    let one = Cluster::create(&platform, "one", "lab", 1, &SMALL);
    let two = Cluster::create(&platform, "two", "lab", 1, &SMALL);
    let three = Cluster::create(&platform, "three", "twin", 1, &SMALL);
    let clusters = [&one, &two, &three];
    stages.run("each has the default ranges and its own data", || {
        for cluster in clusters {
            let view = cluster.view();
            assert_eq!(view["cluster"]["phase"], "RUNNING");
            cluster
                .kubectl(&[
                    "create",
                    "configmap",
                    "owner",
                    &format!("--from-literal=name={}", cluster.name()),
                ])
                .ok();
        }
        for cluster in clusters {
            let owner = cluster.get(&["configmap", "owner"]).expect("it was made");
            assert_eq!(owner["data"]["name"], cluster.name());
        }
    });
    stages.run("a service of one cluster is served by that cluster", || {
        clusters.iter().for_each(|cluster| serve(cluster));
        for cluster in clusters {
            eventually(
                "the service answers with its own cluster's name",
                Duration::from_secs(60),
                || {
                    let said = cluster
                        .shell("client", "wget -T 3 -q -O - http://who/")
                        .try_ok()?;
                    if said.trim() == cluster.name() {
                        Ok(())
                    } else {
                        Err(said)
                    }
                },
            );
        }
    });
    stages.run("a kubeconfig opens its own cluster only", || {
        let text = std::fs::read_to_string(one.kubeconfig()).expect("a kubeconfig");
        let name = |cluster: &Cluster<'_>| {
            cluster.view()["cluster"]["serverName"]
                .as_str()
                .expect("a name")
                .to_owned()
        };
        let crossed = platform.dir().join("crossed.kubeconfig");
        std::fs::write(&crossed, text.replace(&name(&one), &name(&two))).expect("writable");
        let path = crossed.to_str().expect("plain text");
        let ended = one.kubectl(&["--kubeconfig", path, "get", "namespaces"]);
        assert_ne!(ended.code, Some(0), "{}", ended.told());
    });
    stages.run("two platforms on one machine", || second_platform(&platform));
    stages.run("a delete reports what belongs to nobody", || {
        neighbours::planted::reported(&platform, &two)
    });
    stages.run("the others did not notice", || {
        for cluster in [&one, &three] {
            cluster.wait_for_phase("RUNNING", Duration::from_secs(30));
            let said = cluster.shell("client", "wget -T 3 -q -O - http://who/").ok();
            assert_eq!(said.trim(), cluster.name());
        }
    });
    platform.finish();
    stages.end();
}

/// A web server that says its cluster's name, its service, and a client.
fn serve(cluster: &Cluster<'_>) {
    let name = cluster.name();
    cluster.apply(&format!(
        r#"
apiVersion: v1
kind: Pod
metadata: {{name: who, labels: {{app: who}}}}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - {{name: a, image: "busybox:latest", command: [/bin/sh, -c, "mkdir /w; echo {name} > /w/index.html; exec httpd -f -p 80 -h /w"]}}
---
apiVersion: v1
kind: Service
metadata: {{name: who}}
spec: {{selector: {{app: who}}, ports: [{{port: 80}}]}}
---
apiVersion: v1
kind: Pod
metadata: {{name: client, labels: {{app: client}}}}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - {{name: a, image: "busybox:latest", command: [/bin/sh, -c, "sleep 3600"]}}
"#
    ));
    cluster.wait_for_pods("app in (who,client)", 2);
}

/// The same names and ranges again, on a platform that knows nothing of the first; its teardown touches nothing of it.
fn second_platform(first: &Platform) {
    let second = Platform::start();
    assert_ne!(first.mark(), second.mark());
    second
        .cloud(&["vpc", "create", "--name", "lab", "--cidr", "10.20.0.0/16"])
        .ok();
    let cluster = Cluster::create(&second, "one", "lab", 1, &["--instance-type", "u1.micro"]);
    assert!(
        cluster.get(&["configmap", "owner"]).is_err(),
        "it is another cluster"
    );
    let report = cluster.delete();
    assert!(
        report.contains("nothing left") && !report.contains("nothing known"),
        "{report}"
    );
    let before = e2e::Machine::all(first.mark()).len();
    second.finish();
    assert_eq!(e2e::Machine::all(first.mark()).len(), before);
}
