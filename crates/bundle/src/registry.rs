//! The read-only half of the OCI distribution protocol, without HTTP: which file answers which request.
//!
//! Sources are asked in order; what a tenant loaded comes before the bundle. Only blobs that belong to an image are served,
//! never other content of the cache.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::bundle::Bundle;
use crate::cache::Descriptor;
use crate::image_store::ImageStore;
use crate::oci::{ImageName, media};
use crate::{CacheError, Digest};

/// A manifest that exists, with what `HEAD` and `GET` answer about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestRef {
    pub media_type: String,
    pub digest: Digest,
    pub size: u64,
    pub path: PathBuf,
}

/// A blob that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobRef {
    pub digest: Digest,
    pub size: u64,
    pub path: PathBuf,
}

/// What a request below `/v2/` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// `/v2/`: does this speak the protocol?
    Ping,
    Manifest {
        ns: Option<String>,
        repository: String,
        reference: String,
    },
    Blob {
        digest: Digest,
    },
    Tags {
        ns: Option<String>,
        repository: String,
    },
}

impl Route {
    /// Parses path and query, as containerd's mirror protocol writes them: `/v2/library/nginx/manifests/latest?ns=docker.io`.
    pub fn parse(path: &str, query: Option<&str>) -> Option<Self> {
        let rest = path.strip_prefix("/v2")?;
        if rest.is_empty() || rest == "/" {
            return Some(Self::Ping);
        }
        let rest = rest.strip_prefix('/')?;
        let ns = query
            .into_iter()
            .flat_map(|q| q.split('&'))
            .find_map(|p| p.strip_prefix("ns="))
            .and_then(decode);
        if let Some(repository) = rest.strip_suffix("/tags/list") {
            return Some(Self::Tags {
                ns,
                repository: repository.to_owned(),
            });
        }
        let (head, last) = rest.rsplit_once('/')?;
        let last = decode(last)?;
        match head.rsplit_once('/')? {
            (repository, "manifests") => Some(Self::Manifest {
                ns,
                repository: repository.to_owned(),
                reference: last,
            }),
            (_, "blobs") => Some(Self::Blob {
                digest: last.starts_with("sha256:").then(|| last.parse().ok())??,
            }),
            _ => None,
        }
    }
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let hex = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&hex).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

/// Images of one cluster: those its tenant loaded, and the bundle's.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    stores: Vec<ImageStore>,
    images: BTreeMap<ImageName, (Descriptor, PathBuf)>,
    blobs: BTreeMap<Digest, (u64, PathBuf)>,
}

impl Registry {
    pub fn new(stores: Vec<ImageStore>, bundles: &[Bundle]) -> Self {
        let mut registry = Self {
            stores,
            ..Self::default()
        };
        for bundle in bundles {
            for (name, image) in bundle.images() {
                for blob in image.blobs() {
                    let path = bundle.cache().blob_path(&blob.digest);
                    registry.blobs.insert(blob.digest.clone(), (blob.size, path));
                }
                if let Ok(name) = name.parse::<ImageName>() {
                    let path = bundle.cache().blob_path(&image.manifest.digest);
                    registry
                        .images
                        .entry(name)
                        .or_insert_with(|| (image.manifest.clone(), path));
                }
            }
        }
        registry
    }

