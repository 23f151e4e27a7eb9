//! Real machines on this host. Needs root, systemd-nspawn, mkfs.ext4, `ip`, a kernel with overlay and user namespaces.
//! The roots are tiny: a shell, a few programs and our static supervisor.

mod adoption;
mod faults;
mod harness;
mod image;
mod inside;
mod leftovers;
mod limits;
mod node;
