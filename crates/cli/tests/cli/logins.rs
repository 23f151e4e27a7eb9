//! Logging in and out, contexts, and tokens that end.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::{Child, Stdio},
};

use crate::{
    person::{PASSWORD, Person, invitation},
    site::{Ran, Site},
};

fn ana(site: &Site) -> Person {
    Person::invited(site, "ana@acme.example", "project_member", "default")
}

#[test]
fn in_and_out() {
    let site = Site::start();
    let ana = ana(&site);
    let me = ana.done(&["whoami"]);
    for wanted in [
        "ana@acme.example",
        &site.endpoint,
        "project_member  default  default",
    ] {
        assert!(me.contains(wanted), "{me}");
    }
    let json: serde_json::Value = serde_json::from_str(&ana.done(&["whoami", "-o", "json"])).unwrap();
    assert_eq!(json["grants"][0]["role"], "project_member");
    let mode = fs::metadata(ana.credentials()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let out = ana.done(&["logout"]);
    assert_eq!(
        out,
        format!("logged out of {} as ana@acme.example\n", site.endpoint)
    );
    let left = fs::read_to_string(ana.credentials()).unwrap();
    assert!(!left.contains("token"), "{left}");

    let file = site.write("password", &format!("{PASSWORD}\n"));
    let login = [
        "login",
        "--endpoint",
        &site.endpoint,
        "--email",
        "Ana@acme.example",
        "--password-file",
        &file,
    ];
    let out = ana.done(&login);
    assert_eq!(
        out,
        format!(
            "logged in to {} as ana@acme.example, project default\n",
            site.endpoint
        )
    );
    let wrong = ana.fed(&login[..5], "a wrong password\n");
    wrong.failed(4, "login-refused");
    assert!(!wrong.err.contains("a wrong password"));
    ana.fed(&login[..5], "").failed(2, "answer-missing");
    ana.run(&login[..3]).failed(2, "email-missing");
    ana.run(&[&login[..], &["--project", "nope"]].concat())
        .failed(3, "project-not-found");
    // What failed changed nothing.
    ana.done(&["whoami"]);
}

#[test]
fn a_login_ended_everywhere_is_ended_here_too() {
    let site = Site::start();
    let first = ana(&site);
    let second = Person::at(&site, "second");
    let words = [
        "login",
        "--endpoint",
        &site.endpoint,
        "--email",
        "ana@acme.example",
    ];
    assert_eq!(second.fed(&words, PASSWORD).code, 0);
    second.done(&["logout", "--all"]);
    first.run(&["whoami"]).failed(4, "token-wrong");
    let ended = first.run(&["whoami"]);
    ended.failed(4, "login-ended");
    assert!(ended.err.contains("cloud login --endpoint http"), "{}", ended.err);
    assert!(second.stored().get("context").is_none());
}

#[test]
fn many_at_once_refresh_once() {
    let site = Site::start();
    let ana = ana(&site);
    for _ in 0..3 {
        ana.let_token_end();
        let before = ana.stored_value("refresh-token");
        let children: Vec<Child> = (0..24)
            .map(|_| {
                let mut command = ana.command(&["whoami", "-o", "json"]);
                command
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        for child in children {
            let ran = Ran::from(child.wait_with_output().unwrap());
            assert_eq!(ran.code, 0, "{}", ran.err);
        }
        assert_ne!(ana.stored_value("refresh-token"), before);
    }
}

#[test]
fn a_refresh_token_shown_twice_ends_the_login() {
    let site = Site::start();
    let ana = ana(&site);
    ana.let_token_end();
    let stolen = fs::read(ana.credentials()).unwrap();
    ana.done(&["whoami"]);
    fs::write(ana.credentials(), stolen).unwrap();
    ana.run(&["whoami"]).failed(4, "login-ended");
}

#[test]
fn a_login_that_cannot_be_kept_is_not_begun() {
    let site = Site::start();
    let code = invitation(&site, "ana@acme.example", "project_member", "default");
    let ana = Person::at(&site, "ana");
    fs::write(ana.home.join(".config"), "not a directory").unwrap();
    ana.login_with(&code).failed(1, "credentials-unwritable");
    fs::remove_file(ana.home.join(".config")).unwrap();
    assert_eq!(ana.login_with(&code).code, 0);
}

#[test]
fn a_token_goes_to_its_own_platform_alone() {
    let (site, other) = (Site::start(), Site::start());
    let ana = ana(&site);
    ana.run(&["--endpoint", &other.endpoint, "whoami"])
        .failed(4, "token-missing");
    ana.done(&["--endpoint", &format!("{}/", site.endpoint), "whoami"]);
    let there = Person::invited(&other, "ana@acme.example", "project_viewer", "default");
    let words = [
        "login",
        "--endpoint",
        &other.endpoint,
        "--email",
        "ana@acme.example",
    ];
    assert_eq!(ana.fed(&words, PASSWORD).code, 0);
    let name = format!(
        "ana@acme.example@{}",
        other.endpoint.trim_start_matches("http://")
    );
    assert_eq!(ana.done(&["context", "current"]), format!("{name}\n"));
    assert!(ana.done(&["whoami"]).contains("project_viewer"));
    assert!(
        ana.done(&["--context", "ana@acme.example", "whoami"])
            .contains("project_member")
    );
    ana.run(&["--context", &name, "--endpoint", &site.endpoint, "whoami"])
        .failed(2, "context-and-endpoint");
    ana.run(&["--context", "nope", "whoami"])
        .failed(3, "context-not-found");
    drop(there);
}

#[test]
fn contexts_and_their_projects() {
    let site = Site::start();
    site.done(&["org", "create", "acme"]);
    site.done(&["project", "create", "shop", "--org", "acme"]);
    let ana = ana(&site);
    let ran = ana.login_with(&invitation(&site, "ana@acme.example", "project_viewer", "shop"));
    assert!(
        ran.code == 0
            && ran
                .err
                .contains("cloud context use ana@acme.example --project NAME"),
        "{ran:?}"
    );
    let used = ana.done(&["context", "use", "ana@acme.example", "--project", "shop"]);
    assert_eq!(used, "the current context is ana@acme.example, project shop\n");
    assert!(ana.done(&["user", "list"]).contains("project_viewer  acme  shop"));
    let flagged = ana.done(&["user", "list", "--project", "default"]);
    assert!(flagged.contains("project_member  default  default"), "{flagged}");

    let listed = ana.done(&["context", "list"]);
    let line = format!("*        ana@acme.example  {}", site.endpoint);
    assert!(
        listed
            .lines()
            .any(|row| row.starts_with(&line) && row.ends_with("shop")),
        "{listed}"
    );
    let json = ana.done(&["context", "list", "-o", "json"]);
    for key in ["access-token", "refresh-token"] {
        let secret = ana.stored_value(key).as_str().unwrap().to_owned();
        assert!(secret.len() > 20 && !json.contains(&secret));
    }
    ana.run(&["context", "use", "nope"])
        .failed(3, "context-not-found");
    ana.done(&["context", "use", "local"]);
    assert_eq!(ana.done(&["context", "current"]), "local\n");

    // The operator's file, named in the environment, goes before any context.
    let mut command = ana.command(&["context", "use", "ana@acme.example"]);
    command.env("PLASMACLOUD_CLIENT_FILE", site.path("client.toml"));
    let ran = Ran::from(command.output().unwrap());
    assert!(ran.err.contains("PLASMACLOUD_CLIENT_FILE is set"), "{}", ran.err);
    let mut command = ana.command(&["whoami"]);
    command.env("PLASMACLOUD_CLIENT_FILE", site.path("client.toml"));
    assert!(
        Ran::from(command.output().unwrap())
            .out
            .contains("platform_admin")
    );
    let mut command = ana.command(&["--context", "ana@acme.example", "whoami"]);
    command.env("PLASMACLOUD_CLIENT_FILE", site.path("client.toml"));
    assert!(
        Ran::from(command.output().unwrap())
            .out
            .contains("project_member")
    );
}

#[test]
fn credentials_that_others_can_read_are_not_used() {
    let site = Site::start();
    let ana = ana(&site);
    fs::set_permissions(ana.credentials(), fs::Permissions::from_mode(0o644)).unwrap();
    ana.run(&["whoami"]).failed(4, "credentials-exposed");
}
