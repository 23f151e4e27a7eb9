//! How much a project and its organisation may have, asked for by many at once.

use app::{default_org, default_project};
use types::tenant::Quota;

use crate::{harness::Host, second_thoughts, tenants::life};

fn clusters(n: u32) -> Quota {
    Quota {
        clusters: Some(n),
        ..Quota::default()
    }
}

#[tokio::test]
async fn of_a_hundred_who_ask_at_once_exactly_as_many_get_a_cluster_as_the_quota_has() {
    let host = Host::new();
    let life = life(&host);
    life.lab().await;
    let quota = clusters(3);
    life.tenants.set_quota(&default_project(), quota).await.unwrap();
    let asked = (0..100).map(|n| {
        let ops = life.ops.clone();
        async move {
            let name = format!("c{n}").parse().unwrap();
            ops.create_cluster(&default_project(), name, second_thoughts::spec())
                .await
        }
    });
    let answers = futures::future::join_all(asked).await;
    let (made, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!(made.len(), 3);
    for fault in refused.into_iter().map(Result::unwrap_err) {
        assert_eq!(fault.code, "quota-exceeded", "{fault:?}");
        assert!(fault.cause.contains("has 3 of 3 clusters"), "{fault:?}");
    }
    let usage = life.ops.usage(&default_project()).await.unwrap();
    assert_eq!(usage.clusters, 3);
}

#[tokio::test]
async fn what_an_organisation_may_have_holds_for_all_its_projects_together() {
    let host = Host::new();
    let life = life(&host);
    life.lab().await;
    let root = life.tenants.root().await.unwrap();
    life.tenants
        .set_org_quota(&default_org(), clusters(2))
        .await
        .unwrap();
    // Whoever makes a project may say what it may have: the organisation's limit stands.
    let second = life
        .tenants
        .create_project(&root, &default_org(), "second".parse().unwrap(), clusters(50))
        .await
        .unwrap();
    let range = "10.20.0.0/16".parse().unwrap();
    life.ops
        .create_network(&second.id, "lab".parse().unwrap(), range)
        .await
        .unwrap();
    let create = |project: types::ProjectId, name: &'static str| {
        let ops = life.ops.clone();
        async move {
            let name = name.parse().unwrap();
            ops.create_cluster(&project, name, second_thoughts::spec()).await
        }
    };
    create(default_project(), "one").await.unwrap();
    create(second.id.clone(), "one").await.unwrap();
    let fault = create(second.id.clone(), "two").await.unwrap_err();
    assert_eq!(fault.code, "quota-exceeded");
    assert_eq!(
        fault.cause,
        "the organisation 'default' has 2 of 2 clusters, and this takes 1 more"
    );
    assert!(create(default_project(), "two").await.is_err());
    assert_eq!(life.ops.org_usage(&default_org()).await.unwrap().clusters, 2);

    life.tenants
        .set_org_quota(&default_org(), clusters(3))
        .await
        .unwrap();
    create(second.id, "two").await.unwrap();
}
