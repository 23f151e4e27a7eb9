//! Every path once: the server routes by these patterns, the client fills them, the OpenAPI document lists them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

pub const HEALTH: &str = "/healthz";
pub const METRICS: &str = "/metrics";
pub const OPENAPI: &str = "/openapi.json";
pub const VERSION: &str = "/v1/version";
pub const BUNDLES: &str = "/v1/bundles";
pub const NETWORKS: &str = "/v1/projects/{project}/networks";
pub const NETWORK: &str = "/v1/projects/{project}/networks/{reference}";
pub const CLUSTERS: &str = "/v1/projects/{project}/clusters";
pub const CLUSTERS_PLAN: &str = "/v1/projects/{project}/clusters:plan";
pub const CLUSTER: &str = "/v1/projects/{project}/clusters/{reference}";
pub const CLUSTER_RETRY: &str = "/v1/projects/{project}/clusters/{reference}/retry";
pub const CLUSTER_KUBECONFIG: &str = "/v1/projects/{project}/clusters/{reference}/kubeconfig";
pub const CLUSTER_IMAGES: &str = "/v1/projects/{project}/clusters/{reference}/images";
pub const INSTANCES: &str = "/v1/projects/{project}/instances";
pub const INSTANCE: &str = "/v1/projects/{project}/instances/{reference}";
pub const OPERATIONS: &str = "/v1/projects/{project}/operations";
pub const OPERATION: &str = "/v1/projects/{project}/operations/{id}";
pub const OPERATION_CANCEL: &str = "/v1/projects/{project}/operations/{id}/cancel";
pub const OPERATION_WATCH: &str = "/v1/projects/{project}/operations/{id}/watch";
pub const EVENTS: &str = "/v1/projects/{project}/events";
pub const BACKUP: &str = "/v1/admin/backup";
pub const KEYS: &str = "/v1/admin/keys";
pub const KEYS_ROTATE: &str = "/v1/admin/keys:rotate";
pub const AUDIT: &str = "/v1/audit";
pub const AUDIT_VERIFY: &str = "/v1/audit:verify";

/// What may stand unescaped in a segment of a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A pattern with its parameters filled in, escaped: a name with a slash in it stays one segment.
pub fn fill(pattern: &str, values: &[(&str, &str)]) -> String {
    values
        .iter()
        .fold(pattern.to_owned(), |path, (parameter, value)| {
            path.replace(&format!("{{{parameter}}}"), &escape(value))
        })
}

pub fn escape(value: &str) -> String {
    utf8_percent_encode(value, SEGMENT).to_string()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Put,
    Delete,
}

impl Method {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

/// What a request or an answer carries: a schema of ours as JSON, or something else by its media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Json(&'static str),
    Media(&'static str),
}

/// What of a route's calls the audit log keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audited {
    /// Nothing: it changes nothing and shows nothing secret.
    No,
    /// Every call: it changes something.
    Change,
    /// Every call: its answer holds a secret.
    SecretRead,
}

#[derive(Debug, Clone, Copy)]
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub id: &'static str,
    pub summary: &'static str,
    /// Whether it answers without a token.
    pub open: bool,
    pub audited: Audited,
    pub request: Option<Content>,
    pub status: u16,
    pub answer: Content,
}

const fn get(path: &'static str, id: &'static str, summary: &'static str, schema: &'static str) -> Route {
    let answer = Content::Json(schema);
    Route {
        method: Method::Get,
        path,
        id,
        summary,
        open: false,
        audited: Audited::No,
        request: None,
        status: 200,
        answer,
    }
}

const fn send(
    method: Method,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    request: Option<Content>,
    answer: (u16, &'static str),
) -> Route {
    Route {
        method,
        path,
        id,
        summary,
        open: false,
        audited: Audited::Change,
        request,
        status: answer.0,
        answer: Content::Json(answer.1),
    }
}

const fn media(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    media_type: &'static str,
) -> Route {
    Route {
        answer: Content::Media(media_type),
        ..get(path, id, summary, "")
    }
}

const fn open(route: Route) -> Route {
    Route { open: true, ..route }
}

/// A route that takes a body to answer a question about it, and changes nothing.
const fn asks(route: Route) -> Route {
    Route {
        audited: Audited::No,
        ..route
    }
}

/// A read whose answer lets its reader in somewhere.
const fn secret(route: Route) -> Route {
    Route {
        audited: Audited::SecretRead,
        ..route
    }
}

/// A route whose answer is a file.
const fn file(route: Route) -> Route {
    Route {
        answer: Content::Media("application/octet-stream"),
        ..route
    }
}

/// The route that serves this method at this pattern.
pub fn find(method: &str, path: &str) -> Option<&'static Route> {
    TABLE
        .iter()
        .find(|route| route.path == path && route.method.as_str() == method)
}

