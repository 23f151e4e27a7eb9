//! Rights in one cluster, and the clusters somebody has them in.

use api::grant::{
    ClusterGrantCreate, ClusterGrantList, ClusterGrantRevoke, ClusterGrantView, GrantState,
    GrantedClusterList, GrantedClusterView, GrantedView,
};
use app::tenants::GrantedCluster;
use axum::{Json, extract::State, response::Response};
use serde_json::json;
use types::{
    Fault, ProjectId,
    grant::{ClusterGrant, GrantRole, GrantRoleError, Granted, Namespace, NamespaceError},
};

use crate::{
    answer::Answer,
    audit::Note,
    body::Given,
    guard::{By, Referenced},
    router::Api,
    surface::InForce,
};

pub async fn list(
    State(api): State<Api>,
    Referenced(project, reference): Referenced,
) -> Answer<Json<ClusterGrantList>> {
    let grants = api.tenants.list_grants(&project, &reference).await?;
    Ok(Json(ClusterGrantList {
        grants: shown(&api, &project, &reference, &grants).await?,
    }))
}

pub async fn create(
    State(api): State<Api>,
    By(principal): By,
    Referenced(project, reference): Referenced,
    Given(request): Given<ClusterGrantCreate>,
) -> Answer<Response> {
    let granted = Granted {
        role: role(&request.role)?,
        namespace: request.namespace.as_deref().map(namespace).transpose()?,
    };
    // Asked first, and about nothing: a cluster that cannot keep it refuses.
    api.surface.in_force(&project, &reference, &[]).await?;
    let grant = api
        .tenants
        .grant(&principal, &project, &reference, &request.who, granted)
        .await?;
    let note = Note::default().change(change(&grant));
    let mut shown = shown(&api, &project, &reference, std::slice::from_ref(&grant)).await?;
    let view = shown
        .pop()
        .unwrap_or_else(|| ClusterGrantView::of(&grant, GrantState::Unknown));
    Ok(note.on(Json(view)))
}

pub async fn revoke(
    State(api): State<Api>,
    Referenced(project, reference): Referenced,
    Given(request): Given<ClusterGrantRevoke>,
) -> Answer<Response> {
    let namespace = request.namespace.as_deref().map(namespace).transpose()?;
    let role = request.role.as_deref().map(role).transpose()?;
    let taken = api
        .tenants
        .revoke_grants(&project, &reference, &request.who, namespace.as_ref(), role)
        .await?;
    let changes: Vec<_> = taken.iter().map(change).collect();
    let note = Note::default().change(json!({"taken": changes}));
    // They are in force no more, whatever the cluster still remembers.
    let view = |grant: &ClusterGrant| ClusterGrantView::of(grant, GrantState::Unknown);
    Ok(note.on(Json(ClusterGrantList {
        grants: taken.iter().map(view).collect(),
    })))
}

pub async fn of_caller(State(api): State<Api>, By(principal): By) -> Answer<Json<GrantedClusterList>> {
    let clusters = api.tenants.granted_clusters(&principal).await?;
    let view = |known: &GrantedCluster| GrantedClusterView {
        id: known.cluster.id.to_string(),
        name: known.cluster.name.to_string(),
        phase: api::cluster::ClusterView::from(&known.cluster).phase,
        version: known.cluster.pins.version.to_string(),
        org: known.org.name.to_string(),
        project: known.project.name.to_string(),
        project_id: known.project.id.to_string(),
        granted: known.granted.iter().map(GrantedView::from).collect(),
    };
    Ok(Json(GrantedClusterList {
        clusters: clusters.iter().map(view).collect(),
    }))
}

/// With how far the cluster has come with them.
pub(super) async fn shown(
    api: &Api,
    project: &ProjectId,
    reference: &str,
    grants: &[ClusterGrant],
) -> Result<Vec<ClusterGrantView>, Fault> {
    let granted: Vec<Granted> = grants.iter().map(|grant| grant.granted.clone()).collect();
    let states = api.surface.in_force(project, reference, &granted).await?;
    let views = grants.iter().zip(states).map(|(grant, state)| {
        let state = match state {
            InForce::Yes => GrantState::InForce,
            InForce::Waiting => GrantState::Waiting,
            InForce::Unknown => GrantState::Unknown,
        };
        ClusterGrantView::of(grant, state)
    });
    Ok(views.collect())
}

fn change(grant: &ClusterGrant) -> serde_json::Value {
    json!({
        "grant": grant.id,
        "who": grant.principal_name,
        "principal": grant.principal,
        "role": grant.granted.role,
        "namespace": grant.granted.namespace,
        "cluster": grant.cluster,
    })
}

fn role(given: &str) -> Result<GrantRole, Fault> {
    given.parse().map_err(|cause: GrantRoleError| {
        Fault::unfit("role-invalid", cause.to_string(), "give viewer, member or admin").at("role")
    })
}

fn namespace(given: &str) -> Result<Namespace, Fault> {
    given.parse().map_err(|cause: NamespaceError| {
        let remedy = "give the name of a namespace, such as web, or none for the whole cluster";
        Fault::unfit("namespace-invalid", cause.to_string(), remedy).at("namespace")
    })
}
