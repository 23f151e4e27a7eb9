//! Logging in at a provider that is not ours: Dex, a real one, as a process of the test's own. In a browser, on a device,
//! with groups that come and go, and with what must not work. Needs no cluster.

mod login {
    pub mod browser;
    pub mod dex;
    pub mod person;
    pub mod refused;
}

use std::{fs, time::Duration};

use e2e::{Caller, Platform, Stages};
use login::{browser::Browser, dex::Dex, person::Person};
use serde_json::json;

const PASSWORD: &str = "correct horse battery staple";

#[test]
fn somebody_elses_provider_vouches_for_people() {
    let platform = Platform::start();
    let mut stages = Stages::new();
    for words in [
        &["org", "create", "acme"][..],
        &["project", "create", "shop", "--org", "acme"],
        &["project", "create", "blog", "--org", "acme"],
    ] {
        platform.cloud(words).ok();
    }
    let mut dex = Dex::prepare(platform.dir());
    fs::write(platform.settings(), dex.settings(true)).expect("writable");
    platform.restart_cloudd();
    stages.run(
        "a provider that is away stops nobody but who wants in by it",
        || {
            Person::new(&platform, "early").refused(
                &["login", "--provider", "corp"],
                1,
                "provider-unreachable",
            );
            Person::new(&platform, "lost").refused(
                &["login", "--provider", "nowhere"],
                3,
                "provider-not-found",
            );
        },
    );
    dex.start();
    let ana = Person::new(&platform, "ana");
    stages.run("in a browser; groups are roles", || {
        let browser = Browser::of("ana-1", "ana@acme.example", "developers,unheard-of");
        ana.logs_in(&browser, &[]);
        assert_eq!(ana.roles(), ["project_member shop"]);
    });
    stages.run("on a device", || {
        let bea = Person::new(&platform, "bea");
        let browser = Browser::of("bea-1", "bea@acme.example", "developers,owners");
        bea.logs_in_on_a_device(&browser);
        assert_eq!(bea.roles(), ["org_admin acme", "project_member shop"]);
    });
    stages.run("a login is completed once, by who began it", || {
        login::refused::replayed(&platform)
    });
    stages.run("a group that is gone takes its role with it", || {
        let before = ana.access_token();
        let again = Person::new(&platform, "ana-again");
        again.logs_in(&Browser::of("ana-1", "ana@acme.example", "readers"), &[]);
        assert_eq!(again.roles(), ["project_viewer shop"]);
        let (status, _) = Caller::nobody(&platform)
            .with(&before)
            .try_call("GET", "/v1/whoami", &json!(null));
        assert_eq!(status, 401, "tokens with the role that is gone have ended");
        let last = Person::new(&platform, "ana-last");
        last.is_refused_in_browser(
            &Browser::of("ana-1", "ana@acme.example", ""),
            &[],
            "login-no-role",
        );
    });
    stages.run(
        "an invitation is taken up with it and does not go with a group",
        || {
            let invited = platform.cloud(&[
                "user",
                "invite",
                "bob@acme.example",
                "--role",
                "project_viewer",
                "--project",
                "blog",
                "-o",
                "json",
            ]);
            let code = invited.json()["code"].as_str().expect("a code").to_owned();
            let bob = Person::new(&platform, "bob");
            let file = bob.file("code", &code);
            // Without it he is nobody here.
            bob.is_refused_in_browser(
                &Browser::typing("bob@acme.example", login::dex::PASSWORD),
                &[],
                "login-no-role",
            );
            let browser = Browser::typing("bob@acme.example", login::dex::PASSWORD);
            bob.logs_in(&browser, &["--invitation-file", &file]);
            assert_eq!(bob.roles(), ["project_viewer blog"]);
            bob.is_refused_in_browser(&browser, &["--invitation-file", &file], "invitation-refused");
        },
    );
    stages.run(
        "an address is believed only where the provider answers for it",
        || {
            login::refused::addresses(&platform);
        },
    );
    stages.run(
        "with passwords switched off the provider is the way in, and root stays",
        || {
            let dora = json!({"email": "dora@acme.example", "password": PASSWORD});
            Caller::nobody(&platform).call("POST", "/v1/login", &dora);
            fs::write(platform.settings(), dex.settings(false)).expect("writable");
            platform.restart_cloudd();
            let (status, told) = Caller::nobody(&platform).try_call("POST", "/v1/login", &dora);
            assert_eq!(
                (status, told["code"].as_str()),
                (422, Some("password-login-off")),
                "{told}"
            );
            let person = Person::new(&platform, "only-way");
            person.logs_in_unnamed(&Browser::of("dora-1", "dora@acme.example", ""));
            assert_eq!(person.roles(), ["project_viewer shop"]);
            platform.cloud(&["org", "list"]).ok();
        },
    );
    stages.run("it is in the audit log, and no secret of it is anywhere", || {
        let log = platform
            .cloud(&["audit", "list", "--limit", "1000", "-o", "json"])
            .ok();
        for word in [
            "beginLogin",
            "completeLogin",
            "ana@acme.example",
            "\"login-no-role\"",
        ] {
            assert!(log.contains(word), "no {word} in the log");
        }
        login::refused::secrets(&platform, &dex);
    });
    dex.stop();
    stages.run("a provider that went away is named", || {
        let ended = Person::new(&platform, "late").run(&["login", "--device"], Duration::from_secs(60));
        assert!(
            ended.stderr.contains("error[provider-unreachable]"),
            "{}",
            ended.told()
        );
        assert!(ended.stderr.contains("'corp'"), "{}", ended.told());
    });
    platform.finish();
    stages.end();
}
