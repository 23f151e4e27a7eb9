//! What every `Images` does.

use std::path::PathBuf;

use types::{ClusterId, FaultKind};

use super::{abandon, at_once, suite};
use crate::Images;

/// A host on which no cluster has images yet.
pub trait Bench: Sync {
    type Subject: Images + Clone + 'static;

    fn images(&self) -> Self::Subject;

    /// After a restart of the platform.
    fn restarted(&self) -> Self::Subject;

    /// An archive with one image of this full name.
    fn archive(&self, image: &str) -> PathBuf;

    /// A file that is no archive of images.
    fn no_archive(&self) -> PathBuf;

    /// An archive that begins well and ends in the middle.
    fn torn_archive(&self, image: &str) -> PathBuf;
}

suite!(
    "Images",
    Bench,
    [
        without_any_there_is_an_empty_list,
        what_is_loaded_is_listed_also_after_a_restart,
        twice_is_once,
        an_archive_is_taken_whole_or_not_at_all,
        clusters_do_not_meet,
        what_is_forgotten_is_gone_and_may_be_forgotten_again,
        loads_at_once_are_all_there,
        a_caller_that_goes_away_leaves_nothing_broken,
    ]
);

const APP: &str = "docker.io/library/app:v1";
const TOOL: &str = "quay.io/me/tool:v3";

async fn without_any_there_is_an_empty_list(bench: &impl Bench) {
    let (images, cluster) = (bench.images(), ClusterId::generate());
    assert_eq!(images.list(&cluster).await.unwrap(), [""; 0]);
    images.forget(&cluster).await.unwrap();
    assert_ne!(
        images.directory(&cluster),
        images.directory(&ClusterId::generate())
    );
    assert_eq!(images.directory(&cluster), bench.restarted().directory(&cluster));
}

async fn what_is_loaded_is_listed_also_after_a_restart(bench: &impl Bench) {
    let (images, cluster) = (bench.images(), ClusterId::generate());
    assert_eq!(images.load(&cluster, &bench.archive(TOOL)).await.unwrap(), [TOOL]);
    assert_eq!(images.load(&cluster, &bench.archive(APP)).await.unwrap(), [APP]);
    for images in [images, bench.restarted()] {
        assert_eq!(images.list(&cluster).await.unwrap(), [APP, TOOL], "by name");
    }
}

async fn twice_is_once(bench: &impl Bench) {
    let (images, cluster) = (bench.images(), ClusterId::generate());
    for _ in 0..2 {
        assert_eq!(images.load(&cluster, &bench.archive(APP)).await.unwrap(), [APP]);
        assert_eq!(images.list(&cluster).await.unwrap(), [APP]);
    }
}

async fn an_archive_is_taken_whole_or_not_at_all(bench: &impl Bench) {
    let (images, cluster) = (bench.images(), ClusterId::generate());
    images.load(&cluster, &bench.archive(APP)).await.unwrap();
    for bad in [bench.no_archive(), bench.torn_archive(TOOL)] {
        let fault = images.load(&cluster, &bad).await.expect_err("it is refused");
        assert_eq!(fault.kind, FaultKind::Invalid, "{fault}");
        assert!(
            fault.code.starts_with("archive-") && !fault.remedy.is_empty(),
            "{fault:?}"
        );
        assert_eq!(images.list(&cluster).await.unwrap(), [APP]);
    }
    let missing = bench.no_archive().with_file_name("nothing-here");
    assert!(images.load(&cluster, &missing).await.is_err());
}

async fn clusters_do_not_meet(bench: &impl Bench) {
    let images = bench.images();
    let (one, two) = (ClusterId::generate(), ClusterId::generate());
    images.load(&one, &bench.archive(APP)).await.unwrap();
    images.load(&two, &bench.archive(TOOL)).await.unwrap();
    assert_eq!(images.list(&one).await.unwrap(), [APP]);
    images.forget(&one).await.unwrap();
    assert_eq!(images.list(&two).await.unwrap(), [TOOL]);
}

async fn what_is_forgotten_is_gone_and_may_be_forgotten_again(bench: &impl Bench) {
    let (images, cluster) = (bench.images(), ClusterId::generate());
    images.load(&cluster, &bench.archive(APP)).await.unwrap();
    for _ in 0..2 {
        images.forget(&cluster).await.unwrap();
        assert_eq!(images.list(&cluster).await.unwrap(), [""; 0]);
        assert!(!images.directory(&cluster).exists(), "nothing stays on the disk");
    }
    images.load(&cluster, &bench.archive(TOOL)).await.unwrap();
    assert_eq!(images.list(&cluster).await.unwrap(), [TOOL]);
}

async fn loads_at_once_are_all_there(bench: &impl Bench) {
    let cluster = ClusterId::generate();
    let names = ["a", "b", "c", "d"].map(|name| format!("docker.io/library/{name}:v1"));
    let loads = names.clone().map(|name| {
        let (images, cluster, archive) = (bench.images(), cluster.clone(), bench.archive(&name));
        async move { images.load(&cluster, &archive).await }
    });
    for loaded in at_once(loads).await {
        loaded.unwrap();
    }
    assert_eq!(bench.images().list(&cluster).await.unwrap(), names);
}

async fn a_caller_that_goes_away_leaves_nothing_broken(bench: &impl Bench) {
    let (images, cluster) = (bench.images(), ClusterId::generate());
    let archive = bench.archive(APP);
    abandon(images.load(&cluster, &archive)).await;
    assert_eq!(images.load(&cluster, &archive).await.unwrap(), [APP]);
    assert_eq!(images.list(&cluster).await.unwrap(), [APP]);
}
