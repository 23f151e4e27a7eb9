//! What a script relies on: exit codes, and the form of an error.

use std::io::Read;

use crate::site::{Ran, Site, bare};

const CREATE: [&str; 4] = ["k8s", "create", "--vpc", "lab"];

fn create<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    CREATE.iter().chain(rest).copied().collect()
}

#[test]
fn done_is_0_and_failed_is_1() {
    let site = Site::with_vpc();
    let ran = site.run(&create(&[
        "--name",
        "dev",
        "--workers",
        "2",
        "--version",
        "v1.36",
    ]));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.starts_with("cluster dev is ready after 2.7s\n"),
        "{}",
        ran.out
    );
    insta::assert_snapshot!("create-steps", ran.err);
    let ran = site.run(&create(&["--name", "broken"]));
    ran.failed(1, "disk-full");
    insta::assert_snapshot!("create-failed", ran.err);
}

#[test]
fn usage_is_2_with_the_reason() {
    let site = Site::with_vpc();
    for (arguments, code, word) in [
        (
            create(&["--name", "dev", "--workers", "-1"]),
            "workers-invalid",
            "-1",
        ),
        (create(&["--name", "dev", "--workers", "many"]), "usage", "many"),
        (create(&[]), "usage", "--name"),
        (create(&["--name", "Dev"]), "name-invalid", "'Dev'"),
        (
            create(&["--name", "dev", "--pods-cidr", "10.1.2.3/8"]),
            "cidr-invalid",
            "10.0.0.0/8",
        ),
        (
            create(&["--name", "dev", "--version", "newest"]),
            "version-invalid",
            "newest",
        ),
        (
            create(&["--name", "dev", "--version", "v1.12"]),
            "unknown-version",
            "v1.12",
        ),
        (
            create(&["--name", "dev", "--disk=-1Gi"]),
            "quantity-invalid",
            "-1Gi",
        ),
        (
            create(&["--name", "dev", "--engine", "magic"]),
            "engine-unknown",
            "magic",
        ),
        (
            vec!["vpc", "create", "--name", "x", "--cidr", "10.20.3.4/16"],
            "cidr-invalid",
            "10.20.0.0/16",
        ),
        (
            vec!["vpc", "create", "--name", "x", "--cidr", "127.0.0.0/16"],
            "cidr-reserved",
            "loopback",
        ),
        (vec!["k8s", "get", ""], "usage", "NAME"),
        (vec!["k8s", "lsit"], "usage", "list"),
        (vec!["k8s", "list", "-o", "xml"], "usage", "yaml"),
        (
            vec!["apply", "-f", "/nonexistent.yaml"],
            "file-unreadable",
            "/nonexistent.yaml",
        ),
        (
            vec!["--endpoint", "7400", "k8s", "list"],
            "endpoint-invalid",
            "7400",
        ),
        (vec!["events", "--limit", "0"], "limit-range", "0"),
    ] {
        let ran = site.run(&arguments);
        ran.failed(2, code);
        assert!(ran.err.contains(word), "{arguments:?}: {}", ran.err);
    }
    assert_eq!(site.run(&["k8s"]).code, 2);
}

#[test]
fn all_that_is_wrong_is_listed() {
    let site = Site::with_vpc();
    let ran = site.run(&create(&["--name", "dev", "--engine", "magic", "--disk=-1Gi"]));
    ran.failed(2, "fields-invalid");
    for field in ["spec.engine", "spec.nodeGroups.default.ephemeralStorage"] {
        assert!(
            ran.err.contains(&format!("\n  - {field}: ")),
            "{field}: {}",
            ran.err
        );
    }
    assert!(
        ran.err.contains("choose one of hosted, kubeadm, k3s, cloud"),
        "{}",
        ran.err
    );
}

#[test]
fn a_command_run_again_with_its_key_makes_nothing_twice() {
    let site = Site::start();
    let make = |name: &'static str| site.run(&["org", "create", name, "--idempotency-key", "run-7"]);
    let first = make("acme");
    assert_eq!(first.code, 0, "{}", first.err);
    let again = make("acme");
    assert_eq!((again.code, &again.out), (0, &first.out), "{}", again.err);
    make("umbrella").failed(4, "idempotency-key-reused");
    site.run(&["org", "create", "acme"]).failed(4, "name-taken");
    site.run(&["org", "list", "--idempotency-key", "a b"])
        .failed(2, "usage");
}

#[test]
fn not_found_is_3() {
    let site = Site::start();
    for (arguments, code) in [
        (vec!["k8s", "get", "nope"], "cluster-not-found"),
        (vec!["k8s", "get", "../../x"], "cluster-not-found"),
        (vec!["k8s", "delete", "nope"], "cluster-not-found"),
        (vec!["k8s", "kubeconfig", "nope", "--merge"], "cluster-not-found"),
        (vec!["vpc", "get", "nope"], "vpc-not-found"),
        (vec!["instance", "get", "nope"], "instance-not-found"),
        (vec!["operation", "get", "nope"], "operation-not-found"),
        (
            vec!["operation", "watch", "op-0000000000000099"],
            "operation-not-found",
        ),
        (vec!["--project", "other", "k8s", "list"], "project-not-found"),
        (create(&["--name", "dev"]), "vpc-not-found"),
    ] {
        site.run(&arguments).failed(3, code);
    }
    assert!(!site.home.path().join(".kube").exists());
    let bundle = bare(
        site.home.path(),
        &["bundle", "--cache-dir", &site.path("cache"), "verify", "v1.36"],
    );
    Ran::from({ bundle }.output().unwrap()).failed(3, "bundle-not-found");
}

#[test]
fn refused_and_conflict_are_4() {
    let site = Site::with_vpc();
    site.done(&create(&["--name", "dev", "--workers", "0"]));
    site.run(&create(&["--name", "dev"]))
        .failed(4, "cluster-name-taken");
    site.run(&["vpc", "delete", "lab"]).failed(4, "vpc-in-use");
    site.run(&["vpc", "create", "--name", "lab", "--cidr", "10.30.0.0/16"])
        .failed(4, "vpc-name-taken");
    let token = site.write("token", "wrong\n");
    site.run(&["--token-file", &token, "k8s", "list"])
        .failed(4, "token-wrong");
    let other = bare(site.home.path(), &["--endpoint", &site.endpoint, "k8s", "list"]);
    Ran::from({ other }.output().unwrap()).failed(4, "token-missing");
}

#[test]
fn unreachable_is_5() {
    let site = Site::start();
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    site.run(&["--endpoint", &format!("http://{free}"), "k8s", "list"])
        .failed(5, "platform-unreachable");
    let none = bare(site.home.path(), &["k8s", "list"])
        .env("PLASMACLOUD_CLIENT_FILE", "/nonexistent/c.toml")
        .output();
    Ran::from(none.unwrap()).failed(5, "client-file-missing");
}

#[test]
fn interrupted_while_waiting_is_130_and_says_how_to_go_on() {
    let site = Site::with_vpc();
    let mut child = site.spawn(&create(&["--name", "stuck"]));
    // Its first step is on the screen: it waits.
    let mut first = [0u8; 1];
    child.stderr.as_mut().unwrap().read_exact(&mut first).unwrap();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let ran = Ran::from(child.wait_with_output().unwrap());
    ran.failed(130, "interrupted");
    assert!(ran.err.contains("cloud operation watch op-"), "{}", ran.err);
}
