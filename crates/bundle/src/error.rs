//! What a caller shows a user when something in this crate fails: a stable code, the cause (`Display` and its sources) and a remedy.

use crate::archive::ArchiveError;
use crate::build::BuildError;
use crate::cache::CacheError;
use crate::catalogue::CatalogueError;
use crate::transfer::TransferError;

/// Every user-visible error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    #[error(transparent)]
    Cache(#[from] CacheError),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Transfer(#[from] TransferError),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl Error {
    /// Stable, machine-readable name of the failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Catalogue(e) => e.code(),
            Self::Cache(e) => e.code(),
            Self::Build(e) => e.code(),
            Self::Transfer(e) => e.code(),
            Self::Archive(e) => e.code(),
        }
    }

    /// What the user can do about it.
    pub fn remedy(&self) -> String {
        match self {
            Self::Catalogue(e) => e.remedy(),
            Self::Cache(e) => e.remedy(),
            Self::Build(e) => e.remedy(),
            Self::Transfer(e) => e.remedy(),
            Self::Archive(e) => e.remedy(),
        }
    }
}
