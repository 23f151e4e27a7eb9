//! Organisations, projects, people and programs, as an operator and those invited use them.

use crate::{
    person::{PASSWORD, Person, code_of},
    site::{Ran, Site, bare},
};

fn with_shop() -> Site {
    let site = Site::start();
    site.done(&["org", "create", "acme"]);
    site.done(&[
        "project",
        "create",
        "shop",
        "--org",
        "acme",
        "--quota",
        "clusters=3,memory=64Gi",
    ]);
    site
}

#[test]
fn an_organisation_from_create_to_delete() {
    let site = Site::start();
    let made = site.done(&["org", "create", "acme", "--max-projects", "2"]);
    assert!(made.starts_with("organisation acme (org-"), "{made}");
    site.run(&["org", "create", "acme"]).failed(4, "name-taken");
    assert!(
        site.done(&["org", "get", "acme"])
            .contains("Projects at most:  2")
    );
    let made = site.done(&["project", "create", "shop", "--org", "acme"]);
    assert!(made.starts_with("project shop (proj-"), "{made}");
    let list = site.done(&["project", "list"]);
    assert!(
        list.lines()
            .any(|line| line.starts_with("shop") && line.contains("acme")),
        "{list}"
    );
    site.run(&["org", "delete", "acme"]).failed(4, "org-in-use");
    site.done(&["project", "delete", "shop"]);
    assert_eq!(
        site.done(&["org", "delete", "acme"]),
        "organisation acme deleted\n"
    );
    site.run(&["org", "get", "acme"]).failed(3, "org-not-found");
    site.run(&["project", "get", "shop"])
        .failed(3, "project-not-found");
}

#[test]
fn limits_are_shown_and_changed_one_by_one() {
    let site = Site::start();
    let shown = site.done(&["quota", "set", "--quota", "clusters=3,memory=64Gi"]);
    insta::assert_snapshot!("quota", shown);
    assert_eq!(site.done(&["quota", "show"]), shown);
    site.done(&["quota", "set", "--quota", "clusters=5,vcpu=8,memory=none"]);
    let project = site.done(&["project", "get", "default"]);
    assert!(project.contains("clusters=5,vcpu=8\n"), "{project}");
    for wrong in ["clusters=many", "gpus=1", "clusters"] {
        site.run(&["quota", "set", "--quota", wrong]).failed(2, "usage");
    }
    let ana = Person::invited(&site, "ana@acme.example", "project_admin", "default");
    ana.run(&["quota", "set", "--quota", "clusters=50"])
        .failed(4, "forbidden");
    assert!(ana.done(&["quota", "show"]).contains("clusters       0     5"));
}

#[test]
fn each_role_gets_what_it_may() {
    let site = with_shop();
    let admin = Person::invited(&site, "ana@acme.example", "project_admin", "default");
    let invited = admin.done(&[
        "user",
        "invite",
        "bob@acme.example",
        "--role",
        "project_viewer",
        "-o",
        "json",
    ]);
    let viewer = Person::at(&site, "bob");
    assert_eq!(viewer.login_with(&code_of(&invited)).code, 0);
    viewer.done(&["vpc", "list"]);
    viewer.done(&["user", "list"]);
    for words in [
        &["vpc", "create", "--name", "x", "--cidr", "10.30.0.0/16"][..],
        &["sa", "create", "ci"],
        &["token", "list"],
        &["user", "invite", "eve@x.example", "--role", "project_admin"],
        &["project", "delete", "default"],
    ] {
        viewer.run(words).failed(4, "forbidden");
    }
    for person in [&viewer, &admin] {
        person
            .run(&["k8s", "list", "--project", "shop"])
            .failed(3, "project-not-found");
        person.run(&["org", "get", "acme"]).failed(3, "org-not-found");
        person.run(&["org", "create", "mine"]).failed(4, "forbidden");
        person
            .run(&[
                "user",
                "invite",
                "x@x.example",
                "--role",
                "org_admin",
                "--org",
                "default",
            ])
            .failed(4, "forbidden");
    }
    let list = admin.done(&["user", "list"]);
    assert!(
        list.contains("bob@acme.example  project_viewer  default  default"),
        "{list}"
    );
    assert_eq!(
        admin.done(&["user", "remove", "bob@acme.example"]),
        "bob@acme.example has no role in the project default any more\n"
    );
    viewer.run(&["vpc", "list"]).failed(4, "token-wrong");
    // The login is still one: a new token says that there is nothing for them.
    viewer.run(&["vpc", "list"]).failed(3, "project-not-found");
}

