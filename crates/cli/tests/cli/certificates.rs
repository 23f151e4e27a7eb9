//! Certificates: what an operator sees of them, and what a person at another machine believes.

use std::fs;

use crate::{
    person::{PASSWORD, Person, invitation},
    site::Site,
};

#[test]
fn what_ends_is_listed_and_an_authority_is_replaced() {
    let site = Site::start();
    let all = site.done(&["admin", "certs"]);
    let lines: Vec<Vec<&str>> = all
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(lines[0], ["WHAT", "OF", "STATE", "EXPIRES", "LEFT", "RENEWED"]);
    assert_eq!(lines[1][..4], ["platform-root", "-", "OK", "2036-11-12"]);
    assert_eq!(lines[2][..4], ["webhook-client", "dev", "DUE", "2026-12-05"]);
    assert_eq!(lines[3][..3], ["webhook-client", "-", "REVOKED"]);
    assert!(
        site.done(&["admin", "certs", "-o", "wide"])
            .contains("CN=PlasmaCloud services")
    );
    let far = site.done(&["admin", "certs", "--expires-within", "10000d", "-o", "json"]);
    let far: serde_json::Value = serde_json::from_str(&far).unwrap();
    assert_eq!(far["certificates"].as_array().unwrap().len(), 2, "{far}");
    let begun = site.run(&["admin", "certs", "rotate", "root", "--no-wait"]);
    assert_eq!(begun.out, "2026-11-15T21:00:00Z\n");
    assert!(begun.err.contains("waits for cluster dev"), "{}", begun.err);
    let log = site.done(&["audit", "list"]);
    assert!(log.contains("rotateCertificates"), "{log}");
}

#[test]
fn a_person_elsewhere_goes_by_a_fingerprint_and_follows_a_new_root() {
    let site = Site::start();
    let ca = site.done(&["admin", "ca"]);
    let fingerprint = ca.lines().next().unwrap().trim_start_matches("# ").to_owned();
    assert!(
        fingerprint.starts_with("sha256:") && ca.contains("BEGIN CERTIFICATE"),
        "{ca}"
    );
    let line = site.done(&["user", "invite", "bob@acme.example", "--role", "project_viewer"]);
    let expected = format!("--endpoint {} --ca-fingerprint {fingerprint}", site.tls.endpoint);
    assert!(line.contains(&expected), "{line}");

    let ana = Person {
        endpoint: site.tls.endpoint.clone(),
        ..Person::at(&site, "ana")
    };
    let code = invitation(&site, "ana@acme.example", "project_viewer", "default");
    let strange = ana.login_with(&code);
    assert!(
        strange
            .failed(4, "platform-untrusted")
            .err
            .contains("cloud admin ca")
    );
    fs::write(ana.home.join("code"), &code).unwrap();
    let code = ana.home.join("code");
    let words = [
        "login",
        "--endpoint",
        &ana.endpoint,
        "--ca-fingerprint",
        &fingerprint,
        "--invitation-file",
        code.to_str().unwrap(),
    ];
    let ran = ana.fed(&words, &format!("{PASSWORD}\n"));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ana.done(&["whoami"]).contains("ana@acme.example"));
    let kept = || fs::read_to_string(ana.home.join(".config/plasmacloud/credentials.toml")).unwrap();
    let old = kept();
    assert!(old.contains("BEGIN CERTIFICATE"), "{old}");

    site.pki.replace_root();
    assert!(site.tls.serving.exchange(&site.pki.serving().unwrap()).unwrap());
    assert!(ana.done(&["whoami"]).contains("ana@acme.example"), "led over");
    // The token ends, and with the next one comes what the platform is known by now.
    let ended: String = old
        .lines()
        .map(|line| match line.starts_with("access-token-ends") {
            true => "access-token-ends = 1\n".to_owned(),
            false => format!("{line}\n"),
        })
        .collect();
    fs::write(ana.home.join(".config/plasmacloud/credentials.toml"), ended).unwrap();
    ana.done(&["whoami"]);
    let root = site.pki.trust().unwrap().bundle_pem;
    assert!(kept().contains(root.lines().nth(5).unwrap()), "{}", kept());
    ana.done(&["whoami"]);
}
