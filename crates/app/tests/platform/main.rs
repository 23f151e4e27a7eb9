//! The whole platform above its ports, on a host that is only memory.

mod harness;
mod identity;
mod life_and_death;
mod lost;
mod once;
mod pinned;
mod scaling;
mod second_thoughts;
mod tenants;
