//! From a login to what a cluster is told about its token, and the certificates in between.

use std::path::Path;

use app::{default_org, default_project};
use iam::{
    pki::{not_after, serial_of},
    review::{Refusal, Review},
};
use ports::{
    Clock,
    compute::Content,
    edge::{EdgeConfig, EdgeIdentity},
};
use types::{
    Secret,
    cluster::Cluster,
    machine::Machine,
    tenant::{Place, Role},
};

use crate::{
    harness::Host,
    scene::{found, publish, started},
    tenants::PASSWORD,
};

const DAY_MS: u64 = 86_400_000;

fn served(host: &Host) -> (EdgeConfig, EdgeIdentity) {
    let config = host.world.edge().config().expect("it was told");
    let identity = config.identity.clone().expect("the platform has certificates");
    (config, identity)
}

fn review(host: &Host, cluster: &Cluster, token: &Secret) -> Review {
    let (_, identity) = served(host);
    let token = token.expose_str().unwrap();
    identity
        .snapshot
        .review(&cluster.network, &cluster.id, token, host.clock.now())
}

fn file(host: &Host, plane: &Machine, name: &str) -> String {
    let path = format!("/etc/k8shost/{name}");
    match host.world.compute().file(&plane.id, Path::new(&path)) {
        Some(Content::Text(text)) => text,
        Some(Content::Secret(secret)) => secret.expose_str().unwrap().to_owned(),
        other => panic!("{name}: {other:?}"),
    }
}

#[tokio::test]
async fn a_login_is_good_at_its_projects_cluster_until_it_is_ended() {
    let host = Host::new();
    let life = started(&host, &["dev"]).await;
    let (cluster, _) = found(&host, &life, "dev").await;
    let root = life.tenants.root().await.unwrap();
    let place = Place::Project(default_org(), default_project());
    let email = "ana@acme.example".parse().unwrap();
    let invited = life
        .tenants
        .invite(&root, place, Role::ProjectViewer, email)
        .await
        .unwrap();
    let pair = life
        .tenants
        .take_up(&invited.code, &Secret::new(PASSWORD))
        .await
        .unwrap();
    publish(&life).await;
    let user = review(&host, &cluster, &pair.access).user.expect("known");
    assert_eq!(user.username, "ana@acme.example");
    assert_eq!(
        user.groups,
        [
            format!("org:{}", default_org()),
            format!("project:{}", default_project()),
            format!("project:{}:viewer", default_project()),
            "system:authenticated".to_owned(),
        ]
    );
    let ana = life.tenants.authenticate(&pair.access).await.unwrap();
    let fresh = life
        .tenants
        .cluster_token(&ana, &default_project(), &cluster.id)
        .await
        .unwrap();
    assert!(review(&host, &cluster, &fresh.token).authenticated);
    let elsewhere = life
        .tenants
        .cluster_token(&ana, &default_project(), &types::ClusterId::generate())
        .await
        .unwrap();
    assert!(!review(&host, &cluster, &elsewhere.token).authenticated);

    host.clock.advance(1_000);
    life.tenants.end_sessions(&ana.id.parse().unwrap()).await.unwrap();
    publish(&life).await;
    assert_eq!(
        review(&host, &cluster, &pair.access).refusal,
        Some(Refusal::Withdrawn)
    );
    assert_eq!(
        review(&host, &cluster, &fresh.token).refusal,
        Some(Refusal::Withdrawn)
    );
}

#[tokio::test]
async fn a_programs_token_is_good_until_it_is_revoked_or_the_program_goes() {
    let host = Host::new();
    let life = started(&host, &["dev"]).await;
    let (cluster, _) = found(&host, &life, "dev").await;
    let (project, root) = (default_project(), life.tenants.root().await.unwrap());
    let account = life
        .tenants
        .create_service_account(&project, "ci".parse().unwrap(), Role::ProjectMember)
        .await
        .unwrap();
    let first = life
        .tenants
        .create_token(&root, &project, "ci", 3600)
        .await
        .unwrap();
    let second = life
        .tenants
        .create_token(&root, &project, "ci", 3600)
        .await
        .unwrap();
    publish(&life).await;
    let user = review(&host, &cluster, &first.token).user.expect("known");
    assert_eq!(
        (user.username.as_str(), user.uid.as_str()),
        ("sa-ci@default", account.id.as_str())
    );
    life.tenants
        .revoke_token(&project, first.id.as_str())
        .await
        .unwrap();
    publish(&life).await;
    assert_eq!(
        review(&host, &cluster, &first.token).refusal,
        Some(Refusal::Revoked)
    );
    assert!(review(&host, &cluster, &second.token).authenticated);
    life.tenants.delete_service_account(&project, "ci").await.unwrap();
    publish(&life).await;
    assert_eq!(
        review(&host, &cluster, &second.token).refusal,
        Some(Refusal::Principal)
    );
}

