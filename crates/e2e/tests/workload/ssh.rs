//! `cloud ssh`: onto a worker, by those who may and through the platform alone.

mod guests;
mod tickets;

use std::{fs, path::PathBuf, process::Command, time::Duration};

use e2e::{Cluster, Ended, Platform, Session, run, run_with_input};

use guests::Guests;

const CALL: Duration = Duration::from_secs(60);
/// Of what the name of a session's directory begins with.
const LEFT: &str = "cloud-ssh-";

pub struct Workers {
    pub first: String,
    pub second: String,
    pub second_id: String,
    pub first_id: String,
}

fn workers(platform: &Platform) -> Workers {
    let list = platform.cloud(&["instance", "list", "-o", "json"]).json();
    let of = |n: usize, field: &str| {
        list["instances"][n][field]
            .as_str()
            .expect("two workers")
            .to_owned()
    };
    Workers {
        first: of(0, "name"),
        second: of(1, "name"),
        first_id: of(0, "id"),
        second_id: of(1, "id"),
    }
}

pub fn onto_a_worker(cluster: &Cluster<'_>, platform: &Platform) {
    let Workers { first, second_id, .. } = workers(platform);
    assert_eq!(
        platform.cloud(&["ssh", &first, "--", "hostname"]).ok().trim(),
        first
    );
    let inside = platform
        .cloud(&["ssh", &second_id, "--", "id -un; echo $SSH_CONNECTION"])
        .ok();
    assert!(inside.starts_with("root\n"), "{inside}");
    let seven = platform.cloud(&["ssh", &first, "--", "exit", "7"]);
    assert_eq!(seven.code, Some(7), "{}", seven.told());
    // A megabyte in, the same megabyte out.
    let megabyte: String = (0..16_384u32)
        .map(|n| {
            format!(
                "{:063x}\n",
                u128::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c)
            )
        })
        .collect();
    assert_eq!(megabyte.len(), 1 << 20);
    let back = run_with_input(
        &mut platform.cloud_command(&["ssh", &first, "--", "cat"]),
        &megabyte,
        CALL,
    );
    assert!(
        back.stdout == megabyte,
        "{} bytes came back\n{}",
        back.stdout.len(),
        back.stderr
    );
    for (words, code, told) in [
        (vec!["ssh", "nobody", "--", "true"], 3, "instance-not-found"),
        // A system machine does not exist for anybody.
        (
            vec!["ssh", &cluster.plane().id, "--", "true"],
            3,
            "instance-not-found",
        ),
        (
            vec!["ssh", &first, "--key", "nope", "--", "true"],
            3,
            "ssh-key-not-found",
        ),
    ] {
        let ended = platform.cloud(&words);
        assert_eq!(ended.code, Some(code), "{}", ended.told());
        assert!(ended.stderr.contains(told), "{}", ended.told());
    }
    let mut without = platform.cloud_command(&["ssh", &first, "--", "true"]);
    let ended = run(without.env("PATH", "/nonexistent"), CALL);
    assert!(ended.stderr.contains("ssh-missing"), "{}", ended.told());
    nothing_left();
}

fn nothing_left() {
    let left: Vec<PathBuf> = ["/dev/shm", "/tmp"]
        .iter()
        .flat_map(|place| fs::read_dir(place).expect("readable"))
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with(LEFT))
        })
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// `ssh`, `scp` and whatever else goes through them, by the lines that are printed.
pub fn by_configuration(platform: &Platform) {
    let Workers { first, .. } = workers(platform);
    let dir = platform.dir().join("ssh");
    fs::create_dir_all(&dir).expect("writable");
    let mine = |command: &mut Command| {
        command
            .env("PLASMACLOUD_CONFIG_DIR", &dir)
            .env("PLASMACLOUD_CLIENT_FILE", platform.state().join("client.toml"));
    };
    let mut print = platform.cloud_command(&["ssh", &first, "--print-config"]);
    mine(&mut print);
    let lines = run(&mut print, CALL).ok();
    let config = dir.join("config");
    fs::write(&config, &lines).expect("writable");
    let sent = dir.join("sent");
    fs::write(&sent, "through scp\n").expect("writable");
    let program = |name: &str, words: &[&str]| {
        let mut command = Command::new(name);
        command.arg("-F").arg(&config).args(words);
        mine(&mut command);
        run(&mut command, CALL)
    };
    let there = format!("{first}:/root/sent");
    program("scp", &["-q", sent.to_str().expect("plain"), &there]).ok();
    let read = program("ssh", &[&first, "cat /root/sent && rm /root/sent"]).ok();
    assert_eq!(read, "through scp\n", "{lines}");
}

/// A certificate for one worker, shown to the other through a tunnel that is good.
pub fn another_workers_certificate(platform: &Platform) {
    let Workers { first, second, .. } = workers(platform);
    let dirs = [&first, &second].map(|name| {
        let dir = platform.dir().join("renewed").join(name);
        let dir = dir.to_str().expect("plain").to_owned();
        platform.cloud(&["ssh", name, "--renew", &dir]).ok();
        dir
    });
    let enter = |certified: &str, there: &str| {
        let proxy = format!(
            "{} ssh-proxy --way {there}/way.json",
            platform.programs().cloud.display()
        );
        let mut command = Command::new("ssh");
        command.args([
            "-F",
            "none",
            "-o",
            "BatchMode=yes",
            "-o",
            "IdentitiesOnly=yes",
            "-o",
        ]);
        command.arg(format!("ProxyCommand={proxy}"));
        command.args([
            "-o",
            "StrictHostKeyChecking=no",
            "-o",
            "UserKnownHostsFile=/dev/null",
        ]);
        command.args(["-i", &format!("{certified}/key"), "root@worker", "hostname"]);
        run(&mut command, CALL)
    };
    assert_eq!(enter(&dirs[1], &dirs[1]).ok().trim(), second);
    let refused = enter(&dirs[0], &dirs[1]);
    assert!(
        refused.stderr.contains("Permission denied (publickey)"),
        "{}",
        refused.told()
    );
}

