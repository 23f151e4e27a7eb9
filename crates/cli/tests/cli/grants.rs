//! Rights in one cluster: given, seen by both sides, taken.

use crate::{person::Person, site::Site};

fn with_cluster() -> Site {
    let site = Site::start();
    site.done(&["vpc", "create", "--name", "lab", "--cidr", "10.20.0.0/16"]);
    site.done(&["k8s", "create", "--name", "dev", "--vpc", "lab", "--workers", "1"]);
    site.done(&["project", "create", "blog", "--org", "default"]);
    site
}

#[test]
fn somebody_of_another_project_gets_to_one_cluster() {
    let site = with_cluster();
    let ana = Person::invited(&site, "ana@acme.example", "project_viewer", "blog");
    let at_dev = ["k8s", "get", "dev", "--project", "default"];
    ana.run(&at_dev).failed(3, "project-not-found");
    let given = site.done(&[
        "k8s",
        "grant",
        "dev",
        "ANA@acme.example",
        "--role",
        "viewer",
        "--namespace",
        "web",
    ]);
    insta::assert_snapshot!("grant", given);
    let again = site.done(&[
        "k8s",
        "grant",
        "dev",
        "ana@acme.example",
        "--role",
        "viewer",
        "--namespace",
        "web",
    ]);
    assert_eq!(again, given.replace("ANA", "ana"), "the same twice is once");
    site.done(&["k8s", "grant", "dev", "ana@acme.example", "--role", "member"]);

    let list = site.done(&["k8s", "grants", "dev"]);
    assert_eq!(list.matches("ana@acme.example").count(), 2, "{list}");
    let json = site.done(&["k8s", "grants", "dev", "-o", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["grants"][0]["role"], "viewer");
    assert_eq!(json["grants"][0]["namespace"], "web");
    assert_eq!(json["grants"][0]["state"], "waiting");
    assert!(site.done(&["k8s", "get", "dev"]).contains("waiting"));

    let granted = ana.done(&["k8s", "list", "--granted"]);
    assert!(granted.contains("viewer in web, member"), "{granted}");
    let seen = ana.done(&at_dev);
    assert!(
        !seen.contains("Recent events") && !seen.contains("Nodes:\n"),
        "{seen}"
    );
    assert!(
        ana.done(&["k8s", "token", "dev", "--project", "default"])
            .contains("ExecCredential")
    );
    assert!(
        ana.done(&["k8s", "kubeconfig", "dev", "--project", "default"])
            .contains("iam")
    );
    for words in [
        &["k8s", "list", "--project", "default"][..],
        &["k8s", "images", "dev", "--project", "default"],
        &["k8s", "grants", "dev", "--project", "default"],
        &[
            "k8s",
            "grant",
            "dev",
            "ana@acme.example",
            "--role",
            "admin",
            "--project",
            "default",
        ],
        &[
            "k8s",
            "kubeconfig",
            "dev",
            "--kind",
            "admin.conf",
            "--project",
            "default",
        ],
        &["k8s", "delete", "dev", "--project", "default"],
    ] {
        ana.run(words).failed(3, "project-not-found");
    }

    assert_eq!(
        site.done(&["k8s", "revoke", "dev", "ana@acme.example", "--namespace", "web"]),
        "ana@acme.example is no longer viewer in the namespace web\n"
    );
    assert_eq!(
        site.done(&["k8s", "revoke", "dev", "ana@acme.example"]),
        "ana@acme.example is no longer member in the whole cluster\n"
    );
    site.run(&["k8s", "revoke", "dev", "ana@acme.example"])
        .failed(3, "grant-not-found");
    ana.run(&at_dev).failed(3, "project-not-found");
}

#[test]
fn whoever_is_not_of_the_organisation_is_nobody() {
    let site = with_cluster();
    site.done(&["org", "create", "rival"]);
    site.done(&["project", "create", "lair", "--org", "rival"]);
    Person::invited(&site, "eve@rival.example", "project_viewer", "lair");
    let told = |who: &str| {
        let ran = site.run(&["k8s", "grant", "dev", who, "--role", "viewer"]);
        ran.failed(3, "grantee-not-found");
        ran.err.replace(who, "<who>")
    };
    assert_eq!(told("eve@rival.example"), told("nobody@rival.example"));
    for who in ["ci", "sa-ci@default", "sa-ci@nowhere", "not an address"] {
        told(who);
    }
    site.done(&["sa", "create", "ci"]);
    for who in ["ci", "sa-ci@default"] {
        let given = site.done(&["k8s", "grant", "dev", who, "--role", "admin"]);
        assert!(given.starts_with("sa-ci@default is admin"), "{given}");
    }
    site.run(&[
        "k8s",
        "grant",
        "dev",
        "ci",
        "--role",
        "viewer",
        "--namespace",
        "kube-system",
    ])
    .failed(4, "namespace-system");
    site.run(&[
        "k8s",
        "grant",
        "dev",
        "ci",
        "--role",
        "viewer",
        "--namespace",
        "Not One",
    ])
    .failed(2, "namespace-invalid");
    site.run(&["k8s", "grant", "dev", "ci", "--role", "root"])
        .failed(2, "usage");
    site.done(&["sa", "delete", "ci"]);
    assert!(!site.done(&["k8s", "grants", "dev"]).contains("sa-ci"));
}

#[test]
fn a_cluster_is_shared_by_the_organisation_and_then_its_alone_to_administer() {
    let site = with_cluster();
    let ana = Person::invited(&site, "ana@acme.example", "project_admin", "default");
    let bob = Person::invited(&site, "bob@acme.example", "project_viewer", "blog");
    let admin = ["k8s", "kubeconfig", "dev", "--kind", "admin.conf"];
    ana.done(&admin);
    ana.run(&["k8s", "share", "dev", "--with", "blog"])
        .failed(4, "forbidden");
    let told = site.done(&["k8s", "share", "dev", "--with", "blog"]);
    assert!(
        told.starts_with("dev is shared with the project blog, which has the namespace project-proj-"),
        "{told}"
    );
    ana.run(&admin).failed(4, "forbidden");
    ana.run(&["k8s", "grant", "dev", "bob@acme.example", "--role", "admin"])
        .failed(4, "forbidden");
    ana.run(&["k8s", "unshare", "dev", "--with", "blog"])
        .failed(4, "forbidden");
    site.done(&admin);
    assert!(site.done(&["k8s", "get", "dev"]).contains("Shared with:\n"));
    let list = bob.done(&["k8s", "list"]);
    assert!(
        list.contains("Shared with this project") && list.contains("default"),
        "{list}"
    );
    let json = bob.done(&["k8s", "list", "-o", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["clusters"], serde_json::json!([]));
    assert_eq!(json["shared"][0]["cluster"]["name"], "dev");
    assert_eq!(json["shared"][0]["project"], "default");
    let told = site.done(&["k8s", "unshare", "dev", "--with", "blog"]);
    assert!(told.contains("is deleted with all that is in it at 20"), "{told}");
    assert!(!bob.done(&["k8s", "list"]).contains("Shared"));
    // Something of theirs is still in it.
    ana.run(&admin).failed(4, "forbidden");
    site.run(&["k8s", "unshare", "dev", "--with", "nowhere"])
        .failed(3, "share-not-found");
}
