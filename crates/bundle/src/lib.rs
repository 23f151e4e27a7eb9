//! Kubernetes releases as bundles: binaries built from published Go modules, container images made from them, node images.
//!
//! [`catalogue`] knows the releases, [`build`] makes a bundle into a [`Cache`], [`Bundle`] hands out its paths,
//! [`verify`], [`export`] and [`import`] check and move it, [`Registry`] and [`ImageStore`] serve images from it and
//! from what tenants load. Everything here blocks; callers in an async runtime use a blocking thread.

mod archive;
pub mod build;
mod bundle;
mod cache;
pub mod catalogue;
mod digest;
mod embedded;
mod error;
mod image_store;
mod manifest;
mod oci;
mod registry;
mod shelf;
mod transfer;
mod tree;
mod verify;

pub use archive::ArchiveError;
pub use build::{BuildError, BuildOptions, Event, Progress, build};
pub use bundle::{Bundle, BundleInfo};
pub use cache::{Cache, CacheError, Descriptor};
pub use catalogue::{CatalogueError, DEFAULT_LINE, Line};
pub use digest::{Digest, DigestError};
pub use error::Error;
pub use image_store::{ImageStore, LoadedImage};
pub use manifest::{Component, Image, Manifest};
pub use oci::ImageName;
pub use registry::{BlobRef, ManifestRef, Registry, Route};
pub use shelf::Shelf;
pub use transfer::{TransferError, export, import};
pub use tree::{TreeFile, TreeSpec};
pub use verify::{Fault, FaultKind, verify};

#[cfg(test)]
mod fixture;
