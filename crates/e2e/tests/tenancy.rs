//! Tenancy inside a cluster: what the platform keeps there for a project, who may do what with it, and that nobody it is
//! meant for can lift it. People are impersonated here; that tokens carry these groups is shown elsewhere.

mod tenancy {
    pub mod drift;
    pub mod guard;
    pub mod life;
    pub mod limits;
    pub mod objects;
    pub mod person;
    pub mod roles;
    pub mod shared;
}

use e2e::{Cluster, Platform, Stages};
use tenancy::person::Place;

#[test]
fn a_projects_namespace_is_kept_and_guarded() {
    let platform = Platform::start();
    let mut stages = Stages::new();
    platform
        .cloud(&["vpc", "create", "--name", "lab", "--cidr", "10.20.0.0/16"])
        .ok();
    let cluster = Cluster::create(&platform, "dev", "lab", 1, &["--instance-type", "u1.medium"]);
    let place = Place::of(&cluster);
    stages.run("everything is there when the cluster is", || {
        tenancy::objects::there(&place)
    });
    stages.run("the default namespace is an ordinary one", || {
        tenancy::objects::default_is_ordinary(&cluster)
    });
    stages.run("every role is its template and nothing more", || {
        tenancy::roles::templates(&place)
    });
    stages.run("groups that every member carries give nothing", || {
        tenancy::roles::unqualified(&place)
    });
    stages.run("an admin cannot lift what is set for them", || {
        tenancy::guard::refused(&place)
    });
    stages.run("an admin cannot give more than they have", || {
        tenancy::guard::no_escalation(&place)
    });
    stages.run("what a tenant adds stays", || {
        tenancy::guard::own_things_stay(&place)
    });
    stages.run("privileged pods are refused, ordinary ones run", || {
        tenancy::limits::pod_security(&place)
    });
    stages.run("quotas are enforced", || tenancy::limits::quotas(&place));
    stages.run("what a super admin changes is put right", || {
        tenancy::drift::put_right(&place)
    });
    stages.run("a namespace that was deleted comes back", || {
        tenancy::drift::namespace_comes_back(&place)
    });
    stages.run("a killed controller comes back and goes on", || {
        tenancy::drift::controller_killed(&place)
    });
    stages.run("drift is put right while cloudd is dead", || {
        let held = platform.without_cloudd();
        tenancy::drift::quota_comes_back(&place);
        drop(held);
        platform.wait_until_healthy();
    });
    stages.run("projects come and go with their grace", || {
        tenancy::life::projects(&place)
    });
    stages.run("another Pod Security level is applied", || {
        tenancy::life::restricted_by_apply(&place, &platform)
    });
    stages.run("a second project has its part of the cluster", || {
        tenancy::shared::two_projects(&place, &platform)
    });
    stages.run("a project's quota reaches its namespaces in seconds", || {
        tenancy::shared::quota_follows(&place, &platform)
    });
    stages.run("what ended has its grace and goes", || {
        tenancy::shared::ended(&place, &platform)
    });
    stages.run("the controller is small and idle", || {
        tenancy::life::small_and_idle(&place)
    });
    stages.run("deletes", || {
        cluster.delete();
        platform.cloud(&["vpc", "delete", "lab"]).ok();
    });
    platform.finish();
    stages.end();
}
