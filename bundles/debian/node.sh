#!/bin/sh
# Turns a fresh Debian root ($1) into a node root that boots inside a system container in about a second
# and carries no identity: no machine-id, no host keys, no host name, no resolver of the build machine.
set -eu
root=$1

install -d "$root/etc/kubernetes/manifests" "$root/etc/kubernetes/pki" "$root/etc/cni/net.d" "$root/opt/cni/bin" \
    "$root/etc/containerd" "$root/var/lib/containerd" "$root/var/lib/kubelet" "$root/var/lib/kube-proxy" \
    "$root/var/lib/etcd" "$root/var/log/pods" "$root/var/log/containers"
install -d -m 0700 "$root/root/.ssh"

: > "$root/etc/machine-id"
: > "$root/etc/resolv.conf"
: > "$root/etc/fstab"
rm -f "$root/etc/hostname" "$root/var/lib/dbus/machine-id" "$root/var/lib/systemd/random-seed"
rm -f "$root"/etc/ssh/ssh_host_*
rm -rf "$root"/var/log/apt "$root"/var/log/*.log "$root"/var/cache/apt/*.bin "$root"/var/lib/apt/lists/*
printf '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n' > "$root/etc/hosts"
printf 'LANG=C.UTF-8\n' > "$root/etc/default/locale"
printf 'runtime-endpoint: unix:///run/containerd/containerd.sock\nimage-endpoint: unix:///run/containerd/containerd.sock\n' \
    > "$root/etc/crictl.yaml"

install -d "$root/etc/ssh/sshd_config.d" "$root/etc/systemd/journald.conf.d"
cat > "$root/etc/ssh/sshd_config.d/10-node.conf" <<'EOF'
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
UseDNS no
PrintMotd no
EOF
cat > "$root/etc/systemd/journald.conf.d/10-node.conf" <<'EOF'
[Journal]
RuntimeMaxUse=32M
SystemMaxUse=64M
EOF

# Units that wait for hardware or a bus, talk to a console nobody reads, or belong to a host rather than a node.
mask="apt-daily-upgrade.service apt-daily-upgrade.timer apt-daily.service apt-daily.timer console-getty.service
    container-getty@.service dev-hugepages.mount dev-mqueue.mount dpkg-db-backup.timer e2scrub_all.timer
    e2scrub_reap.service fstrim.timer getty-static.service getty.target getty@.service
    kmod-static-nodes.service ldconfig.service modprobe@.service proc-sys-fs-binfmt_misc.automount
    serial-getty@.service sshd-unix-local.socket sshd-vsock.socket sys-fs-fuse-connections.mount
    sys-kernel-config.mount sys-kernel-debug.mount sys-kernel-tracing.mount systemd-binfmt.service
    systemd-creds.socket systemd-firstboot.service systemd-hostnamed.socket systemd-hwdb-update.service
    systemd-journal-catalog-update.service systemd-logind.service systemd-machine-id-commit.service
    systemd-modules-load.service systemd-networkd-wait-online.service systemd-networkd.service
    systemd-networkd.socket systemd-pstore.service systemd-random-seed.service systemd-remount-fs.service
    systemd-resolved.service systemd-sysext.socket systemd-sysusers.service systemd-timesyncd.service
    systemd-udev-settle.service systemd-udev-trigger.service systemd-udevd.service systemd-update-done.service
    systemd-update-utmp-runlevel.service systemd-update-utmp.service tmp.mount"
for unit in $mask; do
    ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
ln -sf /usr/lib/systemd/system/multi-user.target "$root/etc/systemd/system/default.target"
rm -f "$root"/etc/systemd/system/*.wants/*.timer "$root/etc/systemd/system/getty.target.wants"/*
