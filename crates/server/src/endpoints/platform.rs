//! What is not in any project: health, version, figures, the API's own description, bundles

use api::{
    openapi,
    platform::{BundleList, BundleView, VersionView},
};
use axum::{
    Json,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};

use crate::{answer::Answer, router::Api, surface::BundleSummary};

pub async fn health() -> &'static str {
    "ok\n"
}

pub async fn version(State(api): State<Api>) -> Json<VersionView> {
    let version = format!("v{}", env!("CARGO_PKG_VERSION"));
    Json(VersionView {
        version,
        instance: api.instance.to_string(),
    })
}

pub async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], openapi::DOCUMENT).into_response()
}

pub async fn metrics(State(api): State<Api>) -> Answer<Response> {
    let census = api.surface.census().await?;
    let text = api.metrics.render(&census);
    Ok((
        [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")],
        text,
    )
        .into_response())
}

pub async fn bundles(State(api): State<Api>) -> Answer<Json<BundleList>> {
    let bundles = api.surface.list_bundles().await?;
    let view = |BundleSummary {
                    version,
                    digest,
                    node_image,
                }| BundleView {
        version: version.to_string(),
        digest,
        node_image,
    };
    Ok(Json(BundleList {
        bundles: bundles.into_iter().map(view).collect(),
    }))
}
