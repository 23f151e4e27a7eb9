//! All of `KubeApi` against a real kube-apiserver and etcd, started once. Needs their binaries and kubectl: from the
//! bundle cache, or from `PLASMACLOUD_TEST_BIN`. Takes some seconds, most of it the server's start.

mod applying;
mod contract;
mod nodes;
mod plane;
mod reaching;

use std::time::{Duration, Instant};

use kubeapi::KubeApi;
use plane::Plane;
use ports::cluster_api::ClusterApi;

const START_LIMIT: Duration = Duration::from_secs(90);
const TEST_LIMIT: Duration = Duration::from_secs(240);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_cluster() {
    let mut plane = Plane::start();
    let api = KubeApi::new();
    let test = async {
        wait_until_ready(&api, &plane).await;
        reaching::identity_is_checked_both_ways(&api, &plane).await;
        contract::keeps_the_contract(&api, &plane).await;
        nodes::a_node_from_registration_to_deletion(&api, &plane).await;
        applying::every_kind_and_again(&api, &plane).await;
        applying::fields_are_owned_and_taken_back(&api, &plane).await;
        applying::kinds_are_discovered(&api, &plane).await;
        applying::what_is_refused_says_why(&api, &plane).await;
        reaching::nothing_stays_open(&plane).await;
        plane.kill_apiserver();
        reaching::a_dead_server_is_absent(&api, &plane.target()).await;
    };
    tokio::time::timeout(TEST_LIMIT, test)
        .await
        .expect("the test takes too long");
}

#[tokio::test]
async fn servers_that_do_not_speak() {
    reaching::silence_and_hanging_up_are_absence(&KubeApi::new()).await;
}

/// Before the server listens, and while it starts, it is absent and never a fault.
async fn wait_until_ready(api: &KubeApi, plane: &Plane) {
    let begun = Instant::now();
    let mut absent = 0;
    while !api.ready(&plane.target()).await.unwrap() {
        absent += 1;
        assert!(
            begun.elapsed() < START_LIMIT,
            "kube-apiserver does not get ready:\n{}",
            plane.log()
        );
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert!(absent > 0, "a server that was started just now cannot be ready");
}