/// Who may and who may not, with a key of theirs, until they log out.
pub fn people(platform: &Platform) {
    let workers = workers(platform);
    let guests = Guests::invite(platform);
    let hostname = ["ssh", &workers.first, "--", "hostname"];
    assert_eq!(guests.admin.cloud(&hostname).ok().trim(), workers.first);
    for (who, code, told) in [
        (&guests.viewer, 4, "forbidden"),
        (&guests.member, 4, "forbidden"),
        (&guests.stranger, 3, "project-not-found"),
    ] {
        let ended = who.cloud(&hostname);
        assert_eq!(ended.code, Some(code), "{}", ended.told());
        assert!(ended.stderr.contains(told), "{}", ended.told());
    }
    known_key(platform, &guests, &workers);
    tickets::refused(platform, &guests, &workers);
    tickets::without_cloudd(platform, &guests, &workers);
    unknown_keys(platform, &workers);
    let audit = platform
        .cloud(&["audit", "list", "--since", "1h", "-o", "json"])
        .ok();
    assert!(
        audit.contains("sshInstance") && audit.contains("bob@acme.example"),
        "{audit}"
    );

    // Logging out ends what is open and what could be opened.
    let way = guests.admin.way(&workers.first_id);
    tickets::passes(platform, &way).ok();
    let mut open =
        Session::start(
            &mut guests
                .admin
                .command(&["ssh", &workers.first, "--", "echo here; sleep 600"]),
        );
    open.hears("here", CALL);
    guests.admin.log_out();
    e2e::eventually("an open connection ends", CALL, || match open.goes_on() {
        Ok(()) => Err("it goes on".to_owned()),
        Err(_) => Ok(()),
    });
    let ended = guests.admin.cloud(&hostname);
    assert_eq!(ended.code, Some(4), "{}", ended.told());
    let ended = tickets::passes(platform, &way);
    assert!(ended.stderr.contains("ticket-refused"), "{}", ended.told());
}

fn known_key(platform: &Platform, guests: &Guests, workers: &Workers) {
    let dir = platform.dir().join("keys");
    fs::create_dir_all(&dir).expect("writable");
    let key = dir.join("id_ed25519");
    let path = key.to_str().expect("plain");
    run(
        Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-C", "ana's", "-f", path]),
        CALL,
    )
    .ok();
    let ended = guests.admin.cloud(&["ssh-key", "add", "laptop", "--file", path]);
    assert!(ended.stderr.contains("ssh-key-private"), "{}", ended.told());
    let public = format!("{path}.pub");
    let added = guests
        .admin
        .cloud(&["ssh-key", "add", "laptop", "--file", &public])
        .ok();
    let shown = run(Command::new("ssh-keygen").args(["-l", "-f", &public]), CALL).ok();
    let fingerprint = shown.split(' ').nth(1).expect("bits, then it");
    assert!(added.contains(fingerprint), "{added} {shown}");
    let with_it = [
        "ssh",
        &workers.second,
        "--key",
        "laptop",
        "-i",
        path,
        "--",
        "hostname",
    ];
    assert_eq!(guests.admin.cloud(&with_it).ok().trim(), workers.second);
    // A name is its owner's own.
    assert!(!guests.viewer.cloud(&["ssh-key", "list"]).ok().contains("laptop"));
    guests.admin.cloud(&["ssh-key", "delete", "laptop"]).ok();
    assert_eq!(guests.admin.cloud(&with_it).code, Some(3));
}

/// Straight at a worker's sshd, from the host's side of its network.
fn unknown_keys(platform: &Platform, workers: &Workers) {
    let view = platform
        .cloud(&["instance", "get", &workers.first, "-o", "json"])
        .json();
    let address = view["address"].as_str().expect("an address").to_owned();
    let namespaces = run(Command::new("ip").args(["netns", "list"]), CALL).ok();
    let mark = format!("pc-{}-", platform.mark());
    let namespace = namespaces
        .lines()
        .find(|line| line.starts_with(&mark))
        .expect("the VPC's");
    let namespace = namespace.split(' ').next().expect("a name").to_owned();
    let stranger = platform.dir().join("keys/id_ed25519");
    let inside = |options: &[&str]| -> Ended {
        let mut command = Command::new("ip");
        command.args([
            "netns",
            "exec",
            &namespace,
            "ssh",
            "-F",
            "none",
            "-o",
            "StrictHostKeyChecking=no",
        ]);
        command
            .args(["-o", "UserKnownHostsFile=/dev/null", "-o", "BatchMode=yes"])
            .args(options);
        command.arg(format!("root@{address}")).arg("true");
        run(&mut command, CALL)
    };
    for options in [
        ["-o", "PreferredAuthentications=password"],
        ["-i", stranger.to_str().expect("plain")],
    ] {
        let ended = inside(&options);
        assert!(
            ended.stderr.contains("Permission denied (publickey)"),
            "{}",
            ended.told()
        );
    }
}