#[rustfmt::skip]
pub const TABLE: &[Route] = &[
    open(media(HEALTH, "health", "Whether the platform answers", "text/plain")),
    media(METRICS, "metrics", "Figures in the Prometheus text format", "text/plain"),
    open(media(OPENAPI, "openapi", "This document", "application/json")),
    open(get(VERSION, "version", "The platform's version", "VersionView")),
    get(BUNDLES, "listBundles", "Kubernetes releases on this host", "BundleList"),
    get(NETWORKS, "listNetworks", "The project's networks", "NetworkList"),
    send(Method::Post, NETWORKS, "createNetwork", "Make a network", Some(Content::Json("NetworkCreate")), (202, "NetworkAccepted")),
    get(NETWORK, "getNetwork", "One network, by name or id", "NetworkView"),
    send(Method::Delete, NETWORK, "deleteNetwork", "Remove a network nothing uses", None, (202, "OperationAccepted")),
    get(CLUSTERS, "listClusters", "The project's clusters", "ClusterList"),
    send(Method::Post, CLUSTERS, "createCluster", "Make a cluster", Some(Content::Json("ClusterCreate")), (202, "ClusterAccepted")),
    asks(send(Method::Post, CLUSTERS_PLAN, "planCluster", "What creating or changing a cluster would do; changes nothing", Some(Content::Json("PlanRequest")), (200, "PlanView"))),
    get(CLUSTER, "getCluster", "One cluster, by name or id, with its instances and recent events", "ClusterDetailView"),
    send(Method::Put, CLUSTER, "applyCluster", "Make the cluster of this name, or change it to this spec (200 when there is nothing to change)", Some(Content::Json("ClusterApply")), (202, "ClusterAccepted")),
    send(Method::Delete, CLUSTER, "deleteCluster", "Remove a cluster and all that belongs to it", None, (202, "OperationAccepted")),
    send(Method::Post, CLUSTER_RETRY, "retryCluster", "Take up a creation that failed or was cancelled", None, (202, "OperationAccepted")),
    secret(media(CLUSTER_KUBECONFIG, "kubeconfig", "Administrator's kubeconfig of a cluster", "application/yaml")),
    get(CLUSTER_IMAGES, "listImages", "Images loaded into a cluster", "ImageList"),
    send(Method::Post, CLUSTER_IMAGES, "loadImages", "Load an OCI or docker archive for every node, also those that join later", Some(Content::Media("application/x-tar")), (200, "ImageList")),
    get(INSTANCES, "listInstances", "The project's instances", "InstanceList"),
    get(INSTANCE, "getInstance", "One instance, by name or id", "InstanceView"),
    get(OPERATIONS, "listOperations", "The project's operations, newest first", "OperationList"),
    get(OPERATION, "getOperation", "One operation", "OperationView"),
    send(Method::Post, OPERATION_CANCEL, "cancelOperation", "Stop the creation of a cluster; what was made is held until it is retried or deleted", None, (200, "OperationView")),
    media(OPERATION_WATCH, "watchOperation", "Server-sent events named `operation`, each a whole OperationView; ends with the operation", "text/event-stream"),
    get(EVENTS, "listEvents", "What happened, newest first", "EventList"),
    secret(file(send(Method::Post, BACKUP, "backup", "The platform's state in one file, sealed under a passphrase", Some(Content::Json("BackupRequest")), (200, "")))),
    get(KEYS, "listKeys", "The master keys that secrets are sealed under, and how many rows are under each", "KeyList"),
    send(Method::Post, KEYS_ROTATE, "rotateKey", "Make a new master key, unless one is taking over already, and wrap every secret anew in the background", None, (202, "KeyList")),
    get(AUDIT, "listAudit", "Who did what, newest first", "AuditList"),
    get(AUDIT_VERIFY, "verifyAudit", "Whether the audit log is as it was written, and where it is not", "VerdictView"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped_and_cannot_leave_their_segment() {
        let path = fill(CLUSTER, &[("project", "default"), ("reference", "../../x?y#z %")]);
        assert_eq!(path, "/v1/projects/default/clusters/..%2F..%2Fx%3Fy%23z%20%25");
    }

    /// Whoever adds a route says which it is; these lists are what a reviewer looks at.
    #[test]
    fn what_changes_something_or_shows_a_secret_is_audited() {
        let ids = |wanted: fn(&&Route) -> bool| -> Vec<&str> {
            TABLE.iter().filter(wanted).map(|route| route.id).collect()
        };
        assert_eq!(
            ids(|route| route.method != Method::Get && route.audited == Audited::No),
            ["planCluster"]
        );
        assert_eq!(
            ids(|route| route.audited == Audited::SecretRead),
            ["kubeconfig", "backup"]
        );
        assert_eq!(
            ids(|route| route.method == Method::Get && route.audited == Audited::Change),
            [""; 0]
        );
    }

    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<_> = TABLE.iter().map(|route| route.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), TABLE.len());
    }
}
