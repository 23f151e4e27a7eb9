//! Rights in one cluster, from the books to what the cluster and the edge are told, and with whom they go.

use app::{default_org, default_project};
use iam::review::Refusal;
use ports::Clock;
use types::{
    grant::GrantRole,
    tenant::{Place, Quota, Role},
};

use crate::{scene::Scene, second_thoughts::spec};

impl Scene {
    async fn names(&self) -> Vec<String> {
        let all = self
            .life
            .tenants
            .list_grants(&default_project(), "dev")
            .await
            .unwrap();
        all.into_iter().map(|grant| grant.principal_name).collect()
    }
}

#[tokio::test]
async fn a_grant_reaches_the_edge_and_the_cluster_and_is_taken_from_both() {
    let scene = Scene::new().await;
    let ana = scene
        .invited("ana@acme.example", scene.in_blog(), Role::ProjectViewer)
        .await;
    assert_eq!(
        scene.review(&ana, &default_project()).await.refusal,
        Some(Refusal::Reach)
    );
    assert_eq!(scene.told().await.grants, Some([].into()));
    scene
        .grant("ana@acme.example", GrantRole::Member, Some("web"))
        .await
        .unwrap();
    scene
        .grant("ana@acme.example", GrantRole::Member, Some("web"))
        .await
        .unwrap();
    assert_eq!(
        scene.names().await,
        ["ana@acme.example"],
        "the same twice is once"
    );
    let user = scene.review(&ana, &default_project()).await.user.expect("known");
    assert_eq!(
        user.groups,
        [
            format!("cluster:{}:web:member", scene.cluster.id),
            "system:authenticated".to_owned()
        ]
    );
    let told = scene.told().await.grants.unwrap();
    let text = serde_json::to_string(&told).unwrap();
    assert_eq!(
        text, r#"[{"role":"member","namespace":"web"}]"#,
        "nobody is named"
    );
    let entered = scene
        .life
        .tenants
        .enter_granted(&ana, "default", "dev")
        .await
        .unwrap();
    assert_eq!(entered.unwrap().cluster.id, scene.cluster.id);

    let namespace = "web".parse().unwrap();
    let taken = scene
        .life
        .tenants
        .revoke_grants(
            &default_project(),
            "dev",
            "Ana@acme.example",
            Some(&namespace),
            None,
        )
        .await
        .unwrap();
    assert_eq!(taken.len(), 1);
    assert_eq!(
        scene.review(&ana, &default_project()).await.refusal,
        Some(Refusal::Reach)
    );
    assert_eq!(scene.told().await.grants, Some([].into()));
    let entered = scene
        .life
        .tenants
        .enter_granted(&ana, "default", "dev")
        .await
        .unwrap();
    assert!(entered.is_none());
}

