//! A newer release of the platform has other defaults. Clusters that exist are as they were; new ones have them.

use std::{fs, time::Duration};

use e2e::{Cluster, Machine, Platform, holds_for};

const FLAGS: &str = include_str!("../../../engine-hosted/recipe/plane/kube-apiserver.flags");
/// Longer than the platform leaves a settled cluster without a look.
const LOOKED_AT_TWICE: Duration = Duration::from_secs(25);

pub fn other_defaults(cluster: &Cluster<'_>, platform: &Platform) {
    let machines = || -> Vec<String> {
        let all = Machine::all(platform.mark());
        all.iter()
            .map(|m| format!("{} {:?}", m.hostname, m.leader))
            .collect()
    };
    let (before, recipe) = (machines(), recipe_of(platform, "dev"));
    let changed = FLAGS.replace("--audit-log-maxage=30", "--audit-log-maxage=31");
    assert_ne!(changed, FLAGS);
    let dir = platform.dir().join("recipe/plane");
    fs::create_dir_all(&dir).expect("writable");
    fs::write(dir.join("kube-apiserver.flags"), changed).expect("writable");
    let setting = format!("recipe_dir = {:?}\n", platform.dir().join("recipe"));
    fs::write(platform.settings(), setting).expect("writable");
    platform.restart_cloudd();
    holds_for("the cluster is left as it is", LOOKED_AT_TWICE, || {
        let now = machines();
        if now == before {
            Ok(())
        } else {
            Err(format!("{now:?}, before {before:?}"))
        }
    });
    cluster.wait_for_phase("RUNNING", Duration::from_secs(10));
    assert_eq!(recipe_of(platform, "dev"), recipe);

    Cluster::create(platform, "young", "lab", 0, &[]);
    assert_ne!(recipe_of(platform, "young"), recipe);
    let running = apiserver_of(platform, "young-plane");
    assert!(running.contains("--audit-log-maxage=31"), "{running}");
    platform.cloud(&["k8s", "delete", "young"]).ok();
    fs::write(platform.settings(), "").expect("writable");
    platform.restart_cloudd();
}

fn recipe_of(platform: &Platform, name: &str) -> String {
    let shown = platform.cloud(&["k8s", "get", name, "-o", "json"]).json();
    shown["cluster"]["pins"]["recipe"]
        .as_str()
        .expect("a digest")
        .to_owned()
}

fn apiserver_of(platform: &Platform, hostname: &str) -> String {
    let machine = Machine::named(platform.mark(), hostname);
    machine.process("kube-apiserver").words().join(" ")
}
