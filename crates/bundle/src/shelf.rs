//! The cache and the images tenants loaded, as the platform's ports see them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use ports::{Bundles, Images, bundles::BundleRef};
use types::{ClusterId, Fault, FaultKind, Patch, version::Wanted};

use crate::{Bundle, Cache, Digest, Error, ImageStore, catalogue};

/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct Shelf {
    cache: Cache,
    loaded: PathBuf,
}

impl Shelf {
    /// `loaded`: the directory under which each cluster's images are kept.
    pub fn open(cache: &Path, loaded: &Path) -> Result<Self, Fault> {
        let cache = Cache::open(cache).map_err(|error| fault(error.into()))?;
        Ok(Self {
            cache,
            loaded: loaded.to_owned(),
        })
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let shelf = self.clone();
        let joined = tokio::task::spawn_blocking(move || work(&shelf)).await;
        joined.map_err(|error| Fault::internal("bundle-task", error.to_string()))?
    }

    fn store(&self, cluster: &ClusterId) -> Result<ImageStore, Fault> {
        ImageStore::open(self.directory(cluster)).map_err(fault)
    }

    fn names(&self, cluster: &ClusterId) -> Result<Vec<String>, Fault> {
        // Looking must not make the directory.
        if !self.directory(cluster).is_dir() {
            return Ok(Vec::new());
        }
        let images = self.store(cluster)?.list().map_err(fault)?;
        Ok(images.into_iter().map(|image| image.name).collect())
    }
}

#[async_trait]
impl Bundles for Shelf {
    fn resolve(&self, wanted: Option<Wanted>) -> Result<Patch, Fault> {
        let wanted = wanted.map_or_else(|| catalogue::DEFAULT_LINE.to_owned(), |w| w.to_string());
        let line = catalogue::resolve(&wanted).map_err(|error| fault(error.into()))?;
        parse(&line.patch)
    }

    async fn find(&self, version: Patch) -> Result<BundleRef, Fault> {
        self.blocking(move |shelf| {
            let found = shelf
                .cache
                .resolve(&version.to_string())
                .map_err(|error| fault(error.into()))?;
            let found = found.ok_or_else(|| missing(version))?;
            describe(&found)
        })
        .await
    }

    async fn pinned(&self, version: Patch, digest: &str) -> Result<BundleRef, Fault> {
        let digest: Digest = digest
            .parse()
            .map_err(|_| Fault::internal("bundle-digest", format!("'{digest}' is no digest")))?;
        self.blocking(move |shelf| {
            let found = shelf.cache.bundle(&digest).map_err(|error| fault(error.into()))?;
            let found = found.ok_or_else(|| missing(version))?;
            describe(&found)
        })
        .await
    }

    async fn list(&self) -> Result<Vec<BundleRef>, Fault> {
        self.blocking(|shelf| {
            let infos = shelf.cache.list().map_err(|error| fault(error.into()))?;
            let bundles = infos
                .iter()
                .filter_map(|info| shelf.cache.bundle(&info.digest).transpose());
            bundles
                .map(|bundle| describe(&bundle.map_err(|error| fault(error.into()))?))
                .collect()
        })
        .await
    }
}

#[async_trait]
impl Images for Shelf {
    fn directory(&self, cluster: &ClusterId) -> PathBuf {
        self.loaded.join(cluster.as_str())
    }

    async fn load(&self, cluster: &ClusterId, archive: &Path) -> Result<Vec<String>, Fault> {
        let (cluster, archive) = (cluster.clone(), archive.to_owned());
        self.blocking(move |shelf| {
            let file = fs::File::open(&archive).map_err(|error| {
                Fault::internal(
                    "image-archive",
                    format!("the received archive cannot be read: {error}"),
                )
            })?;
            let images = shelf.store(&cluster)?.import(file).map_err(fault)?;
            Ok(images.into_iter().map(|image| image.name).collect())
        })
        .await
    }

    async fn list(&self, cluster: &ClusterId) -> Result<Vec<String>, Fault> {
        let cluster = cluster.clone();
        self.blocking(move |shelf| shelf.names(&cluster)).await
    }

    async fn forget(&self, cluster: &ClusterId) -> Result<(), Fault> {
        let dir = self.directory(cluster);
        self.blocking(move |_| match fs::remove_dir_all(&dir) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Fault::unavailable(
                "images-stay",
                format!("{} cannot be removed: {error}", dir.display()),
                "remove the directory by hand; the platform tries again",
            )),
        })
        .await
    }
}

fn describe(bundle: &Bundle) -> Result<BundleRef, Fault> {
    let image = |component: &str| {
        let name = bundle.images().keys().find(|name| {
            let path = name.rsplit_once(':').map_or(name.as_str(), |(path, _)| path);
            path.ends_with(&format!("/{component}"))
        });
        name.map(|name| (component.to_owned(), name.clone()))
    };
    let images: BTreeMap<String, String> = ["pause", "coredns"].into_iter().filter_map(image).collect();
    Ok(BundleRef {
        version: parse(bundle.version())?,
        digest: bundle.digest().to_string(),
        node_image: bundle
            .node_image_digest()
            .map(|digest| digest.to_string())
            .unwrap_or_default(),
        node_tree: bundle.node_tree(),
        control_plane_tree: bundle.control_plane_tree(),
        images,
    })
}

fn parse(version: &str) -> Result<Patch, Fault> {
    version
        .parse()
        .map_err(|error| Fault::internal("bundle-version", format!("{error}")))
}

fn missing(version: Patch) -> Fault {
    Fault::new(
        FaultKind::Refused,
        "bundle-missing",
        format!("the bundle of Kubernetes {version} is not on this host"),
        format!("make it with 'cloud bundle build {version}', or bring it with 'cloud bundle import'"),
    )
}

/// What a person is told: the error with everything behind it.
fn fault(error: Error) -> Fault {
    let kind = match &error {
        Error::Catalogue(_) | Error::Archive(_) => FaultKind::Invalid,
        Error::Cache(_) | Error::Build(_) | Error::Transfer(_) => FaultKind::Exhausted,
    };
    let (code, remedy) = (error.code().replace('_', "-"), error.remedy());
    let mut cause = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(error) = source {
        cause = format!("{cause}: {error}");
        source = error.source();
    }
    Fault::new(kind, code, cause, remedy)
}

#[cfg(test)]
mod tests;
