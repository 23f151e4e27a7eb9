//! Compute drivers. A machine here is a system container: it shares the host's kernel, in a user namespace of its own,
//! so that nothing its root may do reaches the host.
//!
//! `host` holds what the kernel offers (mounts, loop devices, id maps, processes), `cgroup` a machine's share of the
//! host, `nspawn` the driver itself, `volumes` what outlives machines.

mod cgroup;
mod error;
mod host;
mod nspawn;
mod options;
mod volumes;

pub use error::MachineError;
pub use nspawn::NspawnDriver;
pub use options::{NspawnOptions, OptionsError, Overcommit};
pub use volumes::FileVolumes;
