//! Secrets and SSH keys, as those with a role use them.

use std::fs;

use crate::{
    person::Person,
    site::{Ran, Site},
};

const PUBLIC: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti ana's laptop";

#[test]
fn a_secret_from_create_to_delete() {
    let site = Site::start();
    // No text, and no line end: every byte counts.
    let value = [0u8, 255, b'\n', b'x'];
    let file = site.path("value");
    fs::write(&file, value).unwrap();
    assert_eq!(
        site.done(&["secret", "create", "db", "--from-file", &file]),
        "secret db kept, version 1\n"
    );
    site.run(&["secret", "create", "db", "--from-file", &file])
        .failed(4, "name-taken");
    let out = site.command(&["secret", "get", "db"]).output().unwrap().stdout;
    assert_eq!(out, value);
    let ana = Person::invited(&site, "ana@acme.example", "project_member", "default");
    let fed = ana.fed(&["secret", "update", "db", "--from-file", "-"], "hunter2");
    assert_eq!(fed.out, "secret db kept, version 2\n", "{}", fed.err);
    assert_eq!(ana.done(&["secret", "get", "db"]), "hunter2");
    let json = ana.done(&["secret", "get", "db", "--version", "1", "-o", "json"]);
    assert!(json.contains("\"value\": \"AP8KeA==\""), "{json}");
    ana.run(&["secret", "get", "db", "--version", "3"])
        .failed(3, "secret-version-not-found");
    let list = ana.done(&["secret", "list"]);
    assert!(list.contains("db") && !list.contains("hunter2"), "{list}");
    let versions = ana.done(&["secret", "versions", "db"]);
    assert!(versions.contains("ana@acme.example"), "{versions}");
    ana.run(&["secret", "delete", "db"]).failed(4, "not-confirmed");
    ana.done(&["secret", "delete", "db", "--yes"]);
    ana.run(&["secret", "get", "db"]).failed(3, "secret-not-found");
}

#[test]
fn a_viewer_sees_names_and_no_values() {
    let site = Site::start();
    let file = site.write("value", "hunter2");
    site.done(&["secret", "create", "db", "--from-file", &file]);
    let ana = Person::invited(&site, "ana@acme.example", "project_viewer", "default");
    assert!(ana.done(&["secret", "list"]).contains("db"));
    ana.run(&["secret", "get", "db"]).failed(4, "forbidden");
    ana.run(&["secret", "update", "db", "--from-file", &file])
        .failed(4, "forbidden");
    ana.run(&["secret", "delete", "db", "--yes"])
        .failed(4, "forbidden");
    let record = site.done(&["audit", "list", "-o", "json"]);
    assert!(
        !record.contains("hunter2") && !record.contains("aHVudGVyMg"),
        "{record}"
    );
    assert!(record.contains("revealSecret"), "{record}");
}

#[test]
fn what_is_no_value_is_refused_before_it_is_sent() {
    let site = Site::start();
    site.run(&["secret", "create", "db"]).failed(2, "value-missing");
    let large = site.write("large", &"x".repeat(64 * 1024 + 1));
    site.run(&["secret", "create", "db", "--from-file", &large])
        .failed(2, "secret-too-large");
    let empty = site.write("empty", "");
    site.run(&["secret", "create", "db", "--from-file", &empty])
        .failed(2, "secret-empty");
    site.run(&["secret", "create", "db", "--from-file", "/nonexistent"])
        .failed(2, "file-unreadable");
    site.run(&["secret", "create", "db", "hunter2"])
        .failed(2, "usage");
}

#[test]
fn a_public_key_is_known_and_a_private_one_goes_nowhere() {
    let site = Site::start();
    let ana = Person::invited(&site, "ana@acme.example", "project_viewer", "default");
    let public = site.write("id.pub", PUBLIC);
    let added = ana.done(&["ssh-key", "add", "laptop", "--file", &public]);
    assert_eq!(
        added,
        "key laptop added, SHA256:UCUiLr7Pjs9wFFJMDByLgc3NrtdU344OgUM45wZPcIQ\n"
    );
    let list = ana.done(&["ssh-key", "list"]);
    assert!(
        list.contains("ssh-ed25519") && list.contains("SHA256:UCUi"),
        "{list}"
    );
    assert!(!site.done(&["ssh-key", "list"]).contains("laptop"));
    let private = site.write("id", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn\n-----END");
    let refused = ana.run(&["ssh-key", "add", "other", "--file", &private]);
    refused.failed(2, "ssh-key-private");
    assert!(!refused.err.contains("b3Blbn"), "{}", refused.err);
    let dsa = site.write("dsa", "ssh-dss AAAAB3NzaC1kc3MAAACBAP");
    ana.run(&["ssh-key", "add", "other", "--file", &dsa])
        .failed(2, "ssh-key-invalid");
    ana.done(&["ssh-key", "delete", "laptop"]);
    ana.run(&["ssh-key", "delete", "laptop"])
        .failed(3, "ssh-key-not-found");
}

#[test]
fn ssh_says_what_is_in_the_way() {
    let site = Site::with_vpc();
    site.done(&["k8s", "create", "--name", "dev", "--vpc", "lab", "--workers", "1"]);
    let list = site.done(&["instance", "list"]);
    let worker = list.lines().nth(1).unwrap().split(' ').next().unwrap().to_owned();
    site.run(&["ssh", &worker, "--", "true"]).failed(1, "ssh-missing");
    let with_path = |words: &[&str]| {
        let mut command = site.command(words);
        Ran::from(
            command
                .env("PATH", std::env::var_os("PATH").unwrap())
                .output()
                .unwrap(),
        )
    };
    with_path(&["ssh", "nobody"]).failed(3, "instance-not-found");
    with_path(&["ssh", &worker, "--key", "nope"]).failed(3, "ssh-key-not-found");
    let ana = Person::invited(&site, "ana@acme.example", "project_member", "default");
    let mut command = ana.command(&["ssh", &worker]);
    let refused = Ran::from(
        command
            .env("PATH", std::env::var_os("PATH").unwrap())
            .output()
            .unwrap(),
    );
    refused.failed(4, "forbidden");
    let lines = site.done(&["ssh", &worker, "--print-config"]);
    assert!(
        lines.starts_with(&format!("Match originalhost {worker} exec \"")),
        "{lines}"
    );
    assert!(lines.contains("    StrictHostKeyChecking yes\n"), "{lines}");
}
