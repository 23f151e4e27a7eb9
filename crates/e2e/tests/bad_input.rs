//! What cannot be done is refused with a code, a cause and a remedy, ends with the exit code that says which kind of
//! refusal it is, and changes nothing.

mod bad_input {
    pub mod daemon;
    pub mod disk;
    pub mod regret;
}

use e2e::{Cluster, Ended, Platform, Stages};
use serde_json::Value;

/// `error[code]: cause` and `help: remedy`.
#[track_caller]
fn refused(ended: Ended, exit: i32, code: &str, words: &[&str]) {
    assert_eq!(ended.code, Some(exit), "{}", ended.told());
    assert!(
        ended.stderr.contains(&format!("error[{code}]: ")),
        "not {code}: {}",
        ended.told()
    );
    let help = ended.stderr.split("help: ").nth(1).unwrap_or_default().trim();
    assert!(!help.is_empty(), "no remedy: {}", ended.told());
    for word in words {
        assert!(
            ended.stderr.contains(word),
            "'{word}' is not said: {}",
            ended.told()
        );
    }
}

/// All that a user could see changed.
fn everything(platform: &Platform) -> Vec<Value> {
    let lists = [
        ["vpc", "list"],
        ["k8s", "list"],
        ["instance", "list"],
        ["operation", "list"],
    ];
    lists
        .iter()
        .map(|words| platform.cloud(&[words[0], words[1], "-o", "json"]).json())
        .collect()
}

#[test]
fn what_cannot_be_done_is_refused_and_changes_nothing() {
    let platform = Platform::start();
    let mut stages = Stages::new();
    platform
        .cloud(&["vpc", "create", "--name", "lab", "--cidr", "10.20.0.0/16"])
        .ok();
    let cluster = Cluster::create(&platform, "dev", "lab", 0, &[]);
    let before = everything(&platform);
    stages.run("networks", || networks(&platform));
    stages.run("clusters", || clusters(&platform));
    stages.run("files", || files(&platform));
    stages.run("what is not there", || absent(&platform));
    stages.run("nothing changed", || assert_eq!(everything(&platform), before));
    stages.run("a VPC in use stays", || {
        refused(
            platform.cloud(&["vpc", "delete", "lab"]),
            4,
            "vpc-in-use",
            &["dev"],
        );
        assert_eq!(everything(&platform), before);
        cluster.kubectl(&["get", "namespaces"]).ok();
    });
    stages.run("a creation is cancelled, and taken up again", || {
        bad_input::regret::cancelled(&platform)
    });
    stages.run(
        "a host without room on its disk, its port in use",
        bad_input::disk::full,
    );
    stages.run("a platform that is not there", || {
        bad_input::daemon::unreachable(&platform)
    });
    stages.run("a second daemon on the same state", || {
        bad_input::daemon::second(&platform)
    });
    stages.run("a port in use", || bad_input::daemon::port_in_use(&platform));
    stages.run("unusable settings", || bad_input::daemon::settings(&platform));
    stages.run("a damaged database", || bad_input::daemon::damaged(&platform));
    platform.finish();
    stages.end();
}

fn networks(platform: &Platform) {
    let create = |name: &str, cidr: &str| platform.cloud(&["vpc", "create", "--name", name, "--cidr", cidr]);
    refused(create("lab", "10.30.0.0/16"), 4, "name-taken", &["lab"]);
    for bad in [
        "10.20.0.0",
        "10.20.0.0/33",
        "300.1.1.0/24",
        "lab",
        "10.20.0.1/16",
        "fd00::/48",
        "0.0.0.0/0",
    ] {
        let ended = create("other", bad);
        assert!(matches!(ended.code, Some(2 | 4)), "{}", ended.told());
        assert!(
            ended.stderr.contains("error[") && ended.stderr.contains("help: "),
            "{}",
            ended.told()
        );
    }
    for bad in ["", "Lab", "a b", "-lab", "a/b", "läb", &"x".repeat(80)] {
        let ended = create(bad, "10.30.0.0/16");
        assert_eq!(ended.code, Some(2), "{}", ended.told());
        assert!(ended.stderr.contains("error["), "{}", ended.told());
    }
}

