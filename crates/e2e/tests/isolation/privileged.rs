//! A pod with every privilege Kubernetes can give tries what would reach the host.

use std::fs;

use e2e::{Cluster, Machine, Platform};

/// Names and shell lines. A line that succeeds has got out; what it would do is harmless all the same.
pub fn attempts() -> Vec<(&'static str, String)> {
    let read = |path: &str| format!("head -c 16 {path} > /tmp/k && test -s /tmp/k");
    let rewrite = |path: &str| format!("cat {path} > /tmp/k && cat /tmp/k > {path}");
    vec![
        // To the time it is already.
        ("setting the clock", "date -s @$(date +%s)".to_owned()),
        ("clock_settime(2)", call(227, "0, pack('qq', time, 0)")),
        ("init_module(2)", call(175, "'', 0, ''")),
        // LINUX_REBOOT_CMD_CAD_OFF: changes what Ctrl-Alt-Del does, and no more.
        ("reboot(2)", call(169, "0xfee1dead, 672274793, 0, 0")),
        // No segments: unloads what was loaded, which is nothing.
        ("kexec_load(2)", call(246, "0, 0, 0, 0")),
        ("/proc/sysrq-trigger", "echo h > /proc/sysrq-trigger".to_owned()),
        ("core_pattern", rewrite("/proc/sys/kernel/core_pattern")),
        ("modprobe's path", rewrite("/proc/sys/kernel/modprobe")),
        ("the host's overcommit", rewrite("/proc/sys/vm/overcommit_memory")),
        ("/proc/kcore", read("/proc/kcore")),
        (
            "the host's memory",
            format!("mknod /tmp/mem c 1 1; {}", read("/tmp/mem")),
        ),
        (
            "the kernel's log",
            format!("mknod /tmp/kmsg c 1 11; {}", read("/tmp/kmsg")),
        ),
        // What nspawn shows of the host below /run/host.
        (
            "the host's files",
            "echo x >> /node/run/host/os-release || touch /node/run/host/incoming/x".to_owned(),
        ),
        (
            "debugfs",
            "mkdir -p /tmp/d && mount -t debugfs none /tmp/d && ls /tmp/d/*".to_owned(),
        ),
    ]
}

/// A system call, by the perl of the node. Any answer but "not permitted" means that it was let in.
fn call(number: u32, arguments: &str) -> String {
    format!(
        "chroot /node perl -e \"@a = ({number}, {arguments}); \\$r = syscall(\\$a[0], @a[1..\\$#a]); exit(\\$r == 0 || \\$!+0 != 1 ? 0 : 1)\""
    )
}

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
            "chroot /node perl -e 'exit 0' && command -v mount mknod date",
        )
        .ok();
    cluster.shell("intruder", &call(39, "0")).ok();
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
        find /tmp/cg /sys/fs/cgroup /node/sys/fs/cgroup -maxdepth 6 -type d; ps -ef; cat /proc/mounts; nsenter -t 1 -m -p ps -ef; true";
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
