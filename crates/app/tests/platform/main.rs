//! The whole platform above its ports, on a host that is only memory.

mod harness;
mod identity;
mod life_and_death;
mod lost;
mod once;
mod people;
mod pinned;
mod quotas;
mod scaling;
mod second_thoughts;
mod tenants;
