//! The shelf keeps its ports' contracts, with bundles and archives of a few bytes.

use ports::conformance;
use tempfile::TempDir;

use super::*;
use crate::{fixture, image_store::tests::docker_archive};

struct Host {
    dir: TempDir,
    shelf: Shelf,
}

impl Host {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let shelf = shelf(&dir);
        fixture::bundle(&shelf.cache);
        Self { dir, shelf }
    }

    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.dir.path().join(name.replace('/', "_"));
        fs::write(&path, content).unwrap();
        path
    }
}

fn shelf(dir: &TempDir) -> Shelf {
    Shelf::open(&dir.path().join("cache"), &dir.path().join("images")).unwrap()
}

impl conformance::images::Bench for Host {
    type Subject = Shelf;

    fn images(&self) -> Shelf {
        self.shelf.clone()
    }

    fn restarted(&self) -> Shelf {
        shelf(&self.dir)
    }

    fn archive(&self, image: &str) -> PathBuf {
        self.file(image, &docker_archive(image, b"layer"))
    }

    fn no_archive(&self) -> PathBuf {
        self.file("readme", &[b'x'; 1000])
    }

    fn torn_archive(&self, image: &str) -> PathBuf {
        self.file("torn", &docker_archive(image, b"layer")[..700])
    }
}

impl conformance::bundles::Bench for Host {
    type Subject = Shelf;

    fn bundles(&self) -> Shelf {
        self.shelf.clone()
    }

    fn restarted(&self) -> Shelf {
        shelf(&self.dir)
    }

    fn not_there(&self) -> Wanted {
        "v1.35".parse().unwrap()
    }

    fn rebuild(&self) {
        let current = self.shelf.cache.resolve("v1.36").unwrap().unwrap();
        let mut manifest = current.manifest().clone();
        manifest.recipe_revision += 1;
        self.shelf.cache.publish(manifest).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn images_keep_the_contract() {
    conformance::images::suite(async || Host::new()).await;
}

#[tokio::test]
async fn bundles_keep_the_contract() {
    conformance::bundles::suite(async || Host::new()).await;
}