fn clusters(platform: &Platform) {
    let create = |more: &[&str]| {
        let words = ["k8s", "create", "--name", "other", "--vpc", "lab"];
        platform.cloud(&words.iter().chain(more).copied().collect::<Vec<_>>())
    };
    refused(
        platform.cloud(&["k8s", "create", "--name", "dev", "--vpc", "lab"]),
        4,
        "name-taken",
        &["dev"],
    );
    let known = ["v1.28", "v1.36", "v1.37"];
    refused(create(&["--version", "v9.99"]), 2, "unknown-version", &known);
    refused(create(&["--version", "1.36.99"]), 2, "unknown-version", &known);
    refused(create(&["--workers", "-1"]), 2, "workers-invalid", &["-1"]);
    refused(create(&["--workers", "200"]), 4, "host-full", &[]);
    // More than there are node ranges: refused even before the host is looked at.
    refused(create(&["--workers", "10000"]), 2, "pod-range-small", &["10000"]);
    let wide = [
        "--workers",
        "10000",
        "--pods-cidr",
        "11.0.0.0/8",
        "--services-cidr",
        "172.16.0.0/20",
    ];
    let ended = create(&wide);
    assert!(ended.took.as_secs() < 5, "a refusal is quick: {}", ended.told());
    refused(ended, 4, "host-full", &[]);
    refused(
        create(&["--instance-type", "u9.huge"]),
        2,
        "instance-type-unknown",
        &["u1.medium"],
    );
    for (pods, services) in [
        ("10.20.128.0/17", "10.96.0.0/12"),
        ("10.244.0.0/16", "10.20.0.0/20"),
        ("10.96.0.0/16", "10.96.0.0/12"),
        ("10.0.0.0/8", "10.96.0.0/12"),
    ] {
        let ended = create(&["--pods-cidr", pods, "--services-cidr", services]);
        assert!(matches!(ended.code, Some(2 | 4)), "{}", ended.told());
        assert!(ended.stderr.contains("overlap"), "{}", ended.told());
        assert!(ended.stderr.contains("help: "), "{}", ended.told());
    }
    let bad = create(&["--pods-cidr", "10.244.0.0/99"]);
    assert_eq!(bad.code, Some(2), "{}", bad.told());
    let engine = create(&["--engine", "k3s"]);
    assert_eq!(
        engine.code,
        Some(4),
        "what is not built yet is refused with the reason: {}",
        engine.told()
    );
}

fn files(platform: &Platform) {
    let file = platform.dir().join("cluster.yaml");
    let path = file.to_str().expect("plain text");
    let head = "apiVersion: plasmacloud.io/v1\nkind: Cluster\nmetadata: {name: other}\n";
    for (spec, exit) in [
        ("spec: {vpc: lab, wrokers: 2}", 2),
        ("spec: {vpc: lab, controlPlane: {replicas: 3}}", 4),
        (
            "spec: {vpc: lab, nodeGroups: {a: {minReplicas: 3, maxReplicas: 1}}}",
            2,
        ),
        ("spec: [", 2),
    ] {
        std::fs::write(&file, format!("{head}{spec}\n")).expect("writable");
        for words in [["k8s", "plan", "-f", path].as_slice(), &["apply", "-f", path]] {
            let ended = platform.cloud(words);
            assert_eq!(ended.code, Some(exit), "{spec}: {}", ended.told());
            assert!(ended.stderr.contains("error["), "{}", ended.told());
        }
    }
    std::fs::write(&file, format!("{head}spec: {{vpc: lab}}\n")).expect("writable");
    let plan = platform.cloud(&["k8s", "plan", "-f", path]).ok();
    assert!(plan.contains("control plane"), "{plan}");
}

fn absent(platform: &Platform) {
    let create = ["k8s", "create", "--name", "other", "--vpc", "nowhere"];
    for words in [
        create.as_slice(),
        &["k8s", "get", "nobody"],
        &["k8s", "delete", "nobody"],
        &["k8s", "kubeconfig", "nobody"],
        &["vpc", "get", "nowhere"],
        &["vpc", "delete", "nowhere"],
        &["operation", "get", "op-0000000000000000"],
        &["instance", "get", "nobody"],
        &["--project", "other", "k8s", "list"],
    ] {
        let ended = platform.cloud(words);
        assert_eq!(ended.code, Some(3), "{}", ended.told());
        assert!(
            ended.stderr.contains("error[") && ended.stderr.contains("help: "),
            "{}",
            ended.told()
        );
    }
    assert_eq!(platform.cloud(&["k8s", "frobnicate"]).code, Some(2));
}
