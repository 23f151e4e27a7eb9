//! Archives as tools write them, and as an attacker would.

use std::io::Write;

use proptest::prelude::*;
use serde_json::json;
use tar::{EntryType, Header};

use super::*;
use crate::Registry;
use crate::fixture::listing;

/// A tar built entry by entry; names are written raw, so that hostile ones get through.
#[derive(Default)]
struct Tar(Vec<u8>);

impl Tar {
    fn entry(mut self, name: &str, kind: EntryType, link: &str, data: &[u8]) -> Self {
        let mut header = Header::new_gnu();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.as_mut_bytes()[157..157 + link.len()].copy_from_slice(link.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_size(data.len() as u64);
        header.set_cksum();
        self.0.extend_from_slice(header.as_bytes());
        self.0.extend_from_slice(data);
        self.0.resize(self.0.len().next_multiple_of(512), 0);
        self
    }

    fn file(self, name: &str, data: impl AsRef<[u8]>) -> Self {
        self.entry(name, EntryType::Regular, "", data.as_ref())
    }

    fn done(mut self) -> Vec<u8> {
        self.0.resize(self.0.len() + 1024, 0);
        self.0
    }
}

fn config(layer: &[u8]) -> String {
    json!({ "architecture": "amd64", "os": "linux", "rootfs": { "type": "layers", "diff_ids": [Digest::of(layer)] } })
        .to_string()
}

pub(crate) fn docker_archive(tag: &str, layer: &[u8]) -> Vec<u8> {
    let manifest = json!([{ "Config": "abc.json", "RepoTags": [tag], "Layers": ["one/layer.tar"] }]);
    Tar::default()
        .file("abc.json", config(layer))
        .file("one/layer.tar", layer)
        .file("manifest.json", manifest.to_string())
        .done()
}

fn oci_archive(name: &str, layer: &[u8]) -> Vec<u8> {
    let config = config(layer);
    let blob = |data: &[u8]| json!({ "digest": Digest::of(data), "size": data.len() });
    let manifest =
        json!({ "schemaVersion": 2, "config": blob(config.as_bytes()), "layers": [blob(layer)] }).to_string();
    let mut top = blob(manifest.as_bytes());
    top["mediaType"] = json!(media::MANIFEST);
    top["annotations"] = json!({ "io.containerd.image.name": name });
    let path = |data: &[u8]| format!("blobs/sha256/{}", Digest::of(data).hex());
    Tar::default()
        .file("oci-layout", r#"{"imageLayoutVersion":"1.0.0"}"#)
        .file(
            "index.json",
            json!({ "schemaVersion": 2, "manifests": [top] }).to_string(),
        )
        .file(&path(manifest.as_bytes()), &manifest)
        .file(&path(config.as_bytes()), &config)
        .file(&path(layer), layer)
        .done()
}

fn store() -> (tempfile::TempDir, ImageStore) {
    let dir = tempfile::tempdir().unwrap();
    let store = ImageStore::open(dir.path()).unwrap();
    (dir, store)
}

fn refused(archive: &[u8], code: &str) {
    let (dir, store) = store();
    drop(store.lock().unwrap());
    let before = listing(dir.path());
    let error = store.import(archive).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    assert!(!error.remedy().is_empty());
    assert_eq!(listing(dir.path()), before, "a refused archive leaves nothing");
}

#[test]
fn a_docker_archive_is_served_under_its_name() {
    let (_dir, store) = store();
    let loaded = store
        .import(docker_archive("app:v1", b"layer").as_slice())
        .unwrap();
    assert_eq!(loaded[0].name, "docker.io/library/app:v1");
    let registry = Registry::new(vec![store.clone()], &[]);
    let manifest = registry
        .resolve(Some("docker.io"), "library/app", "v1")
        .unwrap()
        .unwrap();
    assert_eq!(manifest.digest, loaded[0].digest);
    assert_eq!(Digest::of(fs::read(&manifest.path).unwrap()), manifest.digest);
    let layer = registry.blob(&Digest::of("layer")).unwrap().unwrap();
    assert_eq!(fs::read(layer.path).unwrap(), b"layer");
    let pinned = manifest.digest.to_string();
    assert_eq!(
        registry.resolve(None, "library/app", &pinned).unwrap(),
        Some(manifest)
    );
    assert_eq!(
        registry.resolve(Some("quay.io"), "library/app", "v1").unwrap(),
        None
    );
    assert_eq!(registry.tags(Some("docker.io"), "library/app").unwrap(), ["v1"]);
}

#[test]
fn gzip_and_oci_archives_load_too() {
    let (_dir, store) = store();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&docker_archive("ghcr.io/me/app:v2", b"zipped"))
        .unwrap();
    store.import(gzip.finish().unwrap().as_slice()).unwrap();
    store
        .import(oci_archive("quay.io/me/tool:v3", b"oci").as_slice())
        .unwrap();
    let names: Vec<_> = store.list().unwrap().into_iter().map(|i| i.name).collect();
    assert_eq!(names, ["ghcr.io/me/app:v2", "quay.io/me/tool:v3"]);
}

#[test]
fn loading_again_replaces_and_removing_frees_what_nobody_needs() {
    let (dir, store) = store();
    store.import(docker_archive("app:v1", b"old").as_slice()).unwrap();
    store.import(docker_archive("app:v1", b"new").as_slice()).unwrap();
    store
        .import(docker_archive("other:v1", b"new").as_slice())
        .unwrap();
    assert_eq!(store.list().unwrap().len(), 2);
    assert!(!store.blob_path(&Digest::of("old")).exists());
    store.remove("app:v1").unwrap();
    assert!(
        store.blob_path(&Digest::of("new")).exists(),
        "another image shares it"
    );
    store.remove("docker.io/library/other:v1").unwrap();
    assert_eq!(fs::read_dir(dir.path().join("blobs/sha256")).unwrap().count(), 0);
    assert_eq!(store.remove("app:v1").unwrap_err().code(), "image_not_loaded");
}

#[test]
fn a_duplicate_layer_may_be_a_link_inside_the_archive() {
    let (_dir, store) = store();
    let manifest = json!([{ "Config": "c.json", "RepoTags": ["app:v1"], "Layers": ["two/layer.tar"] }]);
    let archive = Tar::default()
        .file("c.json", config(b"shared"))
        .file("one/layer.tar", "shared")
        .entry("two/layer.tar", EntryType::Symlink, "../one/layer.tar", b"")
        .file("manifest.json", manifest.to_string())
        .done();
    store.import(archive.as_slice()).unwrap();
}

#[test]
fn hostile_archives_are_refused() {
    for name in ["../../etc/cron.d/x", "/etc/passwd", "a/../../b"] {
        refused(&Tar::default().file(name, "x").done(), "archive_refused");
    }
    let link = |kind, to| Tar::default().entry("layer.tar", kind, to, b"").done();
    refused(
        &link(EntryType::Symlink, "../../../etc/shadow"),
        "archive_refused",
    );
    refused(&link(EntryType::Symlink, "/etc/shadow"), "archive_refused");
    refused(&link(EntryType::Link, "../etc/shadow"), "archive_refused");
    refused(&link(EntryType::Char, ""), "archive_refused");
    let manifest = json!([{ "Config": "../../etc/passwd", "RepoTags": ["a:b"], "Layers": [] }]);
    refused(
        &Tar::default().file("manifest.json", manifest.to_string()).done(),
        "archive_malformed",
    );
    let manifest = json!([{ "Config": "c.json", "RepoTags": ["../../x:y"], "Layers": [] }]);
    refused(
        &Tar::default().file("manifest.json", manifest.to_string()).done(),
        "archive_malformed",
    );
}

#[test]
fn a_bomb_is_stopped_at_the_limit() {
    let (_dir, store) = store();
    let limits = Limits {
        entries: 10,
        bytes: 1000,
        document: 1000,
    };
    let big = Tar::default()
        .file("a", vec![0; 600])
        .file("b", vec![0; 600])
        .done();
    assert_eq!(
        store.import_within(big.as_slice(), limits).unwrap_err().code(),
        "archive_refused"
    );
    let many = (0..11)
        .fold(Tar::default(), |tar, n| tar.file(&n.to_string(), ""))
        .done();
    assert_eq!(
        store.import_within(many.as_slice(), limits).unwrap_err().code(),
        "archive_refused"
    );
}

#[test]
fn what_does_not_have_its_digest_is_refused() {
    let mut docker = docker_archive("app:v1", b"unique-layer");
    let at = docker.windows(12).position(|w| w == b"unique-layer").unwrap();
    docker[at] ^= 1;
    refused(&docker, "archive_malformed");

    let mut oci = oci_archive("app:v1", b"unique-layer");
    let at = oci.windows(12).position(|w| w == b"unique-layer").unwrap();
    oci[at] ^= 1;
    refused(&oci, "archive_malformed");
}

#[test]
fn what_is_no_image_is_told_so() {
    refused(b"", "archive_not_an_image");
    refused(
        &Tar::default().file("readme", "hello").done(),
        "archive_not_an_image",
    );
    refused(
        b"this is not a tar file at all, but it is long enough to look like one",
        "archive_unreadable",
    );
    let whole = docker_archive("app:v1", b"layer");
    refused(&whole[..700], "archive_unreadable");
    let manifest = json!([{ "Config": "c.json", "RepoTags": null, "Layers": [] }]);
    refused(
        &Tar::default().file("manifest.json", manifest.to_string()).done(),
        "archive_unnamed",
    );
}

#[test]
fn tenants_images_come_before_the_bundles() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = crate::fixture::bundle(&crate::Cache::open(dir.path().join("cache")).unwrap());
    let store = ImageStore::open(dir.path().join("images")).unwrap();
    let registry = Registry::new(vec![store.clone()], std::slice::from_ref(&bundle));
    let pause = || {
        registry
            .resolve(Some("registry.k8s.io"), "pause", "3.10.2")
            .unwrap()
            .unwrap()
    };
    assert_eq!(
        pause().digest,
        bundle.images()[crate::fixture::PAUSE].manifest.digest
    );
    let loaded = store
        .import(docker_archive(crate::fixture::PAUSE, b"mine").as_slice())
        .unwrap();
    assert_eq!(pause().digest, loaded[0].digest);
    let kubelet = &bundle.manifest().components["kubelet"].blob.digest;
    assert_eq!(
        registry.blob(kubelet).unwrap(),
        None,
        "only blobs of images are served"
    );
}

/// An archive as a tool writes it, with some bytes overwritten, then cut anywhere.
fn bent() -> impl Strategy<Value = Vec<u8>> {
    let whole = [
        docker_archive("app:v1", b"layer"),
        oci_archive("quay.io/me/tool:v3", b"oci"),
    ];
    (0..whole.len()).prop_flat_map(move |which| {
        let whole = whole[which].clone();
        let changes = proptest::collection::vec((0..whole.len(), any::<u8>()), 1..8);
        (changes, 0..=whole.len()).prop_map(move |(changes, end)| {
            let mut bytes = whole.clone();
            for (at, byte) in changes {
                bytes[at] = byte;
            }
            bytes.truncate(end);
            bytes
        })
    })
}

proptest! {
    #[test]
    fn hostile_archives_load_whole_or_not_at_all(
        bytes in prop_oneof![4 => bent(), 1 => proptest::collection::vec(any::<u8>(), 0..2048)],
    ) {
        let (_dir, store) = store();
        match store.import(bytes.as_slice()) {
            Ok(loaded) => {
                for image in loaded {
                    prop_assert!(store.list().unwrap().iter().any(|i| i.name == image.name));
                }
            }
            Err(_) => prop_assert!(store.list().unwrap().is_empty()),
        }
    }
}
