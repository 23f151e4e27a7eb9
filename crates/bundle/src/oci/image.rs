//! An image: layers plus how to start them, stored as blobs.

use serde_json::{Map, Value, json};

use super::media;
use crate::cache::{BlobDir, CacheError, Descriptor};
use crate::manifest::Image;

/// What an image is to be, before it is stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImageSpec {
    pub entrypoint: Vec<String>,
    pub cmd: Vec<String>,
    pub env: Vec<String>,
    pub user: String,
    pub workdir: String,
    pub ports: Vec<String>,
    pub stop_signal: String,
    /// Layers that exist as blobs, lowest first.
    pub layers: Vec<Descriptor>,
}

impl ImageSpec {
    /// Writes config and manifest. `arch` is Go's name of the architecture.
    pub(crate) fn store(&self, blobs: &BlobDir, arch: &str) -> Result<Image, CacheError> {
        let config = blobs.put_bytes(self.config(arch).to_string().as_bytes())?;
        let layers: Vec<Value> = self.layers.iter().map(|l| descriptor(media::LAYER, l)).collect();
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": media::MANIFEST,
            "config": descriptor(media::CONFIG, &config),
            "layers": layers,
        });
        let manifest = blobs.put_bytes(manifest.to_string().as_bytes())?;
        Ok(Image {
            manifest,
            config,
            layers: self.layers.clone(),
        })
    }

    fn config(&self, arch: &str) -> Value {
        let mut run = Map::new();
        let mut set = |key: &str, value: Value| {
            let empty = value.as_str() == Some("") || value.as_array().is_some_and(Vec::is_empty);
            if !empty {
                run.insert(key.to_owned(), value);
            }
        };
        set("Entrypoint", json!(self.entrypoint));
        set("Cmd", json!(self.cmd));
        set("User", json!(self.user));
        set("WorkingDir", json!(self.workdir));
        set("StopSignal", json!(self.stop_signal));
        let path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".to_owned();
        set("Env", json!([std::slice::from_ref(&path), &self.env].concat()));
        if !self.ports.is_empty() {
            let ports: Map<_, _> = self.ports.iter().map(|p| (p.clone(), json!({}))).collect();
            set("ExposedPorts", Value::Object(ports));
        }
        // Layers are uncompressed, so that a layer's digest is also its diff id.
        let diffs: Vec<_> = self.layers.iter().map(|l| l.digest.to_string()).collect();
        json!({
            "created": "1970-01-01T00:00:00Z",
            "architecture": arch,
            "os": "linux",
            "config": run,
            "rootfs": { "type": "layers", "diff_ids": diffs },
        })
    }
}

fn descriptor(media_type: &str, blob: &Descriptor) -> Value {
    json!({ "mediaType": media_type, "digest": blob.digest, "size": blob.size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_image_has_the_same_digest_everywhere() {
        let digest = || {
            let dir = tempfile::tempdir().unwrap();
            let blobs = BlobDir::open(dir.path().to_owned()).unwrap();
            let layer = blobs.put_bytes(b"layer").unwrap();
            let spec = ImageSpec {
                entrypoint: vec!["/pause".into()],
                user: "65535:65535".into(),
                layers: vec![layer],
                ..ImageSpec::default()
            };
            spec.store(&blobs, "amd64").unwrap()
        };
        assert_eq!(digest(), digest());
    }

    #[test]
    fn config_says_what_was_asked() {
        let spec = ImageSpec {
            entrypoint: vec!["/coredns".into()],
            user: "nonroot:nonroot".into(),
            ports: vec!["53/udp".into()],
            ..ImageSpec::default()
        };
        let config = spec.config("amd64");
        assert_eq!(config["config"]["Entrypoint"][0], "/coredns");
        assert_eq!(config["config"]["User"], "nonroot:nonroot");
        assert!(config["config"]["ExposedPorts"]["53/udp"].is_object());
        assert!(config["config"].get("Cmd").is_none());
    }
}
