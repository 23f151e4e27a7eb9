//! Service accounts, their tokens, and tokens for clusters.

use api::{
    moment,
    spec::parse_name,
    tenant::{
        ClusterTokenView, Done, ServiceAccountCreate, ServiceAccountList, ServiceAccountView, TokenCreate,
        TokenFresh, TokenList, TokenView,
    },
};
use app::tenants::Fresh;
use axum::{Json, extract::State, response::Response};
use serde_json::json;
use types::{
    Fault, Findings,
    tenant::{Role, RoleError},
};

use super::{
    listing::{PageAsked, next},
    unread,
};
use crate::{
    answer::Answer,
    audit::Note,
    body::Given,
    guard::{By, Referenced, Within},
    router::Api,
    terms::revised,
    token::Question,
};

const HOUR_S: i64 = 3600;

pub async fn list_accounts(
    State(api): State<Api>,
    Within(project): Within,
    asked: PageAsked,
) -> Answer<Json<ServiceAccountList>> {
    let question = Question::new("service-accounts").and(project.as_str());
    let part = asked.part(&question)?;
    let page = api.tenants.list_service_accounts(&project, &part).await?;
    Ok(Json(ServiceAccountList {
        next: next(&question, &page),
        service_accounts: page.items.iter().map(ServiceAccountView::from).collect(),
    }))
}

pub async fn get_account(
    State(api): State<Api>,
    Referenced(project, reference): Referenced,
) -> Answer<Response> {
    let account = api.tenants.get_service_account(&project, &reference).await?;
    Ok(revised(&account, Json(ServiceAccountView::from(&account))))
}

pub async fn create_account(
    State(api): State<Api>,
    Within(project): Within,
    Given(request): Given<ServiceAccountCreate>,
) -> Answer<Response> {
    let mut found = Findings::default();
    let name = found.keep(parse_name(&request.name, "name"));
    let role = match &request.role {
        None => Some(Role::ProjectMember),
        Some(given) => found.keep(given.parse().map_err(|cause: RoleError| {
            Fault::invalid(
                "role-invalid",
                cause.to_string(),
                "give project_viewer, project_member or project_admin",
            )
            .at("role")
        })),
    };
    found.verdict()?;
    let (name, role) = name.zip(role).ok_or_else(unread)?;
    let account = api.tenants.create_service_account(&project, name, role).await?;
    let note = Note::of(&account.name, &account.id).change(json!({"role": account.role}));
    Ok(note.on(Json(ServiceAccountView::from(&account))))
}

pub async fn delete_account(
    State(api): State<Api>,
    Referenced(project, reference): Referenced,
) -> Answer<Json<Done>> {
    api.tenants.delete_service_account(&project, &reference).await?;
    Ok(Json(Done {}))
}

pub async fn list(
    State(api): State<Api>,
    Within(project): Within,
    asked: PageAsked,
) -> Answer<Json<TokenList>> {
    let question = Question::new("tokens").and(project.as_str());
    let part = asked.part(&question)?;
    let page = api.tenants.list_tokens(&project, &part).await?;
    Ok(Json(TokenList {
        next: next(&question, &page),
        tokens: page.items.iter().map(TokenView::from).collect(),
    }))
}

pub async fn create(
    State(api): State<Api>,
    By(principal): By,
    Within(project): Within,
    Given(request): Given<TokenCreate>,
) -> Answer<Response> {
    let lives = request.ttl_seconds.unwrap_or(HOUR_S);
    let Fresh { id, token, expires } = api
        .tenants
        .create_token(&principal, &project, &request.service_account, lives)
        .await?;
    let change = json!({"serviceAccount": request.service_account, "seconds": lives});
    let note = Note::of(&id, &id).change(change);
    Ok(note.on(Json(TokenFresh {
        id: id.to_string(),
        token: token.reveal(),
        expires: moment::to_wire(expires),
    })))
}

pub async fn revoke(State(api): State<Api>, Referenced(project, id): Referenced) -> Answer<Json<Done>> {
    api.tenants.revoke_token(&project, &id).await?;
    Ok(Json(Done {}))
}

pub async fn for_cluster(
    State(api): State<Api>,
    By(principal): By,
    Referenced(project, reference): Referenced,
) -> Answer<Json<ClusterTokenView>> {
    let cluster = api.surface.get_cluster(&project, &reference).await?.cluster;
    let Fresh { token, expires, .. } = api
        .tenants
        .cluster_token(&principal, &project, &cluster.id)
        .await?;
    Ok(Json(ClusterTokenView {
        token: token.reveal(),
        expires: moment::to_wire(expires),
    }))
}
