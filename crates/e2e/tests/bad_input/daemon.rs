//! Faults around the daemon itself.

use std::{fs, net::TcpListener};

use e2e::{Ended, Platform};

#[track_caller]
fn told(ended: &Ended, code: &str) {
    assert!(ended.code.is_some_and(|code| code != 0), "{}", ended.told());
    assert!(
        ended.stderr.contains(&format!("error[{code}]: ")),
        "not {code}: {}",
        ended.told()
    );
    assert!(ended.stderr.contains("help: "), "{}", ended.told());
}

pub fn unreachable(platform: &Platform) {
    let nobody = {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        listener.local_addr().expect("bound")
    };
    let ended = platform.cloud(&["--endpoint", &format!("http://{nobody}"), "k8s", "list"]);
    assert_eq!(ended.code, Some(5), "{}", ended.told());
    told(&ended, "platform-unreachable");
    let nowhere = platform.dir().join("no-such-file");
    let ended = e2e::run(
        platform
            .cloud_command(&["k8s", "list"])
            .env("PLASMACLOUD_CLIENT_FILE", nowhere),
        std::time::Duration::from_secs(20),
    );
    assert_eq!(ended.code, Some(5), "{}", ended.told());
}

pub fn second(platform: &Platform) {
    let mut words = platform.words();
    let at = words.iter().position(|word| word == "--listen").expect("given");
    words[at + 1] = "127.0.0.1:0".to_owned();
    let ended = platform.second_cloudd(&words);
    told(&ended, "already-running");
    platform.cloud(&["k8s", "list"]).ok();
    // Nor is anything taken away below a daemon that runs.
    words.insert(0, "teardown".to_owned());
    told(&platform.second_cloudd(&words), "already-running");
    assert!(platform.cloud(&["k8s", "list"]).ok().contains("RUNNING"));
}

/// The words of a daemon of its own beside the platform.
fn elsewhere(platform: &Platform, name: &str) -> Vec<String> {
    let mut words = platform.words();
    for (flag, value) in [
        ("--state-dir", platform.dir().join(name).display().to_string()),
        ("--listen", "127.0.0.1:0".to_owned()),
    ] {
        let at = words.iter().position(|word| word == flag).expect("given");
        words[at + 1] = value;
    }
    words
}

pub fn port_in_use(platform: &Platform) {
    let held = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let mut words = elsewhere(platform, "second");
    let at = words.iter().position(|word| word == "--listen").expect("given");
    words[at + 1] = held.local_addr().expect("bound").to_string();
    told(&platform.second_cloudd(&words), "port-in-use");
    fs::remove_dir_all(platform.dir().join("second")).expect("its state directory");
}

pub fn settings(platform: &Platform) {
    let file = platform.dir().join("wrong.toml");
    for (text, code) in [
        ("state_dri = \"/tmp\"\n", "config-invalid"),
        ("listen = \"0.0.0.0:1\"\n", "listen-not-loopback"),
    ] {
        fs::write(&file, text).expect("writable");
        let words = ["--config".to_owned(), file.display().to_string()];
        told(&platform.second_cloudd(&words), code);
    }
    let open = platform.dir().join("open");
    fs::create_dir(&open).expect("writable");
    told(
        &platform.second_cloudd(&elsewhere(platform, "open")),
        "state-dir-open",
    );
}

/// A copy of the platform's own state, damaged.
pub fn damaged(platform: &Platform) {
    let copy = platform.dir().join("damaged");
    fs::create_dir(&copy).expect("writable");
    std::os::unix::fs::chown(&copy, None, None).expect("ours");
    fs::set_permissions(&copy, std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("ours");
    fs::create_dir(copy.join("auth")).expect("writable");
    let held = platform.without_cloudd();
    for name in ["platform.db", "auth/master.key", "auth/token"] {
        let _ = fs::copy(platform.state().join(name), copy.join(name));
    }
    drop(held);
    platform.wait_until_healthy();
    let database = copy.join("platform.db");
    let whole = fs::read(&database).expect("the database");
    assert!(whole.len() > 8192, "it holds something");
    for (what, bytes) in [
        ("cut off", whole[..whole.len() / 2].to_vec()),
        ("overwritten", vec![0x5a; whole.len()]),
        ("empty", Vec::new()),
    ] {
        for name in ["platform.db-wal", "platform.db-shm"] {
            let _ = fs::remove_file(copy.join(name));
        }
        fs::write(&database, &bytes).expect("writable");
        let ended = platform.second_cloudd(&elsewhere(platform, "damaged"));
        assert!(
            ended.code == Some(1),
            "a database that is {what} is not served: {}",
            ended.told()
        );
        assert!(
            ended.stderr.contains("error[") && ended.stderr.contains("help: "),
            "{what}: {}",
            ended.told()
        );
        assert!(
            ended.stderr.contains("platform.db"),
            "{what}: the file is named: {}",
            ended.told()
        );
        assert_eq!(
            fs::read(&database).expect("it stays"),
            bytes,
            "{what}: it is left as it was, to be looked at"
        );
    }
    fs::remove_dir_all(copy).expect("ours");
}
