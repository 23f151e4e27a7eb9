//! The whole platform above its ports, on a host that is only memory.

mod external;
mod grants;
mod harness;
mod identity;
mod labels;
mod life_and_death;
mod lost;
mod once;
mod people;
mod pinned;
mod quotas;
mod rotating;
mod scaling;
mod scene;
mod second_thoughts;
mod secrets;
mod shares;
mod ssh;
mod tenants;
