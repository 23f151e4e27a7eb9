//! All that should be in a cluster for its tenants, from what the platform says of them. Pure.

use std::collections::BTreeSet;

use types::{
    OrgId, Timestamp,
    grant::is_system,
    tenancy::{NamespaceLimits, PodSecurity, Tenancy, TenantProject, project_namespace, shared_namespace},
};

use super::{admission, limits, namespace, network, object::Object, roles};

/// Whether the time of an ended project is over.
pub fn is_over(project: &TenantProject, now: Timestamp) -> bool {
    project.remove_after.is_some_and(|end| end <= now)
}

/// In the order in which it is made: the guard, then the places, then what is in them.
///
/// `places` are the cluster's namespaces that can be worked in, ours and others.
pub fn objects(tenancy: &Tenancy, places: &BTreeSet<String>, now: Timestamp) -> Vec<Object> {
    let mut all = Vec::from(admission::objects());
    all.extend(roles::of_the_cluster());
    for project in tenancy.projects.iter().filter(|p| !is_over(p, now)) {
        all.extend(of_project(project, tenancy.shared.contains(&project.org)));
    }
    for org in &tenancy.shared {
        all.extend(of_shared(org));
    }
    if let Some(grants) = &tenancy.grants {
        all.extend(roles::of_grants(&tenancy.cluster));
        for place in places.iter().filter(|place| !is_system(place)) {
            all.extend(roles::granted_in(place, &tenancy.cluster, grants));
        }
    }
    all.sort_by(|a, b| a.key.cmp(&b.key));
    all
}

fn of_project(project: &TenantProject, shared: bool) -> Vec<Object> {
    let name = project_namespace(&project.id);
    let mut all = vec![namespace::of_project(&name, project)];
    all.extend(limits::quotas(&name, &project.limits));
    all.push(limits::defaults(&name));
    all.push(network::default_deny(&name));
    if shared {
        all.push(network::allow_org_shared(&name, &project.org));
    }
    all.extend(roles::of_project(&name, &project.org, &project.id));
    all
}

/// A place where an organisation's admins keep what all its projects use. It has limits too: it would otherwise be the
/// way around those of the projects.
fn of_shared(org: &OrgId) -> Vec<Object> {
    let name = shared_namespace(org);
    let mut all = vec![namespace::of_shared(&name, org, PodSecurity::default())];
    all.extend(limits::quotas(&name, &NamespaceLimits::default()));
    all.push(limits::defaults(&name));
    all.push(network::allow_org_projects(&name, org));
    all.extend(roles::of_shared(&name, org));
    all
}
