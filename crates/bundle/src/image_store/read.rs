//! Finds the images in a staged archive and turns each into an OCI manifest with its parts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::Digest;
use crate::archive::{ArchiveError, Staged, diff_id};
use crate::cache::Descriptor;
use crate::oci::{ImageName, media};

/// An image with its files still staged.
pub(super) struct FoundImage {
    pub names: Vec<ImageName>,
    pub media_type: Option<String>,
    pub manifest: Vec<u8>,
    /// Config and layers.
    pub parts: Vec<PathBuf>,
}

/// `index.json` of an OCI layout, or an index below it.
#[derive(Debug, Deserialize)]
struct OciIndex {
    manifests: Vec<OciDescriptor>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OciDescriptor {
    #[serde(default)]
    media_type: String,
    digest: Digest,
    size: u64,
    #[serde(default)]
    annotations: BTreeMap<String, String>,
    platform: Option<Platform>,
}

#[derive(Clone, Debug, Deserialize)]
struct Platform {
    architecture: String,
    os: String,
}

#[derive(Debug, Deserialize)]
struct OciManifest {
    config: OciDescriptor,
    layers: Vec<OciDescriptor>,
}

/// One element of `manifest.json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DockerImage {
    config: String,
    #[serde(default)]
    repo_tags: Option<Vec<String>>,
    layers: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Config {
    rootfs: RootFs,
}

#[derive(Debug, Deserialize)]
struct RootFs {
    diff_ids: Vec<Digest>,
}

impl OciDescriptor {
    fn blob(&self) -> Descriptor {
        Descriptor {
            digest: self.digest.clone(),
            size: self.size,
        }
    }
}

pub(super) fn images(staged: &Staged) -> Result<Vec<FoundImage>, ArchiveError> {
    if staged.has("index.json") && staged.has("oci-layout") {
        let images = oci_images(staged)?;
        // Some tools write only a bare tag there and the full names into the docker part of the same archive.
        if !images.is_empty() || !staged.has("manifest.json") {
            return Ok(images);
        }
    }
    if staged.has("manifest.json") {
        return docker_images(staged);
    }
    Err(ArchiveError::NotAnImage {
        found: "it has neither index.json nor manifest.json".into(),
    })
}

fn oci_images(staged: &Staged) -> Result<Vec<FoundImage>, ArchiveError> {
    let index: OciIndex = staged.json("index.json")?;
    let mut images = Vec::new();
    for top in index.manifests {
        let Some(name) = name_of(&top) else { continue };
        let Some(descriptor) = runnable(staged, &top, 0)? else {
            return Err(ArchiveError::NotAnImage {
                found: format!("{name} has no complete manifest for this machine"),
            });
        };
        let path = staged.blob(&descriptor.blob())?;
        let file = format!("blobs/sha256/{}", descriptor.digest.hex());
        let manifest: OciManifest = staged.json(&file)?;
        let mut parts = Vec::new();
        for part in std::iter::once(&manifest.config).chain(&manifest.layers) {
            parts.push(staged.blob(&part.blob())?.to_owned());
        }
        let bytes = std::fs::read(path).map_err(|source| ArchiveError::Read { source })?;
        let media_type = (!descriptor.media_type.is_empty()).then_some(descriptor.media_type);
        images.push(FoundImage {
            names: vec![name],
            media_type,
            manifest: bytes,
            parts,
        });
    }
    Ok(images)
}

/// The full name in an index entry, if there is one. A bare tag is no name.
fn name_of(descriptor: &OciDescriptor) -> Option<ImageName> {
    ["io.containerd.image.name", "org.opencontainers.image.ref.name"]
        .iter()
        .filter_map(|key| descriptor.annotations.get(*key))
        .find(|value| value.contains(['/', ':']))
        .and_then(|value| value.parse().ok())
}

/// Follows indexes to the manifest for this machine that is in the archive.
fn runnable(staged: &Staged, top: &OciDescriptor, depth: u8) -> Result<Option<OciDescriptor>, ArchiveError> {
    let is_index = top.media_type == media::INDEX || top.media_type == media::DOCKER_INDEX;
    let known = is_index
        || top.media_type.is_empty()
        || [media::MANIFEST, media::DOCKER_MANIFEST].contains(&top.media_type.as_str());
    let file = format!("blobs/sha256/{}", top.digest.hex());
    if !known || depth > 3 || !staged.has(&file) {
        return Ok(None);
    }
    if !is_index {
        return Ok(Some(top.clone()));
    }
    staged.blob(&top.blob())?;
    let index: OciIndex = staged.json(&file)?;
    for child in index
        .manifests
        .iter()
        .filter(|c| c.platform.as_ref().is_none_or(Platform::is_ours))
    {
        if let Some(found) = runnable(staged, child, depth + 1)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

impl Platform {
    fn is_ours(&self) -> bool {
        let ours = match std::env::consts::ARCH {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            other => other,
        };
        self.os == "linux" && self.architecture == ours
    }
}

fn docker_images(staged: &Staged) -> Result<Vec<FoundImage>, ArchiveError> {
    let list: Vec<DockerImage> = staged.json("manifest.json")?;
    let mut images = Vec::new();
    for image in list {
        let mut names = Vec::new();
        for tag in image.repo_tags.iter().flatten() {
            names.push(tag.parse().map_err(|e| ArchiveError::Malformed {
                found: format!("{e}"),
            })?);
        }
        if !names.is_empty() {
            images.push(docker_image(staged, &image, names)?);
        }
    }
    Ok(images)
}

fn docker_image(
    staged: &Staged,
    image: &DockerImage,
    names: Vec<ImageName>,
) -> Result<FoundImage, ArchiveError> {
    let config: Config = staged.json(&image.config)?;
    let (config_path, config_blob) = staged.require(&image.config)?;
    if config.rootfs.diff_ids.len() != image.layers.len() {
        return Err(ArchiveError::Malformed {
            found: "config and manifest disagree on the number of layers".into(),
        });
    }
    let mut parts = vec![config_path.clone()];
    let mut layers: Vec<Value> = Vec::new();
    for (name, wanted) in image.layers.iter().zip(&config.rootfs.diff_ids) {
        let (path, blob) = staged.require(name)?;
        let (found, gzipped) = diff_id(path)?;
        if found != *wanted {
            return Err(ArchiveError::Malformed {
                found: format!("layer {name:?} does not have its digest"),
            });
        }
        let media_type = if gzipped { media::LAYER_GZIP } else { media::LAYER };
        layers.push(json!({ "mediaType": media_type, "digest": blob.digest, "size": blob.size }));
        parts.push(path.clone());
    }
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": media::MANIFEST,
        "config": { "mediaType": media::CONFIG, "digest": config_blob.digest, "size": config_blob.size },
        "layers": layers,
    });
    Ok(FoundImage {
        names,
        media_type: None,
        manifest: manifest.to_string().into_bytes(),
        parts,
    })
}
