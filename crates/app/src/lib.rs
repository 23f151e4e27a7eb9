//! What the platform does, told to ports: accepting requests (`ops`), rendering what is wanted (`desired`), and keeping
//! the world in agreement with it (`reconcile`).

mod admission;
mod allocate;
pub mod audit;
mod desired;
pub mod ops;
mod recipes;
pub mod reconcile;
pub mod records;
pub mod restored;
pub mod rotation;
mod world;

pub use ops::Ops;
pub use reconcile::Reconcilers;
pub use world::{Settings, World, default_project};