#[test]
fn an_administrator_of_an_organisation() {
    let site = with_shop();
    let words = [
        "user",
        "invite",
        "ceo@acme.example",
        "--role",
        "org_admin",
        "--org",
        "acme",
    ];
    site.run(&[
        "user",
        "invite",
        "x@x.example",
        "--role",
        "org_admin",
        "--project",
        "shop",
    ])
    .failed(2, "role-misplaced");
    site.run(&[
        "user",
        "invite",
        "nobody",
        "--role",
        "project_admin",
        "--project",
        "shop",
    ])
    .failed(2, "email-invalid");
    let shown = site.done(&words);
    let code = shown.lines().nth(2).unwrap().trim().to_owned();
    assert!(code.starts_with("pci_"), "{shown}");
    let known_by = &site.pki.trust().unwrap().fingerprints[0];
    let shown = shown
        .replace(&code, "CODE")
        .replace(&site.tls.endpoint, "ENDPOINT")
        .replace(known_by, "HEX");
    let head = shown.split_once("until ").unwrap().0;
    assert_eq!(
        head,
        "ceo@acme.example is invited to the role org_admin. The code, shown this once, good once, "
    );
    assert!(shown.ends_with("\n\n  CODE\n\nHand it over by a way you trust. They type this, and are asked for the code and a password:\n\n  cloud login --endpoint ENDPOINT --ca-fingerprint sha256:HEX --invitation-file -\n"), "{shown}");
    let ceo = Person::at(&site, "ceo");
    assert_eq!(ceo.login_with(&code).code, 0);
    ceo.done(&["project", "create", "blog", "--org", "acme"]);
    let list = ceo.done(&["user", "list", "--org", "acme"]);
    assert!(list.contains("ceo@acme.example  org_admin  acme  -"), "{list}");
    // A code is good once.
    Person::at(&site, "late")
        .login_with(&code)
        .failed(4, "invitation-refused");
}

#[test]
fn a_program_with_a_token() {
    let site = Site::start();
    let ana = Person::invited(&site, "ana@acme.example", "project_admin", "default");
    let made = ana.done(&["sa", "create", "ci", "--role", "project_viewer"]);
    assert!(made.ends_with("created, role project_viewer\n"), "{made}");
    assert!(ana.done(&["sa", "list"]).contains("project_viewer"));
    let fresh = ana.run(&["token", "create", "--sa", "ci", "--ttl", "30m"]);
    assert_eq!((fresh.code, fresh.out.lines().count()), (0, 1), "{fresh:?}");
    let id = fresh.err.split_whitespace().next().unwrap().to_owned();
    let program = |words: &[&str]| {
        let mut command = bare(&ana.home.join("elsewhere"), words);
        command
            .env("PLASMACLOUD_ENDPOINT", &site.endpoint)
            .env("PLASMACLOUD_TOKEN", fresh.out.trim())
            .env("PLASMACLOUD_PROJECT", "default");
        Ran::from(command.output().unwrap())
    };
    assert!(program(&["whoami"]).out.contains("sa-ci@default"));
    assert_eq!(program(&["k8s", "list"]).code, 0);
    program(&["sa", "create", "more"]).failed(4, "forbidden");
    program(&["logout"]).failed(4, "not-logged-in");
    assert!(ana.done(&["token", "list"]).contains("GOOD"));
    ana.done(&["token", "revoke", &id]);
    program(&["k8s", "list"]).failed(4, "token-wrong");
    assert!(
        ana.done(&["token", "list", "-o", "yaml"])
            .contains("revoked: true")
    );
    ana.run(&["token", "create", "--sa", "ci", "--ttl", "forever"])
        .failed(2, "usage");
    ana.run(&["token", "create", "--sa", "ci", "--ttl", "365d"])
        .failed(2, "ttl-invalid");
    ana.run(&["token", "revoke", "tok-0000000000000000"])
        .failed(3, "token-not-found");
    ana.done(&["sa", "delete", "ci"]);
    ana.run(&["token", "create", "--sa", "ci"])
        .failed(3, "service-account-not-found");
}

#[test]
fn a_token_for_kubectl() {
    let site = Site::start();
    let ana = Person::invited(&site, "ana@acme.example", "project_member", "default");
    ana.done(&["vpc", "create", "--name", "lab", "--cidr", "10.20.0.0/16"]);
    ana.done(&["k8s", "create", "--name", "dev", "--vpc", "lab", "--workers", "0"]);
    let ran = ana.run(&["k8s", "token", "dev"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let credential: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(credential["apiVersion"], "client.authentication.k8s.io/v1");
    assert_eq!(credential["kind"], "ExecCredential");
    let status = credential["status"].as_object().unwrap();
    assert_eq!(status["token"].as_str().unwrap().split('.').count(), 3);
    assert!(api::moment::from_wire(status["expirationTimestamp"].as_str().unwrap()).is_some());
    ana.run(&["k8s", "token", "nope"]).failed(3, "cluster-not-found");
}

#[test]
fn nothing_secret_is_an_argument() {
    let site = Site::start();
    let ana = Person::at(&site, "ana");
    for words in [
        &["login", "--password", PASSWORD][..],
        &["login", PASSWORD],
        &["login", "--invitation", "pci_x"],
        &["login", "--email", "a@b.example", "--invitation-file", "x"],
    ] {
        ana.run(words).failed(2, "usage");
    }
}
