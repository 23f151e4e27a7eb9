//! The routes: which handler answers where, who may call it, and how large a body it takes.

use std::{path::PathBuf, sync::Arc};

use api::routes;
use app::{Lists, Tenants, rotation::Rotator};
use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware,
    routing::{delete, get, post, put},
};
use tokio::sync::watch;

use crate::{
    Surface, answer, audit,
    auth::TokenHash,
    backup::Backup,
    endpoints::{
        self, backup, certs, clusters, events, external, grants, images, instances, invitations, keys, login,
        members, networks, operations, orgs, platform, projects, secrets, shares, ssh, tokens, users,
    },
    guard,
    limits::{Limits, Rate},
    metrics::{self, Metrics},
    terms,
    tls::Tls,
};

/// The largest JSON anybody has reason to send.
pub(crate) const BODY_LIMIT: usize = 256 * 1024;

/// Turns true once, when the daemon is to stop.
pub type Stop = watch::Receiver<bool>;

/// What handlers share; cheap to clone.
#[derive(Clone)]
pub struct Api {
    pub surface: Arc<dyn Surface>,
    pub lists: Lists,
    pub tenants: Tenants,
    /// At providers of others.
    pub logins: oidc::Logins,
    pub token: Arc<TokenHash>,
    pub limits: Arc<Limits>,
    pub seats: Arc<guard::Seats>,
    /// What each principal may ask.
    pub rate: Rate,
    pub audit: audit::Log,
    pub keys: Arc<Rotator>,
    pub backup: Arc<dyn Backup>,
    pub metrics: Arc<Metrics>,
    /// Where bodies too large for memory go; on a disk, swept at start.
    pub uploads: Arc<PathBuf>,
    pub instance: Arc<str>,
    /// Where it is reached over TLS, if it is.
    pub tls: Option<Arc<Tls>>,
    pub stop: Stop,
}