#[tokio::test]
async fn a_new_signing_key_is_known_to_the_edge_before_it_signs() {
    let host = Host::new();
    let life = started(&host, &["dev"]).await;
    life.tenants.key_set().await.unwrap();
    publish(&life).await;
    assert_eq!(served(&host).1.snapshot.keys.0.len(), 1);
    life.tenants.rotate_signing_key().await.unwrap();
    publish(&life).await;
    assert_eq!(
        served(&host).1.snapshot.keys,
        life.tenants.key_set().await.unwrap()
    );
    assert_eq!(served(&host).1.snapshot.keys.0.len(), 2);
}

#[tokio::test]
async fn certificates_are_renewed_in_place() {
    let host = Host::new();
    let life = started(&host, &["dev"]).await;
    let (cluster, plane) = found(&host, &life, "dev").await;
    let (config, identity) = served(&host);
    let serving = config.networks[0].serving.clone().expect("the network is served");
    assert!(serving.key_pem.is_some());
    assert!(file(&host, &plane, "iam-webhook.yaml").contains("https://iam-server:3000/"));
    let shown = file(&host, &plane, "apiserver-client.crt");
    let ca = file(&host, &plane, "ca.crt");
    let leader = |host: &Host| {
        let id = plane.id.clone();
        let compute = host.world.compute();
        async move {
            ports::Compute::observe(&compute, &id)
                .await
                .present()
                .unwrap()
                .leader
        }
    };
    let before = leader(&host).await;

    host.clock.advance(59 * DAY_MS);
    life.settle().await.unwrap();
    publish(&life).await;
    assert_eq!(file(&host, &plane, "apiserver-client.crt"), shown, "not due yet");
    host.clock.advance(2 * DAY_MS);
    life.settle().await.unwrap();
    publish(&life).await;
    let renewed = file(&host, &plane, "apiserver-client.crt");
    assert!(not_after(&renewed).unwrap() > not_after(&shown).unwrap());
    assert_eq!(file(&host, &plane, "ca.crt"), ca, "the root is the same");
    assert_eq!(leader(&host).await, before, "and the machine runs on");
    let (config, _) = served(&host);
    let after = config.networks[0].serving.clone().unwrap();
    assert!(not_after(&after.chain_pem).unwrap() > not_after(&serving.chain_pem).unwrap());

    // The deleted cluster's certificate opens nothing any more.
    assert!(identity.snapshot.clusters.contains_key(&cluster.id));
    life.ops.delete_cluster(&default_project(), "dev").await.unwrap();
    life.settle().await.unwrap();
    publish(&life).await;
    let (_, identity) = served(&host);
    assert!(!identity.snapshot.clusters.contains_key(&cluster.id));
    let list = identity.revocations.concat();
    let serial = serial_of(&renewed).unwrap();
    assert!(revoked(&list).contains(&serial), "{serial}");
}

/// Serial numbers on a list.
fn revoked(pem: &str) -> Vec<String> {
    let (_, pem) = x509_parser::pem::parse_x509_pem(pem.as_bytes()).unwrap();
    let (_, list) = x509_parser::parse_x509_crl(&pem.contents).unwrap();
    list.iter_revoked_certificates()
        .map(|entry| entry.raw_serial().iter().map(|b| format!("{b:02x}")).collect())
        .collect()
}

#[tokio::test]
async fn an_edge_that_lost_its_keys_or_was_away_is_told_again() {
    let host = Host::new();
    let life = started(&host, &["dev"]).await;
    host.world.reboot();
    assert!(served(&host).0.lacks_keys());
    host.world.run_edge(false);
    assert!(life.publisher.lock().await.turn().await.is_err());
    host.world.run_edge(true);
    publish(&life).await;
    assert!(!served(&host).0.lacks_keys());
}
