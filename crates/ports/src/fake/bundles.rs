//! A catalogue of some releases and the bundles that this host is said to have.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use types::{Fault, Line, Patch, version::Wanted};

use super::FakeWorld;
use crate::bundles::{BundleRef, Bundles};

#[derive(Clone)]
pub struct FakeBundles {
    world: FakeWorld,
    present: Arc<Mutex<Vec<BundleRef>>>,
}

/// Line by minor number and its newest patch. The default is 1.36, of which a bundle is there.
const KNOWN: [(u16, u16); 3] = [(35, 8), (36, 4), (37, 1)];
const DEFAULT: Line = Line { major: 1, minor: 36 };

fn newest(minor: u16, patch: u16) -> Patch {
    Patch {
        line: Line { major: 1, minor },
        patch,
    }
}

impl FakeBundles {
    pub(super) fn new(world: FakeWorld) -> Self {
        let present = vec![Self::bundle(newest(36, 4), "sha256:fake-1")];
        Self {
            world,
            present: Arc::new(Mutex::new(present)),
        }
    }

    pub fn bundle(version: Patch, digest: &str) -> BundleRef {
        let tree = |what: &str| PathBuf::from(format!("/fake/bundles/{version}/{what}"));
        let image = |name: &str| (name.to_owned(), format!("registry.k8s.io/{name}:fake"));
        BundleRef {
            version,
            digest: digest.to_owned(),
            node_image: format!("{digest}-node"),
            node_tree: tree("node"),
            control_plane_tree: tree("control-plane"),
            images: BTreeMap::from([image("coredns"), image("pause")]),
        }
    }

    /// A newer bundle, as `cloud bundle build` would leave it.
    pub fn add(&self, bundle: BundleRef) {
        self.present
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(bundle);
    }

    fn newest_where(&self, op: &str, wanted: impl Fn(&BundleRef) -> bool) -> Result<BundleRef, Fault> {
        self.world.look(op, |_| {
            let present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
            let found = present.iter().rev().find(|bundle| wanted(bundle)).cloned();
            found.ok_or_else(|| {
                let cause = "this host does not have that bundle";
                Fault::new(
                    types::FaultKind::Refused,
                    "bundle-missing",
                    cause,
                    "cloud bundle build <version>",
                )
            })
        })
    }
}

#[async_trait]
impl Bundles for FakeBundles {
    fn resolve(&self, wanted: Option<Wanted>) -> Result<Patch, Fault> {
        let wanted = wanted.unwrap_or(Wanted::Line(DEFAULT));
        let known = KNOWN.map(|(minor, patch)| newest(minor, patch));
        let found = known.iter().find(|known| match wanted {
            Wanted::Line(line) => known.line == line,
            Wanted::Patch(patch) => **known == patch,
        });
        found.copied().ok_or_else(|| {
            let lines = known.map(|known| known.line.to_string()).join(", ");
            Fault::invalid(
                "unknown-version",
                format!("{wanted} is not known"),
                format!("choose one of {lines}"),
            )
        })
    }

    async fn find(&self, version: Patch) -> Result<BundleRef, Fault> {
        self.newest_where("bundles.find", |bundle| bundle.version == version)
    }

    async fn pinned(&self, version: Patch, digest: &str) -> Result<BundleRef, Fault> {
        self.newest_where("bundles.pinned", |bundle| {
            bundle.version == version && bundle.digest == digest
        })
    }

    async fn list(&self) -> Result<Vec<BundleRef>, Fault> {
        let present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
        let by_version = present.iter().map(|bundle| (bundle.version, bundle.clone()));
        Ok(by_version.collect::<BTreeMap<_, _>>().into_values().collect())
    }
}
