//! `/clusters`, but for their images

use std::collections::BTreeMap;

use api::{
    cluster::{
        ClusterAccepted, ClusterApply, ClusterCreate, ClusterDetailView, ClusterList, ClusterView,
        CredentialsRequest,
    },
    event::EventView,
    instance::InstanceView,
    operation::OperationView,
    plan::{ChangeView, ImpactView, PlanRequest, PlanView, PlannedStepView},
    spec::parse_name,
};
use axum::{
    Json,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use serde_json::json;
use types::{
    Fault, Findings, Name, Secret,
    cluster::{Cluster, ClusterSpec},
    kubeconfig::{CertificateKind, CertificateKindError},
    operation::Operation,
};

use super::{begun, unread};
use crate::{
    answer::{Answer, accepted},
    audit::Note,
    body::Given,
    guard::{By, Referenced, Within},
    router::Api,
    surface::{Change, ClusterDetail, Impact, PlanPreview},
    terms::revised,
};

pub async fn list(State(api): State<Api>, Within(project): Within) -> Answer<Json<ClusterList>> {
    let clusters = api.surface.list_clusters(&project).await?;
    Ok(Json(ClusterList {
        clusters: clusters.iter().map(ClusterView::from).collect(),
    }))
}

pub async fn create(
    State(api): State<Api>,
    Within(project): Within,
    Given(request): Given<ClusterCreate>,
) -> Answer<Response> {
    let (name, spec) = named(&request.name, &request.spec)?;
    let (cluster, operation) = api.surface.create_cluster(&project, name, spec).await?;
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
    let (name, spec) = named(&name, &request.spec)?;
    let (cluster, operation) = api.surface.apply_cluster(&project, name, spec).await?;
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
fn named(name: &str, spec: &api::spec::ClusterSpec) -> Result<(Name, ClusterSpec), Fault> {
    let mut found = Findings::default();
    let name = found.keep(parse_name(name, "name"));
    let spec = spec.parse(&mut found);
    found.verdict()?;
    Ok((name.ok_or_else(unread)?, spec))
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
        None => json!({}),
    };
    Note::of(&cluster.name, &cluster.id).change(change)
}

pub async fn plan(
    State(api): State<Api>,
    Within(project): Within,
    Given(request): Given<PlanRequest>,
) -> Answer<Json<PlanView>> {
    let (name, spec) = named(&request.name, &request.spec)?;
    let PlanPreview {
        change,
        steps,
        impact,
        notes,
    } = api.surface.plan_cluster(&project, name, spec).await?;
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

pub async fn get(State(api): State<Api>, Referenced(project, reference): Referenced) -> Answer<Response> {
    let ClusterDetail {
        cluster,
        machines,
        events,
        endpoint,
    } = api.surface.get_cluster(&project, &reference).await?;
    let view = ClusterDetailView {
        cluster: ClusterView::from(&cluster),
        endpoint,
        instances: machines.iter().map(InstanceView::from).collect(),
        events: events.iter().map(EventView::from).collect(),
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
    Referenced(project, reference): Referenced,
) -> Answer<Response> {
    Ok(shown(&api.surface.kubeconfig(&project, &reference).await?))
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
