//! `/clusters`, but for their images

use std::collections::BTreeMap;

use api::{
    cluster::{
        ClusterAccepted, ClusterApply, ClusterCreate, ClusterDetailView, ClusterView, CredentialsRequest,
    },
    event::EventView,
    instance::InstanceView,
    operation::OperationView,
    plan::{ChangeView, ImpactView, PlanRequest, PlanView, PlannedStepView},
    share::ClusterShareView,
};
use axum::{
    Json,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use serde_json::json;
use types::{
    Fault, Findings, Secret,
    cluster::{Cluster, ClusterSpec},
    kubeconfig::{CertificateKind, CertificateKindError},
    operation::Operation,
};

use super::{begun, called, grants, listing::ListAsked, unread};
use crate::{
    answer::{Answer, accepted},
    audit::Note,
    body::Given,
    guard::{By, Grantee, Referenced, Within},
    router::Api,
    surface::{Called, Change, ClusterDetail, Impact, PlanPreview},
    terms::revised,
};

pub async fn list(State(api): State<Api>, Within(project): Within, asked: ListAsked) -> Answer<Response> {
    asked
        .answer::<Cluster, ClusterView>(api, project, "clusters")
        .await
}

pub async fn create(
    State(api): State<Api>,
    Within(project): Within,
    Given(request): Given<ClusterCreate>,
) -> Answer<Response> {
    let (called, spec) = named(&request.name, request.labels, &request.spec)?;
    let (cluster, operation) = api.surface.create_cluster(&project, called, spec).await?;
    Ok(note(&cluster, Some(&operation)).on(accepted(ClusterAccepted {
        cluster: ClusterView::from(&cluster),
        operation: Some(OperationView::from(&operation)),
    })))
}

pub async fn apply(
    State(api): State<Api>,
    Referenced(project, name): Referenced,
    Given(request): Given<ClusterApply>,
) -> Answer<Response> {
    let (called, spec) = named(&name, request.labels, &request.spec)?;
    let (cluster, operation) = api.surface.apply_cluster(&project, called, spec).await?;
    let body = ClusterAccepted {
        cluster: ClusterView::from(&cluster),
        operation: operation.as_ref().map(OperationView::from),
    };
    Ok(note(&cluster, operation.as_ref()).on(if operation.is_some() {
        accepted(body)
    } else {
        Json(body).into_response()
    }))
}

/// A name and a spec, with all that is wrong in either.
fn named(
    name: &str,
    labels: Option<BTreeMap<String, String>>,
    spec: &api::spec::ClusterSpec,
) -> Result<(Called, ClusterSpec), Fault> {
    let mut found = Findings::default();
    let called = called(name, labels, &mut found);
    let spec = spec.parse(&mut found);
    found.verdict()?;
    Ok((called.ok_or_else(unread)?, spec))
}

/// What of a cluster's spec is worth keeping. Not the whole: values of addons may be anything, also secret.
fn note(cluster: &Cluster, operation: Option<&Operation>) -> Note {
    let groups: BTreeMap<&str, serde_json::Value> = cluster
        .spec
        .node_groups
        .iter()
        .map(|(name, group)| {
            let size = json!({"min": group.min(), "max": group.max(), "instanceType": group.instance_type});
            (name.as_str(), size)
        })
        .collect();
    let change = match operation {
        Some(operation) => json!({
            "operation": operation.id,
            "generation": cluster.generation,
            "version": cluster.pins.version.to_string(),
            "vpc": cluster.network,
            "nodeGroups": groups,
        }),
        None => json!({"labels": cluster.labels}),
    };
    Note::of(&cluster.name, &cluster.id).change(change)
}

pub async fn plan(
    State(api): State<Api>,
    Within(project): Within,
    Given(request): Given<PlanRequest>,
) -> Answer<Json<PlanView>> {
    let (called, spec) = named(&request.name, request.labels, &request.spec)?;
    let PlanPreview {
        change,
        steps,
        impact,
        notes,
    } = api.surface.plan_cluster(&project, called, spec).await?;
    let Impact {
        nodes_replaced,
        api_downtime,
    } = impact;
    Ok(Json(PlanView {
        changes: match change {
            Change::Create => ChangeView::Create,
            Change::Update => ChangeView::Update,
            Change::None => ChangeView::None,
        },
        steps: steps
            .into_iter()
            .map(|step| PlannedStepView {
                title: step.title,
                detail: step.detail,
            })
            .collect(),
        impact: ImpactView {
            nodes_replaced,
            api_downtime,
        },
        notes,
    }))
}

/// Who sees it by a grant alone, or because it is shared with their project, sees the cluster, and of its own project
/// nothing: no machines, no events, nobody else's rights.
pub async fn get(
    State(api): State<Api>,
    By(principal): By,
    Grantee(granted): Grantee,
    Referenced(project, reference): Referenced,
) -> Answer<Response> {
    let ClusterDetail {
        cluster,
        machines,
        events,
        endpoint,
    } = api.surface.get_cluster(&project, &reference).await?;
    let owner = &cluster.project;
    let mut grants = api.tenants.list_grants(owner, cluster.id.as_str()).await?;
    let (mut instances, mut history, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    if granted.is_some() || *owner != project {
        grants.retain(|grant| grant.principal == principal.id);
    } else {
        instances.extend(machines.iter().map(InstanceView::from));
        history.extend(events.iter().map(EventView::from));
        let with = api.tenants.list_shares(owner, cluster.id.as_str()).await?;
        shares.extend(with.iter().map(ClusterShareView::from));
    }
    let grants = match grants.is_empty() {
        true => Vec::new(),
        false => grants::shown(&api, owner, cluster.id.as_str(), &grants).await?,
    };
    let view = ClusterDetailView {
        cluster: ClusterView::from(&cluster),
        endpoint,
        instances,
        events: history,
        grants,
        shares,
    };
    Ok(revised(&cluster, Json(view)))
}

pub async fn delete(State(api): State<Api>, Referenced(project, reference): Referenced) -> Answer<Response> {
    let operation = api.surface.delete_cluster(&project, &reference).await?;
    Ok(begun(&operation))
}

pub async fn retry(State(api): State<Api>, Referenced(project, reference): Referenced) -> Answer<Response> {
    let operation = api.surface.retry_cluster(&project, &reference).await?;
    Ok(begun(&operation))
}

pub async fn kubeconfig(
    State(api): State<Api>,
    Grantee(granted): Grantee,
    Referenced(project, reference): Referenced,
) -> Answer<Response> {
    // Where they may do something.
    let namespace = granted.as_ref().map(|granted| {
        let named = granted.iter().find_map(|granted| granted.namespace.as_ref());
        named.map_or("default", |namespace| namespace.as_str())
    });
    let kubeconfig = api.surface.kubeconfig(&project, &reference, namespace).await?;
    Ok(shown(&kubeconfig))
}

pub async fn credentials(
    State(api): State<Api>,
    By(principal): By,
    Referenced(project, reference): Referenced,
    Given(request): Given<CredentialsRequest>,
) -> Answer<Response> {
    let kind: CertificateKind = request.kind.parse().map_err(|cause: CertificateKindError| {
        Fault::invalid(
            "kind-invalid",
            cause.to_string(),
            "give admin.conf, admin.svc, super-admin.conf or super-admin.svc",
        )
        .at("kind")
    })?;
    let kubeconfig = api
        .surface
        .administrator(&principal, &project, &reference, kind)
        .await?;
    let note = Note::default().change(json!({"kind": kind.as_str()}));
    Ok(note.on(shown(&kubeconfig)))
}

fn shown(kubeconfig: &Secret) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/yaml"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, kubeconfig.expose().to_vec()).into_response()
}
