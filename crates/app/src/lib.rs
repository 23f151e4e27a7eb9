//! What the platform does, told to ports: accepting requests (`ops`), rendering what is wanted (`desired`), and keeping
//! the world in agreement with it (`reconcile`); and reading it all by lists (`listing`).

mod admission;
mod allocate;
pub mod audit;
mod books;
mod desired;
pub mod identity;
pub mod listing;
pub mod ops;
pub mod paged;
pub mod quota;
mod recipes;
pub mod reconcile;
pub mod records;
pub mod restored;
pub mod rotation;
pub mod tenants;
pub mod terms;
mod world;

pub use identity::Publisher;
pub use listing::Lists;
pub use ops::Ops;
pub use reconcile::Reconcilers;
pub use tenants::Tenants;
pub use world::{ApiNames, Settings, World, default_org, default_project, root_user};
