//! The commands of a day, as they are typed.

use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use crate::site::{Ran, Site, bare};

const FILE: &str = "apiVersion: plasmacloud.io/v1\nkind: Cluster\nmetadata: {name: dev}\nspec:\n  vpc: lab\n  version: v1.36\n  \
    nodeGroups: {default: {minReplicas: 1, maxReplicas: 1}}\n---\napiVersion: plasmacloud.io/v1\nkind: VPC\n\
    metadata: {name: lab}\nspec: {cidr: 10.20.0.0/16}\n";

#[test]
fn a_cluster_by_flags_from_create_to_delete() {
    let site = Site::with_vpc();
    let id = site.done(&[
        "k8s",
        "create",
        "--name",
        "dev",
        "--vpc",
        "lab",
        "--workers",
        "2",
        "--no-wait",
    ]);
    assert!(id.starts_with("op-") && id.lines().count() == 1, "{id}");
    let watched = site.done(&["operation", "watch", id.trim()]);
    assert!(
        watched.starts_with("create of cluster dev succeeded after "),
        "{watched}"
    );

    let list = site.done(&["k8s", "list"]);
    assert!(
        list.lines()
            .nth(1)
            .unwrap()
            .starts_with("dev   RUNNING  v1.36.4  2/2    lab  k8s-"),
        "{list}"
    );
    let json: serde_json::Value = serde_json::from_str(&site.done(&["k8s", "list", "-o", "json"])).unwrap();
    let cluster = json["clusters"][0]["id"].as_str().unwrap();
    let by_id = site.done(&["k8s", "get", cluster]);
    assert!(
        by_id.contains("https://127.0.0.1:6443") && by_id.contains("dev-default-2"),
        "{by_id}"
    );
    assert!(
        site.done(&["k8s", "get", "dev", "-o", "yaml"])
            .contains("phase: RUNNING")
    );
    assert!(
        site.done(&["instance", "list", "-o", "wide"])
            .contains("10.244.1.0/24")
    );
    assert!(
        site.done(&["instance", "get", "dev-default-1"])
            .contains("u1.medium")
    );
    assert!(site.done(&["operation", "list"]).contains("cluster/dev"));
    assert!(
        site.done(&["operation", "get", id.trim()])
            .contains("machine of dev")
    );
    assert!(site.done(&["events", "dev"]).contains("Accepted"));

    let deleted = site.done(&["k8s", "delete", "dev"]);
    insta::assert_snapshot!("delete", deleted);
    assert_eq!(site.done(&["k8s", "list"]).lines().count(), 1);
    assert!(
        site.done(&["vpc", "delete", "lab"])
            .starts_with("VPC lab deleted in ")
    );
    assert_eq!(
        site.done(&["vpc", "list", "-o", "json"]),
        "{\n  \"networks\": []\n}\n"
    );
}

#[test]
fn a_cluster_by_file() {
    let site = Site::start();
    let file = site.write("cluster.yaml", FILE);
    let refused = site.run(&["k8s", "plan", "-f", &file]);
    refused.failed(3, "vpc-not-found");
    insta::assert_snapshot!("apply", site.done(&["apply", "-f", &file]));
    assert_eq!(
        site.done(&["apply", "-f", &file]),
        "VPC lab is unchanged\ncluster dev is unchanged\n"
    );
    let plan = site.done(&["k8s", "plan", "-f", &file]);
    assert!(
        plan.contains("cluster dev is as the file says; nothing would be done"),
        "{plan}"
    );

    let changed = FILE.replace("minReplicas: 1, maxReplicas: 1", "minReplicas: 3, maxReplicas: 3");
    let file = site.write("changed.yaml", &changed);
    insta::assert_snapshot!("plan-update", site.done(&["k8s", "plan", "-f", &file]));
    let mut child = site.command(&["apply", "-f", "-"]);
    let mut child = child
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(changed.as_bytes()).unwrap();
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert!(
        ran.code == 0 && ran.out.contains("cluster dev is ready"),
        "{ran:?}"
    );

    let file = site.write("range.yaml", &FILE.replace("10.20.0.0/16", "10.30.0.0/16"));
    site.run(&["apply", "-f", &file]).failed(4, "vpc-range-fixed");
    let file = site.write("typo.yaml", &FILE.replace("minReplicas: 1", "minReplica: 1"));
    let ran = site.run(&["apply", "-f", &file]);
    assert!(
        ran.failed(2, "manifest-invalid").err.contains("minReplica"),
        "{}",
        ran.err
    );
}

