//! Bundles and images in memory.

use std::path::PathBuf;

use types::version::Wanted;

use crate::{
    Bundles, conformance,
    fake::{FakeBundles, FakeImages, FakeWorld},
};

#[derive(Default)]
pub(super) struct Loaded {
    images: FakeImages,
}

impl conformance::images::Bench for Loaded {
    type Subject = FakeImages;

    fn images(&self) -> FakeImages {
        self.images.clone()
    }

    fn restarted(&self) -> FakeImages {
        self.images.clone()
    }

    fn archive(&self, image: &str) -> PathBuf {
        PathBuf::from(format!("/fake/archives/{image}.tar"))
    }

    fn no_archive(&self) -> PathBuf {
        PathBuf::from("/fake/readme.txt")
    }

    fn torn_archive(&self, image: &str) -> PathBuf {
        PathBuf::from(format!("/fake/archives/{image}.ta"))
    }
}

pub(super) struct Built {
    bundles: FakeBundles,
}

impl Default for Built {
    fn default() -> Self {
        Self {
            bundles: FakeWorld::new().bundles(),
        }
    }
}

impl conformance::bundles::Bench for Built {
    type Subject = FakeBundles;

    fn bundles(&self) -> FakeBundles {
        self.bundles.clone()
    }

    fn restarted(&self) -> FakeBundles {
        self.bundles.clone()
    }

    fn not_there(&self) -> Wanted {
        "v1.35".parse().unwrap()
    }

    fn rebuild(&self) {
        let version = self.bundles.resolve(None).unwrap();
        self.bundles.add(FakeBundles::bundle(version, "sha256:fake-2"));
    }
}
