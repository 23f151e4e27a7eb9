//! The routes: which handler answers where, who may call it, and how large a body it takes.

use std::{path::PathBuf, sync::Arc};

use api::routes;
use app::rotation::Rotator;
use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware,
    routing::{get, post},
};
use tokio::sync::watch;

use crate::{
    Surface, answer, audit,
    auth::{self, TokenHash},
    backup::Backup,
    endpoints::{self, backup, clusters, events, images, instances, keys, networks, operations, platform},
    metrics::{self, Metrics},
};

/// The largest JSON anybody has reason to send.
const BODY_LIMIT: usize = 256 * 1024;

/// Turns true once, when the daemon is to stop.
pub type Stop = watch::Receiver<bool>;

/// What handlers share; cheap to clone.
#[derive(Clone)]
pub struct Api {
    pub surface: Arc<dyn Surface>,
    pub token: Arc<TokenHash>,
    pub audit: audit::Log,
    pub keys: Arc<Rotator>,
    pub backup: Arc<dyn Backup>,
    pub metrics: Arc<Metrics>,
    /// Where bodies too large for memory go; on a disk, swept at start.
    pub uploads: Arc<PathBuf>,
    pub instance: Arc<str>,
    pub stop: Stop,
}

pub fn router(api: Api) -> Router {
    let open = Router::new()
        .route(routes::HEALTH, get(platform::health))
        .route(routes::OPENAPI, get(platform::openapi))
        .route(routes::VERSION, get(platform::version))
        .route_layer(middleware::from_fn_with_state(
            api.clone(),
            audit::recorder::record,
        ));
    let guarded = Router::new()
        .route(routes::METRICS, get(platform::metrics))
        .route(routes::BUNDLES, get(platform::bundles))
        .route(routes::NETWORKS, get(networks::list).post(networks::create))
        .route(routes::NETWORK, get(networks::get).delete(networks::delete))
        .route(routes::CLUSTERS, get(clusters::list).post(clusters::create))
        .route(routes::CLUSTERS_PLAN, post(clusters::plan))
        .route(
            routes::CLUSTER,
            get(clusters::get).put(clusters::apply).delete(clusters::delete),
        )
        .route(routes::CLUSTER_RETRY, post(clusters::retry))
        .route(routes::CLUSTER_KUBECONFIG, get(clusters::kubeconfig))
        .route(routes::CLUSTER_IMAGES, get(images::list).post(images::load))
        .route(routes::INSTANCES, get(instances::list))
        .route(routes::INSTANCE, get(instances::get))
        .route(routes::OPERATIONS, get(operations::list))
        .route(routes::OPERATION, get(operations::get))
        .route(routes::OPERATION_CANCEL, post(operations::cancel))
        .route(routes::OPERATION_WATCH, get(operations::watch))
        .route(routes::EVENTS, get(events::list))
        .route(routes::BACKUP, post(backup::make))
        .route(routes::KEYS, get(keys::list))
        .route(routes::KEYS_ROTATE, post(keys::rotate))
        .route(routes::AUDIT, get(endpoints::audit::list))
        .route(routes::AUDIT_VERIFY, get(endpoints::audit::verify))
        .route_layer(middleware::from_fn_with_state(
            api.clone(),
            audit::recorder::record,
        ))
        .route_layer(middleware::from_fn_with_state(api.clone(), auth::require_token));
    open.merge(guarded)
        .route_layer(middleware::from_fn_with_state(
            api.clone(),
            audit::recorder::at_the_door,
        ))
        .fallback(answer::no_such_route)
        .method_not_allowed_fallback(answer::no_such_method)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn_with_state(api.clone(), metrics::observe))
        .with_state(api)
}
