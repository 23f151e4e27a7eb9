//! Clusters that several projects use.

use api::{
    cluster::ClusterView,
    share::{ClusterShareCreate, ClusterShareView, SharedClusterList, SharedClusterView},
};
use app::tenants::SharedCluster;
use axum::{Json, extract::State, response::Response};
use serde_json::json;
use types::share::ClusterShare;

use crate::{
    answer::{Answer, At},
    audit::Note,
    body::Given,
    guard::{By, Referenced, Within},
    router::Api,
};

pub async fn create(
    State(api): State<Api>,
    By(principal): By,
    Referenced(project, reference): Referenced,
    Given(request): Given<ClusterShareCreate>,
) -> Answer<Response> {
    // A cluster that cannot keep it refuses.
    api.surface.in_force(&project, &reference, &[]).await?;
    let share = api
        .tenants
        .share(&principal, &project, &reference, &request.project)
        .await?;
    Ok(noted(&share))
}

pub async fn end(
    State(api): State<Api>,
    Within(project): Within,
    At((_, reference, with)): At<(String, String, String)>,
) -> Answer<Response> {
    let share = api.tenants.unshare(&project, &reference, &with).await?;
    Ok(noted(&share))
}

fn noted(share: &ClusterShare) -> Response {
    let view = ClusterShareView::from(share);
    let change = json!({
        "cluster": share.cluster,
        "project": share.with.id,
        "removeAfter": view.remove_after,
    });
    Note::default().change(change).on(Json(view))
}

pub async fn with_project(
    State(api): State<Api>,
    Within(project): Within,
) -> Answer<Json<SharedClusterList>> {
    let shared = api.tenants.clusters_shared_with(&project).await?;
    let view = |shared: &SharedCluster| SharedClusterView {
        cluster: ClusterView::from(&shared.cluster),
        project: shared.owner.name.to_string(),
        project_id: shared.owner.id.to_string(),
    };
    Ok(Json(SharedClusterList {
        clusters: shared.iter().map(view).collect(),
    }))
}