#[tokio::test]
async fn a_cluster_of_the_same_name_elsewhere_is_not_meant() {
    let scene = Scene::new().await;
    let ana = scene
        .invited("ana@acme.example", scene.in_blog(), Role::ProjectViewer)
        .await;
    scene
        .grant("ana@acme.example", GrantRole::Viewer, None)
        .await
        .unwrap();
    let tenants = &scene.life.tenants;
    // In a project in which she has no role either.
    let (name, cidr) = ("lab".parse().unwrap(), "10.30.0.0/16".parse().unwrap());
    let shop = tenants
        .create_project(
            &scene.root,
            &default_org(),
            "shop".parse().unwrap(),
            Quota::default(),
        )
        .await
        .unwrap();
    scene.life.ops.create_network(&shop.id, name, cidr).await.unwrap();
    scene.life.settle().await.unwrap();
    let made = scene
        .life
        .ops
        .create_cluster(&shop.id, "dev".parse().unwrap(), spec())
        .await;
    let namesake = made.unwrap().0;
    scene.life.settle().await.unwrap();
    assert!(
        tenants
            .enter_granted(&ana, "shop", "dev")
            .await
            .unwrap()
            .is_none()
    );
    assert!(scene.review(&ana, &default_project()).await.authenticated);
    let config = scene.host.world.edge().config().unwrap();
    let reach = &config.identity.unwrap().snapshot.clusters[&namesake.id];
    assert!(reach.grants.is_empty(), "{reach:?}");
    let other = types::ClusterId::generate();
    assert!(
        tenants
            .enter_granted(&ana, "default", other.as_str())
            .await
            .unwrap()
            .is_none()
    );
    assert_eq!(tenants.granted_clusters(&ana).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_grant_goes_with_whoever_had_it_and_with_its_cluster() {
    let scene = Scene::new().await;
    let tenants = &scene.life.tenants;
    let here = Place::Project(default_org(), default_project());
    let viewer = Role::ProjectViewer;
    scene.invited("ana@acme.example", scene.in_blog(), viewer).await;
    scene.invited("bob@acme.example", here.clone(), viewer).await;
    scene.invited("bob@acme.example", scene.in_blog(), viewer).await;
    scene.invited("cat@acme.example", scene.in_blog(), viewer).await;
    scene.invited("cat@acme.example", here.clone(), viewer).await;
    for (project, name) in [(&default_project(), "ci"), (&scene.blog.id, "bot")] {
        tenants
            .create_service_account(project, name.parse().unwrap(), Role::ProjectMember)
            .await
            .unwrap();
    }
    for who in [
        "ana@acme.example",
        "bob@acme.example",
        "cat@acme.example",
        "ci",
        "sa-bot@blog",
    ] {
        scene.grant(who, GrantRole::Viewer, None).await.unwrap();
    }
    // From the cluster's own project: he has nothing there any more, whatever he is elsewhere.
    tenants.remove_member(&here, "bob@acme.example").await.unwrap();
    let left = [
        "ana@acme.example",
        "cat@acme.example",
        "sa-bot@blog",
        "sa-ci@default",
    ];
    assert_eq!(scene.names().await, left);
    tenants
        .delete_service_account(&default_project(), "ci")
        .await
        .unwrap();
    assert_eq!(scene.names().await, left[..3]);
    // With the project goes who was of the organisation by it alone, and its programs.
    tenants.delete_project(&scene.blog.id).await.unwrap();
    assert_eq!(scene.names().await, ["cat@acme.example"]);
    scene.invited("dan@acme.example", here, viewer).await;
    scene
        .grant("dan@acme.example", GrantRole::Viewer, None)
        .await
        .unwrap();
    tenants.delete_user("dan@acme.example").await.unwrap();
    assert_eq!(scene.names().await, ["cat@acme.example"]);
    scene
        .life
        .ops
        .delete_cluster(&default_project(), "dev")
        .await
        .unwrap();
    let late = scene.grant("cat@acme.example", GrantRole::Admin, None).await;
    assert_eq!(late.unwrap_err().code, "cluster-deleting");
    scene.life.settle().await.unwrap();
    let kept = ports::Store::list(&scene.host.store, "grant", &ports::store::Filter::default()).await;
    assert!(kept.unwrap().is_empty());
}

#[tokio::test]
async fn only_whom_the_organisation_knows_can_be_granted_anything() {
    let scene = Scene::new().await;
    let rival = scene
        .life
        .tenants
        .create_org("rival".parse().unwrap(), 2, Quota::default())
        .await
        .unwrap();
    scene
        .invited("eve@rival.example", Place::Org(rival.id), Role::OrgAdmin)
        .await;
    let told = |who: &'static str| {
        let granted = scene.grant(who, GrantRole::Viewer, None);
        async move {
            let fault = granted.await.unwrap_err();
            (fault.kind, fault.code, fault.cause.replace(who, ""), fault.remedy)
        }
    };
    let nobody = told("nobody@rival.example").await;
    assert_eq!(nobody.1, "grantee-not-found");
    for who in [
        "eve@rival.example",
        "root",
        "sa-ci@default",
        "ci",
        "user-0000000000000000",
    ] {
        assert_eq!(told(who).await, nobody, "{who}");
    }
}

#[tokio::test]
async fn a_quota_that_changes_is_told_at_once() {
    let scene = Scene::new().await;
    scene.told().await;
    let quota = Quota {
        vcpu: Some(3),
        ..Quota::default()
    };
    scene
        .life
        .tenants
        .set_quota(&default_project(), quota)
        .await
        .unwrap();
    let due = ports::Store::next_due_ms(&scene.host.store)
        .await
        .unwrap()
        .unwrap();
    assert!(
        due <= scene.host.clock.unix_ms(),
        "somebody looks now, not in a while"
    );
    assert_eq!(scene.told().await.projects[0].limits.requests_cpu, 3);
}
