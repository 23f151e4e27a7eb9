//! A bundle of a few bytes, for tests.

use std::fs;
use std::path::Path;

use crate::bundle::{BIN, Bundle, CONTROL_PLANE, NODE};
use crate::cache::{Cache, Descriptor};
use crate::manifest::{Component, Manifest, SCHEMA};
use crate::oci::{ImageSpec, Layer};
use crate::tree::{TreeFile, TreeSpec};

pub(crate) const PAUSE: &str = "registry.k8s.io/pause:3.10.2";

/// Publishes a small `v1.36.4` into `cache`.
pub(crate) fn bundle(cache: &Cache) -> Bundle {
    let kubelet = program(cache, "kubelet");
    let apiserver = program(cache, "kube-apiserver");
    let mut base = Layer::new();
    base.file("etc/hosts", 0o644, "127.0.0.1 localhost\n")
        .file("usr/bin/tool", 0o755, vec![7; 100_000])
        .symlink("bin", "usr/bin")
        .dir("tmp", 0o1777);
    let base = cache.blobs().put(|out| base.write(out)).unwrap();
    let file = |path: &str, blob: &Descriptor| TreeFile {
        path: path.into(),
        blob: blob.clone(),
    };
    let trees = [
        (NODE, Some(base.clone()), file("usr/local/bin/kubelet", &kubelet)),
        (
            CONTROL_PLANE,
            Some(base),
            file("usr/local/bin/kube-apiserver", &apiserver),
        ),
        (BIN, None, file("bin/kubelet", &kubelet)),
    ];
    let mut layer = Layer::new();
    layer.file("pause", 0o755, "pause program");
    let layer = cache.blobs().put(|out| layer.write(out)).unwrap();
    let pause = ImageSpec {
        layers: vec![layer],
        ..ImageSpec::default()
    };
    let component = |blob: &Descriptor| Component {
        version: "1.36.4".into(),
        blob: blob.clone(),
    };
    let arch = if cfg!(target_arch = "aarch64") {
        "arm64"
    } else {
        "amd64"
    };
    let manifest = Manifest {
        schema: SCHEMA,
        version: "v1.36.4".into(),
        line: "v1.36".into(),
        arch: arch.into(),
        recipe_revision: 1,
        components: [("kubelet", &kubelet), ("kube-apiserver", &apiserver)]
            .map(|(name, blob)| (name.to_owned(), component(blob)))
            .into(),
        images: [(PAUSE.to_owned(), pause.store(cache.blobs(), arch).unwrap())].into(),
        trees: trees
            .map(|(name, base, file)| {
                (
                    name.to_owned(),
                    TreeSpec {
                        base,
                        files: vec![file],
                    },
                )
            })
            .into(),
    };
    cache.publish(manifest).unwrap()
}

fn program(cache: &Cache, name: &str) -> Descriptor {
    let scratch = cache.blobs().scratch().unwrap();
    let path = scratch.path().join(name);
    fs::write(&path, name).unwrap();
    cache.blobs().adopt(&path, true).unwrap()
}

/// Changes one byte of a file in place, whatever its permissions.
pub(crate) fn flip_byte(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).unwrap().permissions();
    fs::set_permissions(path, PermissionsExt::from_mode(0o644)).unwrap();
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, mode).unwrap();
}

/// Every file and directory below `dir`, for "nothing was left".
pub(crate) fn listing(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        found.push(path.display().to_string());
        if path.is_dir() && !path.is_symlink() {
            found.extend(listing(&path));
        }
    }
    found.sort();
    found
}
