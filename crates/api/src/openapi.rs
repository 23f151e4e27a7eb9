//! The OpenAPI document. It is checked in, so that a change of the API is seen in review, and served as it stands;
//! a test makes it anew from the wire types and the table of routes and compares.

/// The document as it is served.
pub const DOCUMENT: &str = include_str!("../openapi.json");

#[cfg(test)]
mod answers;
#[cfg(test)]
mod compat;
#[cfg(test)]
mod limits;

#[cfg(test)]
use crate::routes;

#[cfg(test)]
fn content(content: routes::Content) -> serde_json::Value {
    use serde_json::json;
    match content {
        routes::Content::Json(schema) => {
            json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/{schema}") } } })
        }
        routes::Content::Media(media_type @ "application/json") => {
            json!({ media_type: { "schema": { "type": "object" } } })
        }
        routes::Content::Media(media_type @ ("application/octet-stream" | "application/x-tar")) => {
            json!({ media_type: { "schema": { "type": "string", "format": "binary" } } })
        }
        // One event: that is what a schema of a stream describes.
        routes::Content::Media(media_type @ "text/event-stream") => {
            json!({ media_type: { "schema": { "type": "object",
            "required": ["event", "data"],
            "properties": {
                "event": { "type": "string" },
                "data": { "type": "string", "contentMediaType": "application/json" },
            } } } })
        }
        routes::Content::Media(media_type) => json!({ media_type: { "schema": { "type": "string" } } }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};
    use utoipa::OpenApi;

    use super::{
        DOCUMENT,
        answers::{all_problems, answers},
        compat::breaks,
        content, limits,
    };
    use crate::{
        audit, backup, certs, cluster, event, grant, instance, keys, network, operation, plan, platform,
        problem, quantity,
        query::Kind,
        routes::{self, Route},
        secret, share, spec, ssh, tenant,
        terms::{self, Repeat},
    };
    use types::access::Access;

    /// Set to write the document instead of comparing it.
    const REGENERATE: &str = "UPDATE_OPENAPI";

    #[derive(OpenApi)]
    #[openapi(components(schemas(
        problem::Problem,
        problem::FaultView,
        problem::FieldErrorView,
        platform::VersionView,
        platform::BundleList,
        platform::BundleView,
        network::NetworkCreate,
        network::NetworkView,
        network::NetworkList,
        network::NetworkAccepted,
        network::NetworkApply,
        network::NetworkApplied,
        operation::OperationView,
        operation::OperationList,
        operation::OperationAccepted,
        operation::OperationKindView,
        operation::OperationStateView,
        operation::StepView,
        operation::StepStateView,
        instance::InstanceView,
        instance::InstanceList,
        instance::InstancePhase,
        event::EventView,
        event::EventList,
        event::SeverityView,
        plan::PlanRequest,
        plan::PlanView,
        plan::ChangeView,
        plan::PlannedStepView,
        plan::ImpactView,
        cluster::ClusterCreate,
        cluster::ClusterApply,
        cluster::ClusterView,
        cluster::PinsView,
        cluster::ClusterPhase,
        cluster::ConditionView,
        cluster::ClusterList,
        cluster::ClusterDetailView,
        cluster::ClusterAccepted,
        cluster::ImageList,
        cluster::CredentialsRequest,
        grant::ClusterGrantCreate,
        grant::ClusterGrantRevoke,
        grant::ClusterGrantView,
        grant::ClusterGrantList,
        grant::GrantState,
        grant::GrantedView,
        grant::GrantedClusterView,
        grant::GrantedClusterList,
        share::ClusterShareCreate,
        share::ClusterShareView,
        share::SharedClusterView,
        share::SharedClusterList,
        tenant::Done,
        tenant::Login,
        tenant::LoginProviders,
        tenant::LoginProviderView,
        tenant::LoginFlow,
        tenant::LoginBegin,
        tenant::LoginBegun,
        tenant::LoginComplete,
        tenant::LoginProgress,
        tenant::Logout,
        tenant::Refresh,
        tenant::TakeUp,
        tenant::PasswordChange,
        tenant::PasswordResetRequest,
        tenant::ResetView,
        tenant::InvitationView,
        tenant::InvitationList,
        tenant::OrgUsageView,
        tenant::TokenPair,
        tenant::WhoAmI,
        tenant::GrantView,
        tenant::Invite,
        tenant::InvitedView,
        tenant::MemberView,
        tenant::MemberList,
        tenant::OrgCreate,
        tenant::OrgView,
        tenant::OrgList,
        tenant::ProjectCreate,
        tenant::ProjectView,
        tenant::ProjectList,
        tenant::QuotaView,
        tenant::UsageView,
        tenant::UsageLine,
        tenant::ServiceAccountCreate,
        tenant::ServiceAccountView,
        tenant::ServiceAccountList,
        tenant::TokenCreate,
        tenant::TokenFresh,
        tenant::TokenView,
        tenant::TokenList,
        tenant::ClusterTokenView,
        secret::SecretCreate,
        secret::SecretUpdate,
        secret::SecretView,
        secret::SecretVersionView,
        secret::SecretList,
        secret::SecretValue,
        ssh::SshKeyCreate,
        ssh::SshKeyView,
        ssh::SshKeyList,
        ssh::SshRequest,
        ssh::SshAccess,
        ssh::SshTunnel,
        quantity::Quantity,
        spec::ClusterSpec,
        spec::Ranges,
        spec::ControlPlane,
        spec::Konnectivity,
        spec::Component,
        spec::Resources,
        spec::NodeGroup,
        spec::Gpu,
        spec::Addons,
        spec::Addon,
        spec::IngressNginx,
        backup::BackupRequest,
        certs::CertificateList,
        certs::CertificateView,
        certs::RotationView,
        certs::RotateCertificates,
        certs::CaView,
        keys::KeyList,
        keys::KeyView,
        audit::AuditView,
        audit::StageView,
        audit::AuditList,
        audit::VerdictView,
        audit::BrokenView,
    )))]
    struct Schemas;

    fn parameters(route: &Route) -> Vec<Value> {
        let in_path = route.path.split(['{', '}']).skip(1).step_by(2);
        let mut all: Vec<Value> = in_path
            .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": limits::in_path(name, false) }))
            .collect();
        all.extend(route.query.iter().map(|parameter| {
            let schema = match parameter.kind {
                Kind::Text => json!({ "type": "string" }),
                Kind::Flag => json!({ "type": "boolean" }),
                Kind::Integer { min, max, default } => {
                    let mut schema = json!({ "type": "integer", "minimum": min, "maximum": max });
                    if let Some(default) = default {
                        schema["default"] = default.into();
                    }
                    schema
                }
            };
            json!({ "name": parameter.name, "in": "query", "description": parameter.about, "schema": schema })
        }));
        all
    }

    fn headers(route: &Route) -> Vec<Value> {
        let header = |name: &str, description: &str, schema: Value| json!({ "name": name, "in": "header", "description": description, "schema": schema });
        // A list of them is taken, too; whoever needs one knows RFC 9110.
        let tag = || json!({ "oneOf": [{ "const": "*" }, { "type": "string", "pattern": r#"^"[!#-+.-~-]{1,100}"$"# }] });
        let mut all = Vec::new();
        if route.repeat() == Repeat::Keyed {
            all.push(header(
                "Idempotency-Key",
                "Carried out once however often it is sent with this key and this body, for 24 hours; a failure is not kept",
                json!({ "type": "string", "pattern": terms::KEY_PATTERN }),
            ));
        }
        if route.is_conditional() {
            all.push(header(
                "If-Match",
                "Only if it is as the ETag says; what the platform itself changed of it does not count",
                tag(),
            ));
        }
        if route.may_create() {
            all.push(header(
                "If-None-Match",
                "`*`: only if there is none yet",
                json!({ "const": "*" }),
            ));
        }
        if route.is_tagged() {
            all.push(header(
                "If-None-Match",
                "304 if it is still as the ETag says",
                tag(),
            ));
        }
        all
    }

    fn operation(route: &Route) -> Value {
        let mut operation = json!({
            "operationId": route.id,
            "summary": route.summary,
            "responses": answers(route),
        });
        let mut parameters = parameters(route);
        if let Some(made) = parameters
            .iter_mut()
            .find(|parameter| route.may_create() && parameter["name"] == "reference")
        {
            made["schema"] = limits::in_path("reference", true);
        }
        parameters.extend(headers(route));
        if !parameters.is_empty() {
            operation["parameters"] = json!(parameters);
        }
        if let Some(request) = route.request {
            operation["requestBody"] = json!({ "required": true, "content": content(request) });
        }
        operation["x-access"] = json!(match route.access {
            Access::Open => "open",
            Access::SignedIn => "signed-in",
            Access::Project(role) => role.as_str(),
            Access::ClusterSeen => "project_viewer or granted",
            Access::ClusterAdmin => "project_admin, or org_admin where the cluster is shared",
            Access::OrgSeen => "org-seen",
            Access::OrgAdmin => "org_admin",
            Access::Platform => "platform_admin",
        });
        if route.access == Access::Open {
            operation["security"] = json!([]);
        }
        operation
    }

    fn generate() -> String {
        let mut document = serde_json::to_value(Schemas::openapi()).unwrap();
        let mut paths: Map<String, Value> = Map::new();
        for route in routes::TABLE {
            let entry = paths.entry(route.path).or_insert_with(|| json!({}));
            entry[route.method.as_str().to_lowercase()] = operation(route);
        }
        document["info"] = json!({ "title": "PlasmaCloud Kubernetes", "version": "v1", "license": { "name": "Apache-2.0" } });
        document["paths"] = Value::Object(paths);
        document["components"]["securitySchemes"] =
            json!({ "bearer": { "type": "http", "scheme": "bearer" } });
        document["components"]["responses"] = all_problems();
        document["security"] = json!([{ "bearer": [] }]);
        limits::lay_down(&mut document);
        serde_json::to_string_pretty(&document).unwrap() + "\n"
    }

    /// Every `$ref` of a value.
    fn references(value: &Value) -> Vec<String> {
        match value {
            Value::Object(map) => map
                .iter()
                .flat_map(|(key, value)| match (key.as_str(), value.as_str()) {
                    ("$ref", Some(target)) => vec![target.to_owned()],
                    _ => references(value),
                })
                .collect(),
            Value::Array(items) => items.iter().flat_map(references).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        }
    }

    #[test]
    fn the_checked_in_document_is_the_one_the_code_describes() {
        let generated = generate();
        if std::env::var_os(REGENERATE).is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json"), generated).unwrap();
            return;
        }
        assert!(
            generated == DOCUMENT,
            "openapi.json is stale: run the test with {REGENERATE}=1 and review the change"
        );
    }

    /// Set to make the present document the released one, on purpose.
    const RELEASE: &str = "RELEASE_OPENAPI";

    #[test]
    fn clients_of_the_released_document_go_on_working() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi/released.json");
        let generated = generate();
        if std::env::var_os(RELEASE).is_some() {
            std::fs::write(file, generated).unwrap();
            return;
        }
        let released: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let found = breaks(&released, &serde_json::from_str(&generated).unwrap());
        assert!(
            found.is_empty(),
            "the API is no longer what docs/openapi/released.json promises:\n  {}\n\
             Change it so that old clients go on working. If they are to break: say so in the release notes, and make \
             this the released document with {RELEASE}=1 cargo test -p api",
            found.join("\n  ")
        );
    }

    #[test]
    fn every_reference_has_its_schema() {
        let document: Value = serde_json::from_str(&generate()).unwrap();
        for target in references(&document) {
            let pointer = target.trim_start_matches('#');
            assert!(document.pointer(pointer).is_some(), "{target}");
        }
    }
}
