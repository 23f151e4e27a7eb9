//! A cluster that two projects use: what the cluster and the edge are told, who reaches it, and what stays for how long.

use app::{default_org, default_project};
use iam::review::Refusal;
use ports::Clock;
use types::{
    Principal, Timestamp,
    grant::GrantRole,
    tenancy::TenantProject,
    tenant::{Quota, Role},
};

use crate::scene::Scene;

const DAY_S: i64 = 86_400;

impl Scene {
    async fn share(&self, with: &str) -> Result<(), types::Fault> {
        let shared = self
            .life
            .tenants
            .share(&self.root, &default_project(), "dev", with)
            .await;
        shared.map(drop)
    }

    async fn unshare(&self) -> Option<Timestamp> {
        let ended = self.life.tenants.unshare(&default_project(), "dev", "blog").await;
        ended.unwrap().remove_after
    }

    /// The second project, as the cluster is told of it.
    async fn guest(&self) -> Option<TenantProject> {
        let told = self.told().await;
        told.projects
            .into_iter()
            .find(|project| project.id == self.blog.id)
    }

    async fn member_of_blog(&self) -> Principal {
        self.invited("ana@acme.example", self.in_blog(), Role::ProjectMember)
            .await
    }
}

#[tokio::test]
async fn a_second_project_has_its_namespace_and_its_people_get_there() {
    let scene = Scene::new().await;
    let ana = scene.member_of_blog().await;
    assert_eq!(
        scene.review(&ana, &scene.blog.id).await.refusal,
        Some(Refusal::Reach)
    );
    assert!(scene.life.ops.get_cluster(&scene.blog.id, "dev").await.is_err());
    let quota = Quota {
        vcpu: Some(4),
        ..Quota::default()
    };
    scene.life.tenants.set_quota(&scene.blog.id, quota).await.unwrap();
    scene.share("blog").await.unwrap();
    scene.share(scene.blog.id.as_str()).await.unwrap();
    let told = scene.told().await;
    assert_eq!(told.projects.len(), 2, "the same twice is once");
    assert_eq!(told.shared, [default_org()]);
    let guest = scene.guest().await.unwrap();
    assert_eq!((guest.limits.requests_cpu, guest.remove_after), (4, None));
    let user = scene.review(&ana, &scene.blog.id).await.user.expect("known");
    assert!(user.groups.contains(&format!("project:{}:member", scene.blog.id)));
    // They see it, and it is not theirs to change.
    let (ops, blog) = (&scene.life.ops, &scene.blog.id);
    assert_eq!(
        ops.get_cluster(blog, "dev").await.unwrap().cluster.id,
        scene.cluster.id
    );
    let kubeconfig = ops.kubeconfig(blog, "dev", None).await.unwrap();
    let kubeconfig = kubeconfig.expose_str().unwrap();
    assert!(
        kubeconfig.contains(&format!("namespace: project-{blog}")),
        "{kubeconfig}"
    );
    let theirs = ops.delete_cluster(blog, "dev").await;
    assert_eq!(theirs.unwrap_err().code, "cluster-of-another");
    assert_eq!(
        scene.life.tenants.clusters_shared_with(blog).await.unwrap().len(),
        1
    );
    let own = ops.delete_cluster(&default_project(), "dev").await;
    assert_eq!(own.unwrap_err().code, "cluster-shared");
    // Its quota is its namespace's, wherever that is.
    let quota = Quota {
        vcpu: Some(5),
        ..Quota::default()
    };
    scene.life.tenants.set_quota(&scene.blog.id, quota).await.unwrap();
    let due = ports::Store::next_due_ms(&scene.host.store)
        .await
        .unwrap()
        .unwrap();
    assert!(due <= scene.host.clock.unix_ms());
    assert_eq!(scene.guest().await.unwrap().limits.requests_cpu, 5);
}

