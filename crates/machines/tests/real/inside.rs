//! What a machine's root can do to its host: nothing. And what the platform can change in a machine that runs.

use std::process::Command;

use ports::{
    Compute,
    compute::{Content, FileEntry},
};

use crate::harness::{World, eventually, keeper_config, read_inside, status};

#[test]
fn root_inside_reaches_nothing_of_the_host() {
    let world = World::new();
    let before = std::fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap();
    let script = "try() { if eval \"$2\" 2>/dev/null; then echo \"$1 succeeded\"; fi; }
        try core_pattern 'mount -o remount,bind,rw /proc/sys; echo x > /proc/sys/kernel/core_pattern'
        try sysrq 'echo h > /proc/sysrq-trigger'
        try kcore 'head -c 4 /proc/kcore | grep -q ELF'
        try clock 'date -s 2020-01-01'
        try disk 'mknod /tmp/d b 7 0 && head -c 1 /tmp/d'
        try devices 'echo a > /sys/fs/cgroup/devices/devices.allow'
        try memory 'echo 99999999999 > /sys/fs/cgroup/memory/memory.limit_in_bytes'
        try weight 'echo 262144 > /sys/fs/cgroup/cpu/cpu.shares'
        try memory2 '[ -e /sys/fs/cgroup/memory.max ] && echo max > /sys/fs/cgroup/memory.max'
        try agent 'echo x > /sys/fs/cgroup/systemd/release_agent'
        try debugfs 'mount -t debugfs d /tmp'
        try dmesg 'head -c 1 /dev/kmsg'
        try foreign 'ls /sys/fs/cgroup/*/plasmacloud-*'
        [ -O /etc/hostname ] && echo done";
    let machine = world.machine("exec sleep 1000");
    let leader = world.boot(&machine);
    eventually("its process runs", || status(leader)?.processes[0].pid);
    // More than anybody inside can be: root in all its namespaces, with every capability the namespace knows.
    let args = [
        "-t",
        &leader.pid.to_string(),
        "-m",
        "-u",
        "-i",
        "-n",
        "-p",
        "-U",
        "-C",
        "-r",
        "-w",
        "--",
        "sh",
        "-c",
        script,
    ];
    let output = Command::new("nsenter")
        .args(args)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("done"),
        "{said} {}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(!said.contains("succeeded"), "{said}");
    assert_eq!(
        std::fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap(),
        before
    );
    let capabilities = std::fs::read_to_string(format!("/proc/{}/status", leader.pid)).unwrap();
    let bounding = capabilities
        .lines()
        .find_map(|l| l.strip_prefix("CapBnd:"))
        .unwrap()
        .trim();
    let bounding = u64::from_str_radix(bounding, 16).unwrap();
    for (name, bit) in [
        ("SYS_MODULE", 16),
        ("SYS_RAWIO", 17),
        ("SYS_BOOT", 22),
        ("SYS_TIME", 25),
    ] {
        assert_eq!(bounding & (1 << bit), 0, "{name}");
    }
    let map = std::fs::read_to_string(format!("/proc/{}/uid_map", leader.pid)).unwrap();
    assert_ne!(
        map.split_whitespace().nth(1),
        Some("0"),
        "root inside is root outside"
    );
}

#[test]
fn changed_files_are_refreshed_without_a_reboot() {
    let world = World::new();
    let mut machine = world.machine("exec sleep 1000");
    let secret = |text: &str| FileEntry {
        path: "/etc/key".into(),
        mode: 0o600,
        content: Content::Secret(types::Secret::new(text)),
    };
    machine.config.files.push(secret("one"));
    let leader = world.boot(&machine);
    let first = eventually("its process runs", || status(leader)?.processes[0].pid);
    assert_eq!(read_inside(leader, "/etc/key").as_deref(), Some("one"));
    // A file only: nothing is restarted.
    machine.config.files[1] = secret("two");
    assert_eq!(world.apply(&machine), leader);
    assert_eq!(read_inside(leader, "/etc/key").as_deref(), Some("two"));
    assert_eq!(status(leader).unwrap().processes[0].pid, Some(first));
    // What is no longer wanted goes; what is to run is read again by the supervisor.
    machine.config.files = vec![keeper_config("echo new > /run/new; exec sleep 1000")];
    let observed = world.wait(world.driver.apply(&machine)).unwrap();
    assert_eq!(observed.leader, Some(leader));
    eventually("the new process runs", || read_inside(leader, "/run/new"));
    assert_eq!(read_inside(leader, "/etc/key"), None);
    let again = world.wait(world.driver.apply(&machine)).unwrap();
    assert_eq!(again.config_digest, observed.config_digest);
}

#[test]
fn files_belong_to_the_machines_root_and_the_console_is_kept() {
    let world = World::new();
    let machine = world.machine("test -O /etc/hostname && cat /etc/hostname > /run/owned; exec sleep 1000");
    let leader = world.boot(&machine);
    let owned = eventually("it looked", || {
        read_inside(leader, "/run/owned").filter(|s| !s.is_empty())
    });
    assert_eq!(owned, "tiny\n");
    let said = eventually("the console says so", || {
        let said = world.wait(world.driver.console(&machine.id, 10)).unwrap();
        said.contains("the machine is prepared").then_some(said)
    });
    assert!(said.lines().count() <= 10);
}
