//! OCI images made from files, without a container engine: deterministic layers, configs and manifests.
//!
//! Layers are stored uncompressed: they are pulled over a link inside the machine, where compression would cost
//! processor time at every pull and save nothing that is scarce.

mod image;
mod layer;
pub(crate) mod media;
mod name;

pub(crate) use image::ImageSpec;
pub(crate) use layer::Layer;
pub use name::ImageName;