#[test]
fn a_kubeconfig_printed_and_merged() {
    let site = Site::with_vpc();
    site.done(&["k8s", "create", "--name", "dev", "--vpc", "lab"]);
    let printed = site.done(&["k8s", "kubeconfig", "dev"]);
    assert!(printed.contains("tls-server-name: dev.k8s.test"), "{printed}");
    site.done(&["k8s", "kubeconfig", "dev", "--merge"]);
    let merged = std::fs::read_to_string(site.home.path().join(".kube/config")).unwrap();
    assert!(
        merged.contains("current-context: dev") && merged.contains("token: \"0123\""),
        "{merged}"
    );
    let elsewhere = site.path("elsewhere");
    let ran = site
        .command(&["k8s", "kubeconfig", "dev", "--merge"])
        .env("KUBECONFIG", &elsewhere)
        .output()
        .unwrap();
    assert!(ran.status.success() && std::fs::exists(elsewhere).unwrap());
}

#[test]
fn images_loaded_and_listed() {
    let site = Site::with_vpc();
    site.done(&["k8s", "create", "--name", "dev", "--vpc", "lab"]);
    let archive = site.write("app.tar", &"x".repeat(100_000));
    assert_eq!(
        site.done(&["k8s", "load-image", "dev", &archive]),
        "loaded docker.io/library/app:100000\n"
    );
    assert_eq!(
        site.done(&["k8s", "images", "dev"]),
        "IMAGE\ndocker.io/library/app:100000\n"
    );
    site.run(&["k8s", "load-image", "dev", "/nonexistent.tar"])
        .failed(2, "archive-unreadable");
    site.run(&["k8s", "load-image", "nope", &archive])
        .failed(3, "cluster-not-found");
}

