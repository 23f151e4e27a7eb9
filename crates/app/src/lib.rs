//! What the platform does, told to ports: accepting requests (`ops`), rendering what is wanted (`desired`), and keeping
//! the world in agreement with it (`reconcile`).

mod admission;
mod allocate;
mod desired;
pub mod identity;
pub mod ops;
mod recipes;
pub mod reconcile;
pub mod records;
mod world;

pub use identity::Publisher;
pub use ops::Ops;
pub use reconcile::Reconcilers;
pub use world::{Settings, World, default_project};
