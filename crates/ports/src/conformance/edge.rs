//! What every `Edge` does.

use async_trait::async_trait;
use types::{FaultKind, Secret};

use super::{abandon, at_once, suite, told};
use crate::{
    Edge,
    edge::{EdgeConfig, STALE, Serving, SniRoute},
};

/// An edge that runs and was never given a configuration.
#[async_trait]
pub trait Bench: Sync {
    type Subject: Edge + Clone + 'static;

    fn edge(&self) -> Self::Subject;

    /// A configuration that can be served: two networks, and these names led to a server in the first.
    fn config(&self, generation: u64, names: &[&str]) -> EdgeConfig;

    /// Whether a client of the endpoint that asks for this name gets to the server.
    async fn leads(&self, config: &EdgeConfig, name: &str) -> bool;

    /// The edge dies.
    async fn kill(&self);

    /// It is started again, as its supervisor would.
    async fn restart(&self);
}

suite!(
    "Edge",
    Bench,
    [
        without_a_configuration_the_generation_is_zero,
        what_is_applied_is_in_force_when_it_is_answered,
        twice_is_once,
        an_older_generation_is_refused_also_after_a_crash,
        a_newer_one_replaces_the_whole,
        after_a_crash_the_last_one_is_in_force,
        a_contradiction_is_refused_and_changes_nothing,
        pushes_at_once_take_turns_and_the_newest_stays,
        a_caller_that_goes_away_leaves_nothing_broken,
        a_dead_edge_cannot_be_asked,
        a_certificate_without_its_key_is_told,
        who_never_came_is_not_told_of,
    ]
);

const ONE: &str = "one.k8s.test";
const TWO: &str = "two.k8s.test";

async fn generation(edge: &impl Edge) -> u64 {
    edge.status().await.unwrap().generation
}

async fn who_never_came_is_not_told_of(bench: &impl Bench) {
    let edge = bench.edge();
    edge.apply(&bench.config(1, &[ONE])).await.unwrap();
    assert!(edge.visits().await.unwrap().is_empty());
    bench.kill().await;
    assert!(edge.visits().await.is_err(), "unknown is not nobody");
    bench.restart().await;
}

async fn without_a_configuration_the_generation_is_zero(bench: &impl Bench) {
    assert_eq!(generation(&bench.edge()).await, 0);
}

async fn what_is_applied_is_in_force_when_it_is_answered(bench: &impl Bench) {
    let (edge, config) = (bench.edge(), bench.config(3, &[ONE]));
    assert_eq!(edge.apply(&config).await.unwrap().generation, 3);
    assert!(bench.leads(&config, ONE).await);
    assert!(!bench.leads(&config, TWO).await, "a name that nobody has");
    assert_eq!(generation(&edge).await, 3);
}

async fn twice_is_once(bench: &impl Bench) {
    let (edge, config) = (bench.edge(), bench.config(3, &[ONE]));
    let first = edge.apply(&config).await.unwrap();
    assert_eq!(edge.apply(&config).await.unwrap(), first);
    assert_eq!(generation(&edge).await, 3);
    assert!(bench.leads(&config, ONE).await);
}

async fn an_older_generation_is_refused_also_after_a_crash(bench: &impl Bench) {
    let (edge, config) = (bench.edge(), bench.config(7, &[ONE]));
    edge.apply(&config).await.unwrap();
    let older = bench.config(6, &[TWO]);
    told(edge.apply(&older).await, FaultKind::Conflict, STALE);
    bench.kill().await;
    bench.restart().await;
    told(edge.apply(&older).await, FaultKind::Conflict, STALE);
    assert_eq!(generation(&edge).await, 7);
    assert!(bench.leads(&config, ONE).await && !bench.leads(&config, TWO).await);
}

async fn a_newer_one_replaces_the_whole(bench: &impl Bench) {
    let edge = bench.edge();
    edge.apply(&bench.config(1, &[ONE])).await.unwrap();
    let newer = bench.config(5, &[TWO]);
    assert_eq!(edge.apply(&newer).await.unwrap().generation, 5);
    assert!(bench.leads(&newer, TWO).await);
    assert!(!bench.leads(&newer, ONE).await, "what it no longer holds");
}