#[test]
fn what_was_done_is_in_the_audit_log() {
    let site = Site::with_vpc();
    site.run(&["vpc", "delete", "nope"]).failed(3, "vpc-not-found");
    let mut stranger = site.command(&["vpc", "delete", "lab"]);
    stranger.env("PLASMACLOUD_TOKEN", "wrong").output().unwrap();
    let list = site.done(&["audit", "list", "--since", "1h"]);
    let columns = |line: &str| {
        line.split_whitespace()
            .skip(1)
            .take(4)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(
        list.lines().map(columns).collect::<Vec<_>>(),
        [
            "ACTOR ACTION OBJECT OUTCOME",
            "unknown deleteNetwork network/lab 401",
            "admin@platform.local deleteNetwork network/nope 404",
            "admin@platform.local createNetwork network/lab 202",
        ],
        "{list}"
    );
    let wide = site.done(&["audit", "list", "-o", "wide", "--actor", "admin@platform.local"]);
    assert_eq!(wide.lines().count(), 5, "with what was begun: {wide}");
    let json: serde_json::Value =
        serde_json::from_str(&site.done(&["audit", "list", "-o", "json", "--project", "default"])).unwrap();
    // Where nobody tried to be is not known to be this project.
    assert_eq!(json["records"].as_array().unwrap().len(), 4);
    assert_eq!(site.done(&["audit", "list", "--until", "1h"]).lines().count(), 1);
    site.run(&["audit", "list", "--since", "soon"]).failed(2, "usage");

    let good = site.done(&["audit", "verify"]);
    assert!(good.contains("as it was written: 5 records"), "{good}");
    let head = good.lines().last().unwrap();
    site.done(&["audit", "verify", "--known", head]);
    let other = format!("5:{}", "0".repeat(64));
    let broken = site.run(&["audit", "verify", "--known", &other]);
    assert!(
        broken.failed(1, "audit-broken").err.contains("record 5"),
        "{}",
        broken.err
    );
}

#[test]
fn the_master_key_is_replaced() {
    let site = Site::with_vpc();
    assert_eq!(
        site.done(&["admin", "keys"]),
        "KEY  STATE  SECRETS\n01   SEALS  1\n"
    );
    assert_eq!(
        site.done(&["admin", "rotate-key"]),
        "1 secrets are under 02; no other key is kept\n"
    );
    assert_eq!(site.done(&["admin", "rotate-key", "--no-wait"]), "03\n");
    let log = site.done(&["audit", "list"]);
    assert!(log.contains("rotateKey") && log.contains("key/03"), "{log}");
    site.done(&["audit", "verify"]);
}

#[test]
fn a_backup_is_written_once_and_recorded() {
    let site = Site::start();
    let passphrase = site.write("passphrase", "correct horse battery\n");
    let out = site.path("backup");
    let backup = |out: &str, passphrase: &str| {
        site.run(&["admin", "backup", "--out", out, "--passphrase-file", passphrase])
    };
    let made = backup(&out, &passphrase);
    assert!(
        made.code == 0 && made.out.contains("holds the platform's state"),
        "{made:?}"
    );
    assert!(std::fs::read(&out).unwrap().starts_with(b"plasmacloud bk"));
    backup(&out, &passphrase).failed(4, "backup-exists");
    let short = site.write("short", "hunter2");
    backup(&site.path("other"), &short).failed(2, "passphrase-short");
    assert!(!std::fs::exists(site.path("other")).unwrap());
    backup(&site.path("other"), "/nonexistent").failed(2, "passphrase-unreadable");
    let log = site.done(&["audit", "list", "-o", "json"]);
    assert!(
        log.contains("\"action\": \"backup\"") && !log.contains("correct horse"),
        "{log}"
    );
}

#[test]
fn what_needs_no_platform() {
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| Ran::from(bare(home.path(), arguments).output().unwrap());
    for (shell, word) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef cloud"),
        ("fish", "complete -c cloud"),
    ] {
        let ran = run(&["completion", shell]);
        assert!(ran.code == 0 && ran.out.contains(word), "{shell}");
    }
    let pages = home.path().join("man");
    assert_eq!(run(&["man", pages.to_str().unwrap()]).code, 0);
    assert!(pages.join("cloud-k8s-create.1").exists());
    assert_eq!(
        run(&["version", "--client"]).out,
        concat!("cloud v", env!("CARGO_PKG_VERSION"), "\n")
    );
    let cache = home.path().join("cache");
    let list = run(&["bundle", "list", "--cache-dir", cache.to_str().unwrap()]);
    assert!(list.code == 0 && list.out.starts_with("VERSION"), "{list:?}");
    assert_eq!(
        run(&["bundle", "--cache-dir", cache.to_str().unwrap(), "build", "v9.9"]).code,
        2
    );
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let home = tempfile::tempdir().unwrap();
    let mut child = bare(home.path(), &["completion", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn the_platform_may_go_away_and_come_back_while_waiting() {
    // What ends a watch without ending its operation is asked for again: here the server's orderly stop.
    let site = Site::with_vpc();
    let id = site.done(&["k8s", "create", "--name", "stuck", "--vpc", "lab", "--no-wait"]);
    let mut child = site.spawn(&["operation", "watch", id.trim()]);
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let mut lines = stderr.lines();
    assert!(lines.next().unwrap().unwrap().ends_with("started"));
    site.stop.send_replace(true);
    assert!(lines.any(|line| {
        line.unwrap()
            .contains("the platform does not answer; trying again")
    }));
    child.kill().unwrap();
    child.wait().unwrap();
}