    /// Finds a manifest. Without `ns` any host's repository of that name answers.
    pub fn resolve(
        &self,
        ns: Option<&str>,
        repository: &str,
        reference: &str,
    ) -> Result<Option<ManifestRef>, CacheError> {
        let Ok(wanted) = ImageName::from_request(ns, repository, reference) else {
            return Ok(None);
        };
        let pinned: Option<Digest> = reference
            .starts_with("sha256:")
            .then(|| reference.parse().ok())
            .flatten();
        let matches = |name: &ImageName, digest: &Digest| {
            name.repository == wanted.repository
                && (ns.is_none() || name.host == wanted.host)
                && pinned
                    .as_ref()
                    .map_or(name.reference == wanted.reference, |pinned| digest == pinned)
        };
        for store in &self.stores {
            for image in store.images()? {
                if matches(&image.name, &image.manifest.digest) {
                    let path = store.blob_path(&image.manifest.digest);
                    let Descriptor { digest, size } = image.manifest;
                    return Ok(Some(ManifestRef {
                        media_type: image.media_type,
                        digest,
                        size,
                        path,
                    }));
                }
            }
        }
        let found = self
            .images
            .iter()
            .find(|(name, (manifest, _))| matches(name, &manifest.digest));
        Ok(found.map(|(_, (manifest, path))| ManifestRef {
            media_type: media::MANIFEST.to_owned(),
            digest: manifest.digest.clone(),
            size: manifest.size,
            path: path.clone(),
        }))
    }

    /// Finds a config, a layer or a manifest by digest.
    pub fn blob(&self, digest: &Digest) -> Result<Option<BlobRef>, CacheError> {
        for store in &self.stores {
            if let Some(blob) = store
                .images()?
                .iter()
                .flat_map(|i| i.blobs())
                .find(|b| b.digest == *digest)
            {
                let path = store.blob_path(digest);
                return Ok(Some(BlobRef {
                    digest: digest.clone(),
                    size: blob.size,
                    path,
                }));
            }
        }
        let found = self.blobs.get(digest);
        Ok(found.map(|(size, path)| BlobRef {
            digest: digest.clone(),
            size: *size,
            path: path.clone(),
        }))
    }

    /// Tags of a repository, sorted.
    pub fn tags(&self, ns: Option<&str>, repository: &str) -> Result<Vec<String>, CacheError> {
        let mut names: Vec<ImageName> = self.images.keys().cloned().collect();
        for store in &self.stores {
            names.extend(store.images()?.into_iter().map(|i| i.name));
        }
        let host = ImageName::from_request(ns, repository, "latest")
            .map(|n| n.host)
            .unwrap_or_default();
        names.retain(|n| n.repository == repository && (ns.is_none() || n.host == host));
        let mut tags: Vec<_> = names.into_iter().map(|n| n.reference).collect();
        tags.sort();
        tags.dedup();
        Ok(tags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_requests_as_containerd_writes_them() {
        let manifest = |ns: Option<&str>, repository: &str, reference: &str| Route::Manifest {
            ns: ns.map(str::to_owned),
            repository: repository.into(),
            reference: reference.into(),
        };
        let parse = Route::parse;
        assert_eq!(parse("/v2/", None), Some(Route::Ping));
        assert_eq!(parse("/v2", None), Some(Route::Ping));
        assert_eq!(
            parse("/v2/library/nginx/manifests/latest", Some("ns=docker.io")),
            Some(manifest(Some("docker.io"), "library/nginx", "latest"))
        );
        assert_eq!(
            parse("/v2/pause/manifests/3.10.2", None),
            Some(manifest(None, "pause", "3.10.2"))
        );
        assert_eq!(
            parse("/v2/app/manifests/v1", Some("x=1&ns=localhost%3A5000")),
            Some(manifest(Some("localhost:5000"), "app", "v1"))
        );
        let digest = Digest::of("x");
        assert_eq!(
            parse(&format!("/v2/a/b/c/blobs/{digest}"), Some("ns=quay.io")),
            Some(Route::Blob {
                digest: digest.clone()
            })
        );
        assert_eq!(
            parse("/v2/coredns/coredns/tags/list", None),
            Some(Route::Tags {
                ns: None,
                repository: "coredns/coredns".into()
            })
        );
        for bad in [
            "/",
            "/v1/",
            "/v2/x",
            "/v2/a/blobs/../../etc/passwd",
            "/v2/a/blobs/sha256:zz",
            "/v2/a/uploads/x",
        ] {
            assert_eq!(parse(bad, None), None, "{bad}");
        }
    }
}