pub fn router(api: Api) -> Router {
    Router::new()
        .merge(platform_routes())
        .merge(tenant_routes())
        .merge(project_routes())
        .route_layer(middleware::from_fn(terms::on_terms))
        .route_layer(middleware::from_fn_with_state(
            api.clone(),
            audit::recorder::record,
        ))
        .route_layer(middleware::from_fn_with_state(api.clone(), guard::guard))
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

fn platform_routes() -> Router<Api> {
    Router::new()
        .route(routes::HEALTH, get(platform::health))
        .route(routes::OPENAPI, get(platform::openapi))
        .route(routes::VERSION, get(platform::version))
        .route(routes::METRICS, get(platform::metrics))
        .route(routes::BUNDLES, get(platform::bundles))
        .route(routes::BACKUP, post(backup::make))
        .route(routes::CERTS, get(certs::list))
        .route(routes::CERTS_ROTATE, post(certs::rotate))
        .route(routes::CA, get(certs::ca))
        .route(routes::USERS, get(users::list).post(users::invite))
        .route(routes::USER, delete(users::delete))
        .route(routes::USER_RESET, post(users::offer_reset))
        .route(routes::USER_INVITATIONS, get(invitations::of_platform))
        .route(routes::USER_INVITATION, delete(invitations::withdraw_any))
        .route(routes::KEYS, get(keys::list))
        .route(routes::KEYS_ROTATE, post(keys::rotate))
        .route(routes::AUDIT, get(endpoints::audit::list))
        .route(routes::ORG_AUDIT, get(endpoints::audit::list_org))
        .route(routes::PROJECT_AUDIT, get(endpoints::audit::list_project))
        .route(routes::AUDIT_VERIFY, get(endpoints::audit::verify))
        .route(routes::DISCOVERY, get(login::discovery))
        .route(routes::JWKS, get(login::jwks))
}

fn tenant_routes() -> Router<Api> {
    Router::new()
        .route(routes::LOGIN, post(login::login))
        .route(routes::LOGIN_PROVIDERS, get(external::list))
        .route(routes::LOGIN_BEGIN, post(external::begin))
        .route(routes::LOGIN_COMPLETE, post(external::complete))
        .route(routes::REFRESH, post(login::refresh))
        .route(routes::LOGOUT, post(login::logout))
        .route(routes::TAKE_UP, post(login::take_up))
        .route(routes::PASSWORD, put(login::change_password))
        .route(routes::PASSWORD_RESET, post(login::reset_password))
        .route(routes::WHOAMI, get(login::whoami))
        .route(routes::SESSIONS, delete(login::end_sessions))
        .route(routes::SSH_KEYS, get(ssh::list_keys).post(ssh::add_key))
        .route(routes::SSH_KEY, delete(ssh::delete_key))
        .route(routes::ORGS, get(orgs::list).post(orgs::create))
        .route(routes::ORG, get(orgs::get).delete(orgs::delete))
        .route(routes::ORG_QUOTA, get(orgs::usage).put(orgs::set_quota))
        .route(routes::ORG_INVITATIONS, get(invitations::of_org))
        .route(routes::ORG_INVITATION, delete(invitations::withdraw_from_org))
        .route(routes::ORG_PROJECTS, post(orgs::create_project))
        .route(
            routes::ORG_MEMBERS,
            get(members::of_org).post(members::invite_to_org),
        )
        .route(routes::ORG_MEMBER, delete(members::remove_from_org))
        .route(routes::PROJECTS, get(projects::list))
        .route(routes::PROJECT, get(projects::get).delete(projects::delete))
        .route(
            routes::PROJECT_QUOTA,
            get(projects::usage).put(projects::set_quota),
        )
        .route(
            routes::PROJECT_MEMBERS,
            get(members::of_project).post(members::invite_to_project),
        )
        .route(routes::PROJECT_MEMBER, delete(members::remove_from_project))
        .route(routes::PROJECT_INVITATIONS, get(invitations::of_project))
        .route(
            routes::PROJECT_INVITATION,
            delete(invitations::withdraw_from_project),
        )
        .route(
            routes::SERVICE_ACCOUNTS,
            get(tokens::list_accounts).post(tokens::create_account),
        )
        .route(
            routes::SERVICE_ACCOUNT,
            get(tokens::get_account).delete(tokens::delete_account),
        )
        .route(routes::TOKENS, get(tokens::list).post(tokens::create))
        .route(routes::TOKEN, delete(tokens::revoke))
}

fn project_routes() -> Router<Api> {
    Router::new()
        .route(routes::NETWORKS, get(networks::list).post(networks::create))
        .route(
            routes::NETWORK,
            get(networks::get).put(networks::apply).delete(networks::delete),
        )
        .route(routes::CLUSTERS, get(clusters::list).post(clusters::create))
        .route(routes::CLUSTERS_PLAN, post(clusters::plan))
        .route(
            routes::CLUSTER,
            get(clusters::get).put(clusters::apply).delete(clusters::delete),
        )
        .route(routes::CLUSTER_RETRY, post(clusters::retry))
        .route(routes::CLUSTER_KUBECONFIG, get(clusters::kubeconfig))
        .route(routes::CLUSTER_CREDENTIALS, post(clusters::credentials))
        .route(routes::CLUSTER_TOKEN, post(tokens::for_cluster))
        .route(routes::CLUSTER_GRANTS, get(grants::list).post(grants::create))
        .route(routes::CLUSTER_GRANTS_REVOKE, post(grants::revoke))
        .route(routes::GRANTED_CLUSTERS, get(grants::of_caller))
        .route(routes::CLUSTER_SHARES, post(shares::create))
        .route(routes::CLUSTER_SHARE, delete(shares::end))
        .route(routes::SHARED_CLUSTERS, get(shares::with_project))
        .route(routes::CLUSTER_IMAGES, get(images::list).post(images::load))
        .route(routes::INSTANCES, get(instances::list))
        .route(routes::INSTANCE, get(instances::get))
        .route(routes::INSTANCE_SSH, post(ssh::enter))
        .route(routes::SECRETS, get(secrets::list).post(secrets::create))
        .route(
            routes::SECRET,
            get(secrets::get).put(secrets::update).delete(secrets::delete),
        )
        .route(routes::SECRET_VALUE, get(secrets::reveal))
        .route(routes::OPERATIONS, get(operations::list))
        .route(routes::OPERATION, get(operations::get))
        .route(routes::OPERATION_CANCEL, post(operations::cancel))
        .route(routes::OPERATION_WATCH, get(operations::watch))
        .route(routes::EVENTS, get(events::list))
}
