#!/bin/sh
# Leaves in an extracted root ($1) only what an image needs: nothing of the build machine, no package data.
set -eu
root=$1
rm -f "$root/etc/resolv.conf" "$root/etc/hostname" "$root/etc/fstab"
rm -rf "$root/etc/apt" "$root/etc/dpkg" "$root/etc/init.d" "$root/etc/logrotate.d" "$root/etc/ufw" "$root/etc/default" \
    "$root"/usr/lib/*/gconv "$root/usr/lib/systemd/system" "$root/usr/share/apport" "$root/usr/share/bash-completion" "$root/usr/share/bug" \
    "$root/usr/share/debconf" "$root/usr/share/doc" "$root/usr/share/info" "$root/usr/share/initramfs-tools" \
    "$root/usr/share/lintian" "$root/usr/share/locale" "$root/usr/share/man" "$root/usr/share/perl5" \
    "$root/usr/share/pixmaps" "$root/usr/share/vim" "$root/var/cache" "$root/var/lib/apt" "$root/var/lib/dpkg"
install -d "$root/var/cache" "$root/dev" "$root/proc" "$root/sys"
install -d -m 1777 "$root/tmp" "$root/var/tmp"
