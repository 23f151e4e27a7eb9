//! What a machine costs to start and to remove, printed; the bounds are wide, for a machine that does other work too.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use ports::{
    Compute,
    compute::{Init, Unit},
};
use types::{
    Bytes,
    machine::{Power, Size},
};

use crate::harness::{World, eventually, inside, status};

#[test]
fn a_system_machine_starts_and_goes_quickly() {
    let world = World::new();
    let mut applies = Vec::new();
    for round in 0..3 {
        let mut machine = world.machine("exec sleep 1000");
        if round == 2 {
            machine.size.disk = Some(Bytes::gib(20));
        }
        world.attach(&mut machine, &world.volume(), "/data");
        crate::harness::plug(&machine.nic);
        let start = Instant::now();
        let leader = world.apply(&machine);
        let applied = start.elapsed();
        eventually("its process runs", || status(leader)?.processes[0].pid);
        let ran = start.elapsed();
        let again = Instant::now();
        world.apply(&machine);
        let unchanged = again.elapsed();
        let removing = Instant::now();
        world.wait(world.driver.remove(&machine.id)).unwrap();
        eprintln!(
            "apply {applied:?}, process {ran:?}, unchanged apply {unchanged:?}, remove {:?}",
            removing.elapsed()
        );
        applies.push(applied);
    }
    applies.sort();
    assert!(applies[1] < Duration::from_secs(2), "{applies:?}");
}

/// The node's tree of the current v1.36 bundle.
fn node_image() -> PathBuf {
    let cache = std::env::var_os("PLASMACLOUD_CACHE_DIR").unwrap_or_else(|| "/var/cache/plasmacloud".into());
    let cache = Path::new(&cache);
    let hint = "this test boots the node image of a v1.36 bundle: make one with 'cloud bundle build v1.36', or set \
                PLASMACLOUD_CACHE_DIR to a cache that has one";
    assert!(cache.is_dir(), "{hint}; there is no {}", cache.display());
    let found = bundle::Cache::open(cache).and_then(|cache| cache.resolve("v1.36"));
    let bundle = found.unwrap_or_else(|error| panic!("{hint}; {}: {error}", cache.display()));
    let tree = bundle
        .unwrap_or_else(|| panic!("{hint}; there is none in {}", cache.display()))
        .node_tree();
    assert!(tree.is_dir(), "{hint}; {} is missing", tree.display());
    tree
}

#[test]
fn a_node_reaches_multi_user_quickly() {
    let world = World::new();
    let mut machine = world.machine("unused");
    machine.image = node_image();
    machine.init = Init::Systemd;
    machine.hostname = "node-1".to_owned();
    machine.size = Size {
        vcpus: 6,
        memory: Bytes::gib(2),
        disk: Some(Bytes::gib(20)),
    };
    machine.config.files.clear();
    machine.config.units.push(Unit {
        name: "reached.service".to_owned(),
        text: "[Unit]\nAfter=multi-user.target\n[Service]\nType=oneshot\nExecStart=touch /run/reached\n"
            .to_owned(),
        enabled: true,
    });
    crate::harness::plug(&machine.nic);
    let start = Instant::now();
    let leader = world.apply(&machine);
    let applied = start.elapsed();
    eventually("multi-user is reached", || {
        inside(leader, "/run/reached").exists().then_some(())
    });
    eprintln!("apply {applied:?}, multi-user {:?}", start.elapsed());
    let pid = leader.pid.to_string();
    let ask = |words: &[&str]| {
        let enter = [
            "-t", &pid, "-m", "-u", "-i", "-n", "-p", "-U", "-C", "-r", "-w", "--",
        ];
        let output = Command::new("nsenter").args(enter).args(words).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    eprintln!("{}", ask(&["systemctl", "--failed", "--no-legend", "--plain"]));
    assert_eq!(ask(&["systemctl", "is-system-running"]).trim(), "running");
    assert_eq!(ask(&["nproc", "--all"]).trim(), "6");
    assert!(ask(&["cat", "/proc/meminfo"]).starts_with("MemTotal:        2097152 kB"));
    assert_eq!(ask(&["hostname"]).trim(), "node-1");
    let stopping = Instant::now();
    machine.power = Power::Off;
    world.wait(world.driver.apply(&machine)).unwrap();
    eprintln!("power off {:?}", stopping.elapsed());
    assert!(
        stopping.elapsed() < Duration::from_secs(15),
        "it had to be killed"
    );
    let console = world.wait(world.driver.console(&machine.id, 5)).unwrap();
    assert!(!console.is_empty());
}
