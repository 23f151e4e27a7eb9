//! Real machines on this host. Needs root, systemd-nspawn, mkfs.ext4, `ip`, a kernel with overlay and user namespaces.
//! The roots are tiny: a shell, a few programs and our static supervisor. One test boots a node: it needs the v1.36
//! bundle.

mod adoption;
mod contract;
mod faults;
mod harness;
mod image;
mod inside;
mod leftovers;
mod limits;
mod node;
