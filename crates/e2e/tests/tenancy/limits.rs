//! What runs in the namespace, and how much of it.

use std::time::Duration;

use e2e::eventually;

use super::person::Place;

const PRIVILEGED: &str = r#"
apiVersion: v1
kind: Pod
metadata: {name: mighty}
spec:
  containers:
  - {name: a, image: "busybox:latest", command: [sleep, "3600"], securityContext: {privileged: true}}
"#;
const HOST_PATH: &str = r#"
apiVersion: v1
kind: Pod
metadata: {name: nosy}
spec:
  containers:
  - {name: a, image: "busybox:latest", command: [sleep, "3600"], volumeMounts: [{name: h, mountPath: /h}]}
  volumes: [{name: h, hostPath: {path: /}}]
"#;

pub fn pod_security(place: &Place<'_>) {
    for who in [place.holder("admin"), place.holder("member"), place.org_admin()] {
        for pod in [PRIVILEGED, HOST_PATH] {
            let ended = who.kubectl_with(&["create", "-f", "-"], pod);
            assert!(ended.code != Some(0), "{}", ended.told());
            assert!(
                ended.stderr.contains("violates PodSecurity \"baseline"),
                "{}",
                ended.told()
            );
        }
    }
    let member = place.holder("member");
    let run = [
        "run",
        "plain",
        "--image=busybox:latest",
        "--restart=Never",
        "--",
        "sleep",
        "3600",
    ];
    member.kubectl(&run).ok();
    eventually("an ordinary pod runs", Duration::from_secs(60), || {
        let pod = place.get("pod", "plain")?;
        if pod["status"]["phase"] == "Running" {
            Ok(())
        } else {
            Err(pod["status"].to_string())
        }
    });
    let pod = place.get("pod", "plain").expect("it");
    let resources = &pod["spec"]["containers"][0]["resources"];
    assert_eq!(resources["limits"]["memory"], "512Mi", "{resources}");
    place.holder("viewer").kubectl(&["logs", "plain"]).ok();
    place.holder("viewer").is_forbidden(&["delete", "pod", "plain"]);
    member.kubectl(&["delete", "pod", "plain", "--now"]).ok();
}

pub fn quotas(place: &Place<'_>) {
    let member = place.holder("member");
    let over = |words: &[&str], quota: &str| {
        let ended = member.kubectl(words);
        assert!(ended.code != Some(0), "{}", ended.told());
        let told = ended.stderr.contains("exceeded quota") && ended.stderr.contains(quota);
        assert!(told, "{}", ended.told());
    };
    for number in 0..5 {
        let name = format!("lb{number}");
        member
            .kubectl(&["create", "service", "loadbalancer", &name, "--tcp=80"])
            .ok();
    }
    over(
        &["create", "service", "loadbalancer", "lb5", "--tcp=80"],
        "project-object-quota",
    );
    for number in 0..5 {
        member
            .kubectl(&["delete", "service", &format!("lb{number}")])
            .ok();
    }
    let greedy = r#"{"spec": {"containers": [{"name": "greedy", "image": "busybox:latest", "resources":
        {"requests": {"cpu": "11"}, "limits": {"cpu": "11"}}}]}}"#;
    let overrides = format!("--overrides={greedy}");
    over(
        &["run", "greedy", "--image=busybox:latest", &overrides],
        "project-compute-quota",
    );
}