async fn after_a_crash_the_last_one_is_in_force(bench: &impl Bench) {
    let (edge, config) = (bench.edge(), bench.config(4, &[ONE, TWO]));
    edge.apply(&config).await.unwrap();
    bench.kill().await;
    bench.restart().await;
    assert_eq!(generation(&edge).await, 4);
    assert!(bench.leads(&config, ONE).await && bench.leads(&config, TWO).await);
}

async fn a_contradiction_is_refused_and_changes_nothing(bench: &impl Bench) {
    let (edge, config) = (bench.edge(), bench.config(1, &[ONE]));
    edge.apply(&config).await.unwrap();
    let mut twice = bench.config(2, &[TWO, TWO]);
    twice.routes[1].server_name = TWO.to_uppercase();
    let mut repeated = bench.config(2, &[TWO]);
    repeated.networks.push(repeated.networks[0].clone());
    let nowhere = EdgeConfig {
        networks: Vec::new(),
        ..bench.config(2, &[TWO])
    };
    for contradiction in [twice, repeated, nowhere] {
        told(
            edge.apply(&contradiction).await,
            FaultKind::Invalid,
            "edge-config-invalid",
        );
    }
    assert_eq!(generation(&edge).await, 1);
    assert!(bench.leads(&config, ONE).await && !bench.leads(&config, TWO).await);
}

async fn pushes_at_once_take_turns_and_the_newest_stays(bench: &impl Bench) {
    const PUSHES: u64 = 6;
    let whole = bench.config(PUSHES, &[ONE, TWO]);
    let pushes = (1..=PUSHES).map(|generation| {
        let edge = bench.edge();
        let routes: Vec<SniRoute> = whole
            .routes
            .iter()
            .take((generation % 3) as usize)
            .cloned()
            .collect();
        let config = EdgeConfig {
            generation,
            routes,
            ..whole.clone()
        };
        async move { edge.apply(&config).await }
    });
    let answers = at_once(pushes).await;
    assert!(
        answers
            .iter()
            .any(|answer| answer.as_ref().is_ok_and(|status| status.generation == PUSHES))
    );
    for refused in answers.into_iter().filter(Result::is_err) {
        told(refused, FaultKind::Conflict, STALE);
    }
    assert_eq!(generation(&bench.edge()).await, PUSHES);
    assert!(!bench.leads(&whole, ONE).await, "the newest of them has no route");
}

async fn a_caller_that_goes_away_leaves_nothing_broken(bench: &impl Bench) {
    let (edge, config) = (bench.edge(), bench.config(2, &[ONE]));
    abandon(edge.apply(&config)).await;
    assert_eq!(edge.apply(&config).await.unwrap().generation, 2);
    assert!(bench.leads(&config, ONE).await);
}

async fn a_dead_edge_cannot_be_asked(bench: &impl Bench) {
    let (edge, config) = (bench.edge(), bench.config(2, &[ONE]));
    edge.apply(&config).await.unwrap();
    bench.kill().await;
    told(edge.status().await, FaultKind::Unavailable, "edge-unreachable");
    told(
        edge.apply(&config).await,
        FaultKind::Unavailable,
        "edge-unreachable",
    );
    bench.restart().await;
    assert_eq!(edge.apply(&config).await.unwrap().generation, 2);
}

/// Of a configuration without identities nothing is served, so nobody looks into the certificate.
async fn a_certificate_without_its_key_is_told(bench: &impl Bench) {
    let (edge, mut config) = (bench.edge(), bench.config(1, &[]));
    let serving = |key: Option<&str>| Serving {
        chain_pem: "a certificate".to_owned(),
        key_pem: key.map(Secret::new),
    };
    config.networks[0].serving = Some(serving(None));
    assert!(edge.apply(&config).await.unwrap().lacks_keys);
    assert!(edge.status().await.unwrap().lacks_keys);
    config.networks[0].serving = Some(serving(Some("its key")));
    assert!(
        !edge.apply(&config).await.unwrap().lacks_keys,
        "the same generation, now whole"
    );
    assert!(!edge.status().await.unwrap().lacks_keys);
}
