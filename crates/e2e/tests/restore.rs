//! The platform's state is lost and comes back from a backup: beside machines that ran all the while, and on a host on which
//! nothing is left.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use e2e::{Cluster, Machine, Platform, Stages, run};

const LONG: Duration = Duration::from_secs(180);
/// What a platform remembers. Beside it are machines and volumes, and what networks and the edge have seen, which is newer
/// than the backup.
const STATE: [&str; 7] = [
    "platform.db",
    "platform.db-wal",
    "platform.db-shm",
    "auth",
    "instance",
    "client.toml",
    "images",
];

#[test]
fn what_was_lost_comes_back() {
    let mut platform = Platform::start();
    let mut stages = Stages::new();
    platform
        .cloud(&["vpc", "create", "--name", "lab", "--cidr", "10.20.0.0/16"])
        .ok();
    {
        let cluster = Cluster::create(&platform, "dev", "lab", 1, &["--instance-type", "u1.small"]);
        cluster
            .kubectl(&["create", "configmap", "kept", "--from-literal=a=b"])
            .ok();
        backup(&platform);
        stages.run("machines that run are adopted", || adopted(&platform, &cluster));
    }
    stages.run("on an empty host it is LOST, and can be deleted", || {
        lost(&mut platform)
    });
    platform.finish();
    stages.end();
}

fn file(platform: &Platform, name: &str) -> String {
    platform.dir().join(name).display().to_string()
}

fn backup(platform: &Platform) {
    let passphrase = file(platform, "passphrase");
    fs::write(&passphrase, "a passphrase of the test\n").expect("written");
    let out = file(platform, "backup");
    platform
        .cloud(&["admin", "backup", "--out", &out, "--passphrase-file", &passphrase])
        .ok();
}

fn restore(platform: &Platform) {
    let mut command = Command::new(&platform.programs().cloud);
    command.args(["admin", "restore", "--from", &file(platform, "backup")]);
    command.args(["--passphrase-file", &file(platform, "passphrase")]);
    command.arg("--state-dir").arg(platform.state());
    run(&mut command, LONG).ok();
}

fn remove(path: &Path) {
    let _ = fs::remove_file(path);
    let _ = fs::remove_dir_all(path);
}

/// The network changes after the backup, so that what is in force is newer than what is put back.
fn adopted(platform: &Platform, cluster: &Cluster<'_>) {
    Cluster::create(platform, "later", "lab", 0, &["--instance-type", "u1.small"]).delete();
    let before: Vec<_> = processes(platform);
    assert!(before.len() >= 2, "{before:?}");
    let held = platform.without_cloudd();
    for name in STATE {
        remove(&platform.state().join(name));
    }
    restore(platform);
    drop(held);
    platform.wait_until_healthy();
    cluster.wait_for_phase("RUNNING", LONG);
    assert_eq!(processes(platform), before, "no machine was started again");
    let again = Cluster::open(platform, "dev");
    assert!(again.get(&["configmap", "kept"]).is_ok());
    platform.cloud(&["audit", "verify"]).ok();
    // It is not only looked at: it can be changed.
    let spec = "apiVersion: plasmacloud.io/v1\nkind: Cluster\nmetadata: {name: dev}\nspec:\n  vpc: lab\n  nodeGroups:\n    \
                default: {minReplicas: 2, maxReplicas: 2, instanceType: u1.small}\n";
    let path = file(platform, "dev.yaml");
    fs::write(&path, spec).expect("written");
    platform.cloud(&["apply", "-f", &path]).ok();
    assert_eq!(again.node_names().len(), 2);
    let after = processes(platform);
    assert!(
        before.iter().all(|machine| after.contains(machine)),
        "{before:?}\n{after:?}"
    );
}

/// The first process of each machine, with when it was started.
fn processes(platform: &Platform) -> Vec<String> {
    let mut all: Vec<String> = Machine::all(platform.mark())
        .iter()
        .map(|machine| format!("{machine:?}"))
        .collect();
    all.sort();
    all
}

fn lost(platform: &mut Platform) {
    platform.power_cut();
    let state: PathBuf = platform.state();
    fs::remove_dir_all(&state).expect("nothing holds it");
    restore(platform);
    platform.boot();
    let cluster = Cluster::open(platform, "dev");
    let reason = cluster.wait_for_phase("LOST", LONG);
    assert!(reason.contains("is gone"), "{reason}");
    let view = cluster.view();
    let conditions = view["cluster"]["conditions"].as_array().expect("a list");
    let data = conditions
        .iter()
        .find(|c| c["kind"] == "DataPresent")
        .expect("told");
    let message = data["message"].as_str().unwrap_or_default();
    assert!(
        data["holds"] == false && message.contains("cloud k8s delete dev"),
        "{data}"
    );
    assert!(
        !state.join("volumes").exists() || fs::read_dir(state.join("volumes")).expect("read").count() == 0
    );
    cluster.delete();
    platform.cloud(&["vpc", "delete", "lab"]).ok();
}