#[tokio::test]
async fn what_ended_stays_for_its_grace_and_can_be_taken_back() {
    let scene = Scene::new().await;
    let ana = scene.member_of_blog().await;
    scene.share("blog").await.unwrap();
    assert!(scene.review(&ana, &scene.blog.id).await.authenticated);
    let end = scene.host.clock.now().plus(DAY_S);
    assert_eq!(scene.unshare().await, Some(end));
    assert_eq!(
        scene.review(&ana, &scene.blog.id).await.refusal,
        Some(Refusal::Reach),
        "out at once"
    );
    assert_eq!(scene.guest().await.unwrap().remove_after, Some(end));
    let tenants = &scene.life.tenants;
    assert!(tenants.is_shared(&default_project(), "dev").await.unwrap());
    scene.host.clock.advance(60_000);
    assert_eq!(scene.unshare().await, Some(end), "the time it was told of stays");
    scene.share("blog").await.unwrap();
    assert_eq!(scene.guest().await.unwrap().remove_after, None);
    assert!(scene.review(&ana, &scene.blog.id).await.authenticated);
    scene.unshare().await;
    scene.host.clock.advance(DAY_S as u64 * 1000);
    assert!(!tenants.is_shared(&default_project(), "dev").await.unwrap());
    assert!(
        scene.guest().await.is_some(),
        "the cluster is still told that it ended"
    );
    scene
        .life
        .ops
        .delete_cluster(&default_project(), "dev")
        .await
        .unwrap();
    scene.life.settle().await.unwrap();
    let kept = ports::Store::list(&scene.host.store, "share", &ports::store::Filter::default()).await;
    assert!(kept.unwrap().is_empty());
}

#[tokio::test]
async fn a_project_that_is_deleted_has_its_grace_too() {
    let scene = Scene::new().await;
    let quota = Quota {
        vcpu: Some(4),
        ..Quota::default()
    };
    scene.life.tenants.set_quota(&scene.blog.id, quota).await.unwrap();
    scene.share("blog").await.unwrap();
    let end = scene.host.clock.now().plus(DAY_S);
    scene.life.tenants.delete_project(&scene.blog.id).await.unwrap();
    let guest = scene.guest().await.unwrap();
    assert_eq!((guest.remove_after, guest.limits.requests_cpu), (Some(end), 4));
    assert_eq!(guest.name.as_str(), "blog");
}

#[tokio::test]
async fn what_does_not_fit_is_not_shared() {
    let scene = Scene::new().await;
    let tenants = &scene.life.tenants;
    let refused = |fault: Result<(), types::Fault>| fault.unwrap_err().code;
    assert_eq!(refused(scene.share("default").await), "share-own");
    assert_eq!(refused(scene.share("nowhere").await), "project-not-found");
    let rival = tenants
        .create_org("rival".parse().unwrap(), 2, Quota::default())
        .await
        .unwrap();
    tenants
        .create_project(&scene.root, &rival.id, "lair".parse().unwrap(), Quota::default())
        .await
        .unwrap();
    assert_eq!(refused(scene.share("rival/lair").await), "share-foreign");
    scene.member_of_blog().await;
    scene
        .grant("ana@acme.example", GrantRole::Viewer, None)
        .await
        .unwrap();
    assert_eq!(refused(scene.share("blog").await), "cluster-granted");
    // Nor one that waits for what will be another's namespace.
    let taken = tenants
        .revoke_grants(&default_project(), "dev", "ana@acme.example", None, None)
        .await;
    assert_eq!(taken.unwrap().len(), 1);
    let theirs = format!("project-{}", scene.blog.id);
    scene
        .grant("ana@acme.example", GrantRole::Admin, Some(&theirs))
        .await
        .unwrap();
    assert_eq!(refused(scene.share("blog").await), "cluster-granted");
    tenants
        .revoke_grants(&default_project(), "dev", "ana@acme.example", None, None)
        .await
        .unwrap();
    scene.share("blog").await.unwrap();
    // From now on it is the organisation's decision.
    scene
        .grant("ana@acme.example", GrantRole::Viewer, None)
        .await
        .unwrap();
    let missing = tenants.unshare(&default_project(), "dev", "nowhere").await;
    assert_eq!(missing.unwrap_err().code, "share-not-found");
}
