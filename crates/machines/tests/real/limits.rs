//! What a machine may use of its host, and what it sees of itself.

use ports::Compute;
use types::Bytes;

use crate::harness::{World, eventually, keeper_config, read_inside, status};

#[test]
fn a_memory_hog_dies_inside_its_machine() {
    let world = World::new();
    let machine = world.machine("head -c 600m /dev/zero | tail; exit 9");
    let leader = world.boot(&machine);
    eventually("the hog is killed and started again", || {
        let status = status(leader)?;
        (status.processes[0].restarts >= 1).then_some(())
    });
    let events = format!(
        "/sys/fs/cgroup/memory/plasmacloud-{}/{}",
        world.instance, machine.id
    );
    if let Ok(limit) = std::fs::read_to_string(format!("{events}/memory.limit_in_bytes")) {
        assert_eq!(limit.trim(), Bytes::mib(128).0.to_string());
        let most = std::fs::read_to_string(format!("{events}/memory.max_usage_in_bytes")).unwrap();
        assert!(most.trim().parse::<u64>().unwrap() <= Bytes::mib(128).0);
    }
    assert_eq!(world.apply(&machine), leader);
}

#[test]
fn a_full_disk_is_full_in_its_machine_only() {
    let world = World::new();
    let mut full = world.machine("dd if=/dev/zero of=/big bs=1M; echo full > /run/full; exec sleep 1000");
    full.size.disk = Some(Bytes::mib(64));
    let other =
        world.machine("dd if=/dev/zero of=/big bs=1M count=80 && echo done > /run/done; exec sleep 1000");
    let (full_leader, other_leader) = (world.boot(&full), world.boot(&other));
    eventually("it is full", || read_inside(full_leader, "/run/full"));
    eventually("the other has room", || read_inside(other_leader, "/run/done"));
    // A file that no longer fits is the machine's fault, and said so.
    let mut config = keeper_config("exec sleep 1000");
    config.path = "/etc/more".into();
    config.content = ports::compute::Content::Text("x".repeat(1 << 20));
    full.config.files.push(config);
    assert_eq!(
        world.wait(world.driver.apply(&full)).unwrap_err().code,
        "machine-disk-full"
    );
}

/// What lies in the host's cache for one machine is waited for by the fsyncs of all others.
#[test]
fn its_writes_do_not_pile_up_in_the_hosts_cache() {
    let world = World::new();
    let mut machine = world.machine("exec sleep 1000");
    machine.size.disk = Some(Bytes::mib(64));
    world.boot(&machine);
    let mut devices = std::fs::read_dir("/sys/block").unwrap().flatten();
    let device = devices.find(|device| {
        let file = std::fs::read_to_string(device.path().join("loop/backing_file"));
        file.is_ok_and(|file| file.contains(machine.id.as_str()))
    });
    let direct = device.expect("its disk").path().join("loop/dio");
    assert_eq!(std::fs::read_to_string(direct).unwrap().trim(), "1");
}

#[test]
fn it_sees_its_own_size() {
    let world = World::new();
    let machine = world.machine(
        "cat /proc/meminfo > /run/mem; cat /proc/cpuinfo > /run/cpu; ls /sys/devices/system/cpu > /run/ls; \
         cat /sys/devices/system/cpu/online > /run/online; exec sleep 1000",
    );
    let leader = world.boot(&machine);
    let online = eventually("it looked", || {
        read_inside(leader, "/run/online").filter(|s| !s.is_empty())
    });
    assert_eq!(online, "0-2\n");
    assert!(
        read_inside(leader, "/run/mem")
            .unwrap()
            .starts_with("MemTotal:         131072 kB")
    );
    assert_eq!(
        read_inside(leader, "/run/cpu")
            .unwrap()
            .matches("processor")
            .count(),
        3
    );
    assert!(read_inside(leader, "/run/ls").unwrap().contains("cpu2"));
}

#[test]
fn its_processor_weight_is_in_proportion_to_what_was_bought() {
    let world = World::new();
    let machine = world.machine("exec sleep 1000");
    let leader = world.boot(&machine);
    let membership = std::fs::read_to_string(format!("/proc/{}/cgroup", leader.pid)).unwrap();
    let v1 = membership.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        controllers
            .split(',')
            .any(|c| c == "cpu")
            .then(|| path.to_owned())
    });
    let (file, expected) = match v1 {
        Some(path) => (format!("/sys/fs/cgroup/cpu{path}/cpu.shares"), "3072"),
        None => {
            let path = membership
                .trim()
                .trim_start_matches("0::")
                .trim_end_matches("/payload")
                .to_owned();
            (format!("/sys/fs/cgroup{path}/cpu.weight"), "300")
        }
    };
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), expected, "{file}");
}
