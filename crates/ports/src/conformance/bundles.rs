//! What every `Bundles` does.

use types::{FaultKind, version::Wanted};

use super::{suite, told};
use crate::{Bundles, bundles::BundleRef};

/// A host with a bundle of the default version and of no other.
pub trait Bench: Sync {
    type Subject: Bundles;

    fn bundles(&self) -> Self::Subject;

    /// After a restart of the platform.
    fn restarted(&self) -> Self::Subject;

    /// A known version of which there is no bundle.
    fn not_there(&self) -> Wanted;

    /// The bundle of the default version is built again and comes out otherwise.
    fn rebuild(&self);
}

suite!(
    "Bundles",
    Bench,
    [
        a_line_and_its_newest_patch_are_the_same,
        what_is_not_known_is_refused_with_what_is,
        what_is_there_is_found,
        what_is_not_there_is_refused_with_the_way_to_get_it,
        a_pin_outlives_a_newer_bundle,
    ]
);

async fn current(bundles: &impl Bundles) -> BundleRef {
    bundles.find(bundles.resolve(None).unwrap()).await.unwrap()
}

async fn a_line_and_its_newest_patch_are_the_same(bench: &impl Bench) {
    let bundles = bench.bundles();
    let default = bundles.resolve(None).unwrap();
    assert_eq!(
        bundles.resolve(Some(Wanted::Line(default.line))).unwrap(),
        default
    );
    assert_eq!(bundles.resolve(Some(Wanted::Patch(default))).unwrap(), default);
}

async fn what_is_not_known_is_refused_with_what_is(bench: &impl Bench) {
    let bundles = bench.bundles();
    let known = bundles.resolve(None).unwrap().line.to_string();
    let mut patch = bundles.resolve(None).unwrap();
    patch.patch += 1;
    for unknown in ["v1.20".parse().expect("a version"), Wanted::Patch(patch)] {
        let fault = told(
            bundles.resolve(Some(unknown)),
            FaultKind::Invalid,
            "unknown-version",
        );
        assert!(
            fault.cause.contains(&known) || fault.remedy.contains(&known),
            "{fault:?}"
        );
    }
}

async fn what_is_there_is_found(bench: &impl Bench) {
    let bundles = bench.bundles();
    let version = bundles.resolve(None).unwrap();
    let found = bundles.find(version).await.unwrap();
    assert_eq!(found.version, version);
    assert_ne!(found.node_tree, found.control_plane_tree);
    assert!(found.images.contains_key("pause"), "{found:?}");
    assert_eq!(bundles.pinned(version, &found.digest).await.unwrap(), found);
    assert_eq!(bench.restarted().find(version).await.unwrap(), found);
    assert_eq!(bundles.list().await.unwrap(), [found]);
}

async fn what_is_not_there_is_refused_with_the_way_to_get_it(bench: &impl Bench) {
    let bundles = bench.bundles();
    let absent = bundles.resolve(Some(bench.not_there())).unwrap();
    let default = bundles.resolve(None).unwrap();
    let digest = format!("sha256:{}", "0".repeat(64));
    for outcome in [bundles.find(absent).await, bundles.pinned(default, &digest).await] {
        let fault = told(outcome, FaultKind::Refused, "bundle-missing");
        assert!(fault.remedy.contains("cloud bundle build"), "{fault:?}");
    }
}

async fn a_pin_outlives_a_newer_bundle(bench: &impl Bench) {
    let bundles = bench.bundles();
    let old = current(&bundles).await;
    bench.rebuild();
    let new = current(&bundles).await;
    assert_eq!(new.version, old.version);
    assert_ne!(new.digest, old.digest);
    assert_eq!(
        bundles.list().await.unwrap(),
        [new],
        "the current one of every version"
    );
    assert_eq!(bundles.pinned(old.version, &old.digest).await.unwrap(), old);
}
