//! People come and go: invitations taken back, passwords changed and lost, administrators of the platform.

use std::fs;

use crate::{
    person::{PASSWORD, Person, code_of, invitation},
    site::Site,
};

const ANOTHER: &str = "another horse, another battery";

#[test]
fn an_invitation_is_seen_and_taken_back() {
    let site = Site::start();
    let code = invitation(&site, "ana@acme.example", "project_viewer", "default");
    let list = site.done(&["user", "invitations"]);
    assert!(
        list.contains("ana@acme.example  project_viewer  default  default"),
        "{list}"
    );
    assert!(!list.contains(&code), "{list}");
    let at = |path: &str| format!("the invitation {path} was taken back\n");
    assert_eq!(
        site.done(&["user", "withdraw", "ana@acme.example"]),
        at("ana@acme.example")
    );
    site.run(&["user", "withdraw", "ana@acme.example"])
        .failed(3, "invitation-not-found");
    let ana = Person::at(&site, "ana");
    ana.login_with(&code).failed(4, "invitation-refused");
}

#[test]
fn a_second_administrator_of_the_platform_is_invited_and_forgotten() {
    let site = Site::start();
    let words = [
        "user",
        "invite",
        "bob@acme.example",
        "--role",
        "platform_admin",
        "-o",
        "json",
    ];
    let invited = site.done(&words);
    assert!(
        site.done(&["user", "invitations", "--all"])
            .contains("platform_admin")
    );
    let bob = Person::at(&site, "bob");
    assert_eq!(bob.login_with(&code_of(&invited)).code, 0);
    bob.done(&["org", "create", "acme", "--quota", "clusters=2,vcpu=none"]);
    assert!(
        bob.done(&["org", "get", "acme"])
            .contains("clusters=2,memory=128Gi")
    );
    bob.done(&["quota", "set", "--org", "acme", "--quota", "clusters=4"]);
    assert!(
        bob.done(&["quota", "show", "--org", "acme"])
            .contains("clusters       0     4")
    );
    let everybody = bob.done(&["user", "list", "--all"]);
    assert!(
        everybody.contains("bob@acme.example      platform_admin"),
        "{everybody}"
    );

    let ana = Person::invited(&site, "ana@acme.example", "project_admin", "default");
    for words in [
        &["user", "list", "--all"][..],
        &["user", "invitations", "--all"],
        &["user", "delete", "bob@acme.example"],
        &["user", "reset", "bob@acme.example"],
        &["user", "invite", "eve@acme.example", "--role", "platform_admin"],
    ] {
        ana.run(words).failed(4, "forbidden");
    }
    site.done(&["user", "delete", "bob@acme.example"]);
    bob.run(&["whoami"]).failed(4, "token-wrong");
}

#[test]
fn a_password_is_changed_and_the_login_goes_on() {
    let site = Site::start();
    let ana = Person::invited(&site, "ana@acme.example", "project_viewer", "default");
    ana.fed(&["password"], &format!("wrong wrong wrong\n{ANOTHER}\n"))
        .failed(4, "login-refused");
    let changed = ana.fed(&["password"], &format!("{PASSWORD}\n{ANOTHER}\n"));
    assert_eq!(changed.code, 0, "{changed:?}");
    ana.done(&["vpc", "list"]);
    let login = [
        "login",
        "--endpoint",
        &site.endpoint,
        "--email",
        "ana@acme.example",
    ];
    ana.fed(&login, &format!("{PASSWORD}\n"))
        .failed(4, "login-refused");
    assert_eq!(ana.fed(&login, &format!("{ANOTHER}\n")).code, 0);
    site.run(&["password"]).failed(4, "not-logged-in");
}

#[test]
fn a_lost_password_is_replaced_with_a_code() {
    let site = Site::start();
    let ana = Person::invited(&site, "ana@acme.example", "project_viewer", "default");
    let code = code_of(&site.done(&["user", "reset", "ana@acme.example", "-o", "json"]));
    let file = ana.home.join("reset");
    fs::write(&file, code).unwrap();
    let words = [
        "login",
        "--endpoint",
        &site.endpoint,
        "--reset-file",
        file.to_str().unwrap(),
    ];
    let done = ana.fed(&words, &format!("{ANOTHER}\n"));
    assert_eq!(done.code, 0, "{done:?}");
    ana.done(&["vpc", "list"]);
    ana.fed(&words, &format!("{PASSWORD}\n"))
        .failed(4, "reset-refused");
}
