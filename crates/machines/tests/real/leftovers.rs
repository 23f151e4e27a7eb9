//! Nothing is left, and what is left anyway is found, without reading any record.

use std::process::Command;

use ports::Compute;
use types::Bytes;

use crate::harness::{World, eventually, run, status};

#[test]
fn removing_leaves_nothing_and_may_be_repeated() {
    let world = World::new();
    let mut machine = world.machine("exec sleep 1000");
    machine.size.disk = Some(Bytes::mib(64));
    let volume = world.volume();
    world.attach(&mut machine, &volume, "/data");
    let leader = world.boot(&machine);
    eventually("its process runs", || status(leader)?.processes[0].pid);
    let found = world.scan();
    for kind in ["Process", "Cgroup", "Mount", "LoopDevice", "File"] {
        assert!(found.iter().any(|f| f.starts_with(kind)), "{kind}: {found:?}");
    }
    assert!(
        found.iter().filter(|f| f.ends_with(machine.id.as_str())).count() > 10,
        "{found:?}"
    );
    for _ in 0..2 {
        world.wait(world.driver.remove(&machine.id)).unwrap();
        assert_eq!(world.scan(), Vec::<String>::new());
    }
    let volumes = std::fs::read_dir(world.state.path().join("volumes"))
        .unwrap()
        .count();
    assert_eq!(volumes, 1, "a volume is only detached");
}

#[test]
fn planted_leftovers_are_found() {
    let world = World::new();
    let id = types::MachineId::generate();
    let there = |path: &str| std::path::Path::new(path).exists();
    let family = format!("plasmacloud-{}", world.instance);
    let cgroup = if there("/sys/fs/cgroup/pids") {
        format!("/sys/fs/cgroup/pids/{family}/{id}")
    } else if there("/run/systemd/system") {
        format!("/sys/fs/cgroup/plasmacloud.slice/{family}-{id}.scope")
    } else {
        format!("/sys/fs/cgroup/{family}/{id}")
    };
    std::fs::create_dir_all(&cgroup).unwrap();
    let mounted = world.state.path().join("machines").join(id.as_str()).join("root");
    std::fs::create_dir_all(&mounted).unwrap();
    run("mount", &["-t", "tmpfs", "none", mounted.to_str().unwrap()]);
    let found = world.scan();
    for kind in ["Cgroup", "Mount", "File"] {
        assert!(
            found
                .iter()
                .any(|f| f.starts_with(kind) && f.ends_with(id.as_str())),
            "{kind}: {found:?}"
        );
    }
    world.wait(world.driver.remove(&id)).unwrap();
    assert_eq!(world.scan(), Vec::<String>::new());
}

#[test]
fn a_process_in_another_mount_namespace_holds_no_disk() {
    let world = World::new();
    let mut machine = world.machine("exec sleep 1000");
    machine.size.disk = Some(Bytes::mib(64));
    world.boot(&machine);
    let mut holder = Command::new("unshare")
        .args(["--mount", "--propagation", "slave", "sleep", "60"])
        .spawn()
        .unwrap();
    eventually("it has its own namespace", || {
        let read = |pid: &str| std::fs::read_link(format!("/proc/{pid}/ns/mnt")).ok();
        (read(&holder.id().to_string())? != read("self")?).then_some(())
    });
    let removed = world.wait(world.driver.remove(&machine.id));
    let found = world.scan();
    holder.kill().unwrap();
    holder.wait().unwrap();
    removed.unwrap();
    assert_eq!(found, Vec::<String>::new());
}
