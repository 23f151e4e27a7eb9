//! The daemon is dead and stays dead for a while.

use std::time::Duration;

use e2e::{Cluster, Machine, Platform, Session, eventually, holds_for};

use super::death::pods_run;

const DEAD: Duration = Duration::from_secs(60);
const SOON: Duration = Duration::from_secs(30);

/// A watch and an exec session go on, a new pod starts, and a killed component comes back.
pub fn unnoticed(cluster: &Cluster<'_>, platform: &Platform) {
    pods_run(cluster, "shell");
    let mut watch = Session::start(&mut cluster.kubectl_command(&["get", "configmaps", "-w", "-o", "name"]));
    let mut exec = Session::start(&mut cluster.kubectl_command(&["exec", "-i", "shell", "--", "/bin/sh"]));
    watch.hears("configmap/", SOON);
    exec.say("echo word-$((1 + 1))\n");
    exec.hears("word-2", SOON);
    let held = platform.without_cloudd();
    let mut number = 10;
    holds_for("watch and exec go on without cloudd", DEAD, || {
        number += 1;
        let name = format!("while-dead-{number}");
        cluster.kubectl(&["create", "configmap", &name]).try_ok()?;
        watch.hears(&name, SOON);
        exec.say(&format!("echo word-$(({number} + 0))\n"));
        exec.hears(&format!("word-{number}"), SOON);
        watch.goes_on()?;
        exec.goes_on()
    });
    pods_run(cluster, "without-cloudd");
    super::death::component_without_cloudd(cluster);
    let unreachable = platform.cloud(&["k8s", "list"]);
    assert_eq!(unreachable.code, Some(5), "{}", unreachable.told());
    drop(held);
    platform.wait_until_healthy();
    cluster.wait_for_phase("RUNNING", SOON);
    exec.say("echo still-$((40 + 2))\n");
    exec.hears("still-42", SOON);
}

pub fn late(cluster: &Cluster<'_>, platform: &Platform) {
    let node = cluster.node_names().remove(0);
    let held = platform.without_cloudd();
    let machine = Machine::named(platform.mark(), &node);
    machine.kill();
    drop(held);
    platform.wait_until_healthy();
    eventually("the worker is started again", Duration::from_secs(60), || {
        let all = Machine::all(platform.mark());
        let again = all
            .iter()
            .find(|m| m.hostname == node && m.leader != machine.leader);
        again.map(|_| ()).ok_or_else(|| format!("{all:?}"))
    });
    cluster.wait_for_phase("RUNNING", Duration::from_secs(60));
}
