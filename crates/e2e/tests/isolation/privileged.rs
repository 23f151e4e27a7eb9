//! A pod with every privilege Kubernetes can give tries what would reach the host.

use std::fs;

use e2e::{Cluster, Machine, Platform};

/// Names and shell lines. A line that succeeds has got out; what it would do is harmless all the same.
pub const ATTEMPTS: [(&str, &str); 13] = [
    // To the time it is already.
    ("setting the clock", "date -s @$(date +%s)"),
    (
        "adjusting the clock",
        "perl -e 'exit(syscall(227, 0, pack(\"qq\", time, 0)) == 0 ? 0 : 1)'",
    ),
    (
        "init_module",
        "perl -e 'exit(syscall(175, \"\", 0, \"\") == 0 || $!{ENOEXEC} || $!{EFAULT} ? 0 : 1)'",
    ),
    ("writing /proc/sysrq-trigger", "echo h > /proc/sysrq-trigger"),
    (
        "writing core_pattern",
        "cat /proc/sys/kernel/core_pattern > /tmp/c && cat /tmp/c > /proc/sys/kernel/core_pattern",
    ),
    (
        "writing modprobe's path",
        "cat /proc/sys/kernel/modprobe > /tmp/m && cat /tmp/m > /proc/sys/kernel/modprobe",
    ),
    (
        "reading /proc/kcore",
        "head -c 16 /proc/kcore > /tmp/k && test -s /tmp/k",
    ),
    (
        "reading /dev/mem",
        "mknod /tmp/mem c 1 1; head -c 16 /tmp/mem > /tmp/k && test -s /tmp/k",
    ),
    (
        "reading /dev/kmsg of the host",
        "mknod /tmp/kmsg c 1 11; timeout 2 head -c 16 /tmp/kmsg > /tmp/k && test -s /tmp/k",
    ),
    // LINUX_REBOOT_CMD_CAD_OFF: changes what Ctrl-Alt-Del does, and no more.
    (
        "reboot(2)",
        "perl -e 'exit(syscall(169, 0xfee1dead, 672274793, 0, 0) == 0 ? 0 : 1)'",
    ),
    (
        "mounting the host's file systems by debugfs",
        "mkdir -p /tmp/d && mount -t debugfs none /tmp/d && ls /tmp/d/*",
    ),
    (
        "loading a kernel by kexec",
        "perl -e 'exit(syscall(246, 0, 0, 0, 0) == 0 ? 0 : 1)'",
    ),
    (
        "raising the host's limits",
        "echo 4194304 > /proc/sys/kernel/pid_max",
    ),
];

pub fn start(cluster: &Cluster<'_>) {
    let node = cluster.node_names().remove(0);
    cluster.apply(&format!(
        r#"
apiVersion: v1
kind: Pod
metadata: {{name: intruder, labels: {{app: intruder}}}}
spec:
  nodeName: {node}
  hostPID: true
  hostIPC: true
  hostNetwork: true
  terminationGracePeriodSeconds: 1
  containers:
  - name: a
    image: registry.k8s.io/e2e-test-images/agnhost:2.63.0
    args: [pause]
    securityContext: {{privileged: true, runAsUser: 0}}
    volumeMounts: [{{name: root, mountPath: /node}}]
  volumes: [{{name: root, hostPath: {{path: /}}}}]
"#
    ));
    cluster.wait_for_pods("app=intruder", 1);
    // The attempts below need what they call: one that fails for want of a tool proves nothing.
    cluster
        .shell(
            "intruder",
            "perl -e 'exit 0' && command -v mount mknod date timeout",
        )
        .ok();
    cluster
        .shell(
            "intruder",
            "mkdir -p /tmp/t && mount -t tmpfs none /tmp/t && umount /tmp/t",
        )
        .ok();
}

pub fn fails(cluster: &Cluster<'_>, name: &str, line: &str) {
    let ended = cluster.shell("intruder", line);
    assert!(
        ended.code.is_some_and(|code| code != 0),
        "{name} succeeded: {}",
        ended.told()
    );
    assert!(
        !ended.stderr.contains("not found"),
        "{name} was not tried: {}",
        ended.told()
    );
    // It was answered, not cut off with the machine.
    cluster.shell("intruder", "true").ok();
}

/// With every hierarchy mounted anew and the node's process tree in sight.
pub fn sees_only_its_own(cluster: &Cluster<'_>, platform: &Platform) {
    let machines = Machine::all(platform.mark());
    assert_eq!(machines.len(), 3);
    let mine = cluster.node_names().remove(0);
    let line = "for kind in memory devices pids cpu; do mkdir -p /tmp/cg/$kind; mount -t cgroup -o $kind none /tmp/cg/$kind 2>/dev/null; done; \
        mkdir -p /tmp/cg/two; mount -t cgroup2 none /tmp/cg/two 2>/dev/null; \
        find /tmp/cg /sys/fs/cgroup /node/sys/fs/cgroup -maxdepth 6 -type d; ps -ef; cat /proc/mounts; nsenter -t 1 -a ps -ef";
    let seen = cluster.shell("intruder", line).ok();
    for machine in machines.iter().filter(|machine| machine.hostname != mine) {
        assert!(!seen.contains(&machine.id), "{} is seen: {seen}", machine.id);
    }
    assert!(!seen.contains("nspawn"), "the host's processes are seen: {seen}");
    // The limit of its own machine is the host's to set.
    let own = machines
        .iter()
        .find(|machine| machine.hostname == mine)
        .expect("its machine");
    let limit = format!(
        "/sys/fs/cgroup/memory/plasmacloud-{}/{}/memory.limit_in_bytes",
        platform.mark(),
        own.id
    );
    let before = fs::read_to_string(&limit).ok();
    let raise = "for f in $(find / -xdev -name memory.limit_in_bytes -o -xdev -name memory.max 2>/dev/null) \
        /node/sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory/memory.limit_in_bytes; do echo 9000000000 > $f; done; true";
    cluster.shell("intruder", raise);
    assert_eq!(fs::read_to_string(&limit).ok(), before);
}

/// Every block device of the host, by its number.
pub fn disks(cluster: &Cluster<'_>) {
    let mut tried = 0;
    for entry in fs::read_dir("/sys/block").expect("sysfs").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(number) = fs::read_to_string(entry.path().join("dev")) else {
            continue;
        };
        let empty = fs::read_to_string(entry.path().join("size")).is_ok_and(|size| size.trim() == "0");
        if empty {
            continue;
        }
        let (major, minor) = number.trim().split_once(':').expect("two numbers");
        let line = format!(
            "rm -f /tmp/disk; mknod /tmp/disk b {major} {minor}; head -c 512 /tmp/disk > /tmp/k && test -s /tmp/k"
        );
        let ended = cluster.shell("intruder", &line);
        assert!(
            ended.code.is_some_and(|code| code != 0),
            "{name} was read: {}",
            ended.told()
        );
        tried += 1;
    }
    assert!(tried > 0, "the host has disks");
}
