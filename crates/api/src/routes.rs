//! Every path once: the server routes by these patterns, the client fills them, the OpenAPI document lists them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use types::{access::Access, tenant::Role};

use crate::query::{self, Parameter};

pub const HEALTH: &str = "/healthz";
pub const METRICS: &str = "/metrics";
pub const OPENAPI: &str = "/openapi.json";
pub const VERSION: &str = "/v1/version";
pub const BUNDLES: &str = "/v1/bundles";
pub const DISCOVERY: &str = "/.well-known/openid-configuration";
pub const JWKS: &str = "/.well-known/jwks.json";
pub const LOGIN: &str = "/v1/login";
pub const LOGIN_PROVIDERS: &str = "/v1/login/providers";
pub const LOGIN_BEGIN: &str = "/v1/login/oidc:begin";
pub const LOGIN_COMPLETE: &str = "/v1/login/oidc:complete";
pub const LOGOUT: &str = "/v1/logout";
pub const REFRESH: &str = "/v1/refresh";
pub const TAKE_UP: &str = "/v1/invitations:accept";
pub const PASSWORD: &str = "/v1/password";
pub const PASSWORD_RESET: &str = "/v1/password:reset";
pub const WHOAMI: &str = "/v1/whoami";
pub const SESSIONS: &str = "/v1/sessions";
pub const ORGS: &str = "/v1/orgs";
pub const ORG: &str = "/v1/orgs/{org}";
pub const ORG_QUOTA: &str = "/v1/orgs/{org}/quota";
pub const ORG_INVITATIONS: &str = "/v1/orgs/{org}/invitations";
pub const ORG_INVITATION: &str = "/v1/orgs/{org}/invitations/{invitation}";
pub const ORG_PROJECTS: &str = "/v1/orgs/{org}/projects";
pub const ORG_MEMBERS: &str = "/v1/orgs/{org}/members";
pub const ORG_MEMBER: &str = "/v1/orgs/{org}/members/{member}";
pub const PROJECTS: &str = "/v1/projects";
pub const PROJECT: &str = "/v1/projects/{project}";
pub const PROJECT_QUOTA: &str = "/v1/projects/{project}/quota";
pub const PROJECT_MEMBERS: &str = "/v1/projects/{project}/members";
pub const PROJECT_MEMBER: &str = "/v1/projects/{project}/members/{member}";
pub const PROJECT_INVITATIONS: &str = "/v1/projects/{project}/invitations";
pub const PROJECT_INVITATION: &str = "/v1/projects/{project}/invitations/{invitation}";
pub const SERVICE_ACCOUNTS: &str = "/v1/projects/{project}/service-accounts";
pub const SERVICE_ACCOUNT: &str = "/v1/projects/{project}/service-accounts/{reference}";
pub const TOKENS: &str = "/v1/projects/{project}/tokens";
pub const TOKEN: &str = "/v1/projects/{project}/tokens/{id}";
pub const CLUSTER_TOKEN: &str = "/v1/projects/{project}/clusters/{reference}/token";
pub const NETWORKS: &str = "/v1/projects/{project}/networks";
pub const NETWORK: &str = "/v1/projects/{project}/networks/{reference}";
pub const CLUSTERS: &str = "/v1/projects/{project}/clusters";
pub const CLUSTERS_PLAN: &str = "/v1/projects/{project}/clusters:plan";
pub const CLUSTER: &str = "/v1/projects/{project}/clusters/{reference}";
pub const CLUSTER_RETRY: &str = "/v1/projects/{project}/clusters/{reference}/retry";
pub const CLUSTER_KUBECONFIG: &str = "/v1/projects/{project}/clusters/{reference}/kubeconfig";
pub const CLUSTER_CREDENTIALS: &str = "/v1/projects/{project}/clusters/{reference}/credentials";
pub const CLUSTER_GRANTS: &str = "/v1/projects/{project}/clusters/{reference}/grants";
pub const CLUSTER_GRANTS_REVOKE: &str = "/v1/projects/{project}/clusters/{reference}/grants:revoke";
pub const GRANTED_CLUSTERS: &str = "/v1/granted-clusters";
pub const CLUSTER_SHARES: &str = "/v1/projects/{project}/clusters/{reference}/shares";
pub const CLUSTER_SHARE: &str = "/v1/projects/{project}/clusters/{reference}/shares/{with}";
pub const SHARED_CLUSTERS: &str = "/v1/projects/{project}/shared-clusters";
pub const CLUSTER_IMAGES: &str = "/v1/projects/{project}/clusters/{reference}/images";
pub const INSTANCES: &str = "/v1/projects/{project}/instances";
pub const INSTANCE: &str = "/v1/projects/{project}/instances/{reference}";
pub const INSTANCE_SSH: &str = "/v1/projects/{project}/instances/{instance}/ssh";
pub const SSH_KEYS: &str = "/v1/ssh-keys";
pub const SSH_KEY: &str = "/v1/ssh-keys/{reference}";
pub const SECRETS: &str = "/v1/projects/{project}/secrets";
pub const SECRET: &str = "/v1/projects/{project}/secrets/{reference}";
pub const SECRET_VALUE: &str = "/v1/projects/{project}/secrets/{reference}/value";
pub const OPERATIONS: &str = "/v1/projects/{project}/operations";
pub const OPERATION: &str = "/v1/projects/{project}/operations/{id}";
pub const OPERATION_CANCEL: &str = "/v1/projects/{project}/operations/{id}/cancel";
pub const OPERATION_WATCH: &str = "/v1/projects/{project}/operations/{id}/watch";
pub const BACKUP: &str = "/v1/admin/backup";
pub const CA: &str = "/v1/ca";
pub const CERTS: &str = "/v1/admin/certs";
pub const CERTS_ROTATE: &str = "/v1/admin/certs:rotate";
pub const USERS: &str = "/v1/admin/users";
pub const USER: &str = "/v1/admin/users/{member}";
pub const USER_RESET: &str = "/v1/admin/users/{member}/reset";
pub const USER_INVITATIONS: &str = "/v1/admin/invitations";
pub const USER_INVITATION: &str = "/v1/admin/invitations/{invitation}";
pub const KEYS: &str = "/v1/admin/keys";
pub const KEYS_ROTATE: &str = "/v1/admin/keys:rotate";
pub const AUDIT: &str = "/v1/audit";
pub const ORG_AUDIT: &str = "/v1/orgs/{org}/audit";
pub const PROJECT_AUDIT: &str = "/v1/projects/{project}/audit";
pub const AUDIT_VERIFY: &str = "/v1/audit:verify";
pub const EVENTS: &str = "/v1/projects/{project}/events";

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
    /// What it asks of its caller. The server reads nothing else to decide.
    pub access: Access,
    pub audited: Audited,
    /// Every parameter its query may carry.
    pub query: &'static [Parameter],
    pub request: Option<Content>,
    pub status: u16,
    pub answer: Content,
}

const OPEN: Access = Access::Open;
const SIGNED_IN: Access = Access::SignedIn;
const VIEWER: Access = Access::Project(Role::ProjectViewer);
const MEMBER: Access = Access::Project(Role::ProjectMember);
const ADMIN: Access = Access::Project(Role::ProjectAdmin);
const CLUSTER_SEEN: Access = Access::ClusterSeen;
const CLUSTER_ADMIN: Access = Access::ClusterAdmin;
const ORG_SEEN: Access = Access::OrgSeen;
const ORG_ADMIN: Access = Access::OrgAdmin;
const PLATFORM: Access = Access::Platform;

const fn get(
    access: Access,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    schema: &'static str,
) -> Route {
    Route {
        method: Method::Get,
        path,
        id,
        summary,
        access,
        audited: Audited::No,
        query: &[],
        request: None,
        status: 200,
        answer: Content::Json(schema),
    }
}

/// A call that may change something.
const fn send(
    access: Access,
    (method, path): (Method, &'static str),
    id: &'static str,
    summary: &'static str,
    request: Option<Content>,
    (status, schema): (u16, &'static str),
) -> Route {
    Route {
        method,
        path,
        id,
        summary,
        access,
        audited: Audited::Change,
        query: &[],
        request,
        status,
        answer: Content::Json(schema),
    }
}

const fn media(
    access: Access,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    media_type: &'static str,
) -> Route {
    Route {
        answer: Content::Media(media_type),
        ..get(access, path, id, summary, "")
    }
}

/// A call that takes a body to answer a question about it, and changes nothing.
const fn asks(route: Route) -> Route {
    Route {
        audited: Audited::No,
        ..route
    }
}

/// A call that takes parameters.
const fn asked(query: &'static [Parameter], route: Route) -> Route {
    Route { query, ..route }
}

/// A call whose answer lets its reader in somewhere.
const fn secret(route: Route) -> Route {
    Route {
        audited: Audited::SecretRead,
        ..route
    }
}

const fn json(schema: &'static str) -> Option<Content> {
    Some(Content::Json(schema))
}

/// The table of the API: what there is, and who may.
#[rustfmt::skip]
pub const TABLE: &[Route] = &[
    media(OPEN, HEALTH, "health", "Whether the platform answers", "text/plain"),
    media(PLATFORM, METRICS, "metrics", "Figures in the Prometheus text format", "text/plain"),
    media(OPEN, OPENAPI, "openapi", "This document", "application/json"),
    get(OPEN, VERSION, "version", "The platform's version", "VersionView"),
    media(OPEN, DISCOVERY, "discovery", "OpenID Connect discovery", "application/json"),
    media(OPEN, JWKS, "jwks", "The keys tokens are verified with", "application/json"),
    get(SIGNED_IN, BUNDLES, "listBundles", "Kubernetes releases on this host", "BundleList"),

    secret(send(OPEN, (Method::Post, LOGIN), "login", "Log in with a password", json("Login"), (200, "TokenPair"))),
    get(OPEN, LOGIN_PROVIDERS, "listLoginProviders", "How one can log in", "LoginProviders"),
    send(OPEN, (Method::Post, LOGIN_BEGIN), "beginLogin", "Begin a login at a provider, in a browser or on a device", json("LoginBegin"), (200, "LoginBegun")),
    secret(send(OPEN, (Method::Post, LOGIN_COMPLETE), "completeLogin", "Complete a login at a provider; of a device's, ask whether its person has", json("LoginComplete"), (200, "LoginProgress"))),
    secret(send(OPEN, (Method::Post, REFRESH), "refresh", "A new pair of tokens for a refresh token, which is good once", json("Refresh"), (200, "TokenPair"))),
    send(OPEN, (Method::Post, LOGOUT), "logout", "End the login a refresh token belongs to", json("Logout"), (200, "Done")),
    secret(send(OPEN, (Method::Post, TAKE_UP), "acceptInvitation", "Take up an invitation; ends in a login", json("TakeUp"), (200, "TokenPair"))),
    secret(send(SIGNED_IN, (Method::Put, PASSWORD), "changePassword", "Choose another password; every login and token of the caller ends, and a new login begins", json("PasswordChange"), (200, "TokenPair"))),
    secret(send(OPEN, (Method::Post, PASSWORD_RESET), "resetPassword", "Choose a new password with a code that an administrator gave out; ends in a login", json("PasswordResetRequest"), (200, "TokenPair"))),
    get(SIGNED_IN, WHOAMI, "whoami", "Who the caller is, and the roles held", "WhoAmI"),
    send(SIGNED_IN, (Method::Delete, SESSIONS), "endSessions", "End every login and token of the caller", None, (200, "Done")),

    asked(query::PAGED, get(SIGNED_IN, ORGS, "listOrgs", "The caller's organisations", "OrgList")),
    send(PLATFORM, (Method::Post, ORGS), "createOrg", "Make an organisation", json("OrgCreate"), (200, "OrgView")),
    get(ORG_SEEN, ORG, "getOrg", "One organisation, by name or id", "OrgView"),
    send(PLATFORM, (Method::Delete, ORG), "deleteOrg", "Remove an organisation without projects", None, (200, "Done")),
    get(ORG_ADMIN, ORG_QUOTA, "getOrgQuota", "What all projects of the organisation have and may have together", "OrgUsageView"),
    send(PLATFORM, (Method::Put, ORG_QUOTA), "setOrgQuota", "Change what all projects of the organisation may have together", json("QuotaView"), (200, "OrgView")),
    send(ORG_ADMIN, (Method::Post, ORG_PROJECTS), "createProject", "Make a project", json("ProjectCreate"), (200, "ProjectView")),
    asked(query::PAGED, get(ORG_ADMIN, ORG_MEMBERS, "listOrgMembers", "Who has a role in the organisation or its projects", "MemberList")),
    secret(send(ORG_ADMIN, (Method::Post, ORG_MEMBERS), "inviteToOrg", "Invite somebody to administer the organisation", json("Invite"), (200, "InvitedView"))),
    send(ORG_ADMIN, (Method::Delete, ORG_MEMBER), "removeOrgMember", "Take somebody's roles in the organisation and its projects", None, (200, "Done")),
    asked(query::PAGED, get(ORG_ADMIN, ORG_INVITATIONS, "listOrgInvitations", "Invitations to the organisation and its projects that wait to be taken up", "InvitationList")),
    send(ORG_ADMIN, (Method::Delete, ORG_INVITATION), "withdrawFromOrg", "Take back an invitation, by id, or all of an address", None, (200, "Done")),

    asked(query::PAGED, get(SIGNED_IN, PROJECTS, "listProjects", "Projects the caller has a role in", "ProjectList")),
    get(VIEWER, PROJECT, "getProject", "One project, by name or id", "ProjectView"),
    send(ORG_ADMIN, (Method::Delete, PROJECT), "deleteProject", "Remove a project with nothing in it", None, (200, "Done")),
    get(VIEWER, PROJECT_QUOTA, "getQuota", "What the project has and may have", "UsageView"),
    send(PLATFORM, (Method::Put, PROJECT_QUOTA), "setQuota", "Change what the project may have", json("QuotaView"), (200, "ProjectView")),
    asked(query::PAGED, get(VIEWER, PROJECT_MEMBERS, "listMembers", "Who has a role in the project", "MemberList")),
    secret(send(ADMIN, (Method::Post, PROJECT_MEMBERS), "inviteToProject", "Invite somebody to a role in the project", json("Invite"), (200, "InvitedView"))),
    send(ADMIN, (Method::Delete, PROJECT_MEMBER), "removeMember", "Take somebody's roles in the project", None, (200, "Done")),
    asked(query::PAGED, get(ADMIN, PROJECT_INVITATIONS, "listInvitations", "Invitations to the project that wait to be taken up", "InvitationList")),
    send(ADMIN, (Method::Delete, PROJECT_INVITATION), "withdrawInvitation", "Take back an invitation, by id, or all of an address", None, (200, "Done")),
    asked(query::PAGED, get(VIEWER, SERVICE_ACCOUNTS, "listServiceAccounts", "The project's service accounts", "ServiceAccountList")),
    send(ADMIN, (Method::Post, SERVICE_ACCOUNTS), "createServiceAccount", "Make an identity for a program", json("ServiceAccountCreate"), (200, "ServiceAccountView")),
    get(VIEWER, SERVICE_ACCOUNT, "getServiceAccount", "One service account, by name or id", "ServiceAccountView"),
    send(ADMIN, (Method::Delete, SERVICE_ACCOUNT), "deleteServiceAccount", "Remove a service account; its tokens end", None, (200, "Done")),
    asked(query::PAGED, get(ADMIN, TOKENS, "listTokens", "Tokens of the project's service accounts that have not ended", "TokenList")),
    secret(send(ADMIN, (Method::Post, TOKENS), "createToken", "A token for a service account, shown once", json("TokenCreate"), (200, "TokenFresh"))),
    send(ADMIN, (Method::Delete, TOKEN), "revokeToken", "End a token at once", None, (200, "Done")),

    asked(query::LABELLED, get(VIEWER, NETWORKS, "listNetworks", "The project's networks", "NetworkList")),
    send(MEMBER, (Method::Post, NETWORKS), "createNetwork", "Make a network", json("NetworkCreate"), (202, "NetworkAccepted")),
    get(VIEWER, NETWORK, "getNetwork", "One network, by name or id", "NetworkView"),
    send(MEMBER, (Method::Put, NETWORK), "applyNetwork", "Make the network of this name, or give it these labels (200 when there is nothing to make)", json("NetworkApply"), (202, "NetworkApplied")),
    send(MEMBER, (Method::Delete, NETWORK), "deleteNetwork", "Remove a network nothing uses", None, (202, "OperationAccepted")),
    asked(query::LABELLED, get(VIEWER, CLUSTERS, "listClusters", "The project's clusters", "ClusterList")),
    send(MEMBER, (Method::Post, CLUSTERS), "createCluster", "Make a cluster", json("ClusterCreate"), (202, "ClusterAccepted")),
    asks(send(VIEWER, (Method::Post, CLUSTERS_PLAN), "planCluster", "What creating or changing a cluster would do; changes nothing", json("PlanRequest"), (200, "PlanView"))),
    get(CLUSTER_SEEN, CLUSTER, "getCluster", "One cluster, by name or id, with its instances and recent events", "ClusterDetailView"),
    send(MEMBER, (Method::Put, CLUSTER), "applyCluster", "Make the cluster of this name, or change it to this spec (200 when there is nothing to change)", json("ClusterApply"), (202, "ClusterAccepted")),
    send(MEMBER, (Method::Delete, CLUSTER), "deleteCluster", "Remove a cluster and all that belongs to it", None, (202, "OperationAccepted")),
    send(MEMBER, (Method::Post, CLUSTER_RETRY), "retryCluster", "Take up a creation that failed or was cancelled", None, (202, "OperationAccepted")),
    media(CLUSTER_SEEN, CLUSTER_KUBECONFIG, "kubeconfig", "A kubeconfig that asks `cloud` for the caller's token; nothing in it is secret", "application/yaml"),
    secret(Route { answer: Content::Media("application/yaml"), ..send(CLUSTER_ADMIN, (Method::Post, CLUSTER_CREDENTIALS), "issueCredentials", "An administrator's kubeconfig with a certificate of the caller's own, good for a day", json("CredentialsRequest"), (200, "")) }),
    secret(send(CLUSTER_SEEN, (Method::Post, CLUSTER_TOKEN), "clusterToken", "A short-lived token of the caller for this cluster's API alone", None, (200, "ClusterTokenView"))),
    get(VIEWER, CLUSTER_GRANTS, "listGrants", "Rights given in this cluster to single people and programs", "ClusterGrantList"),
    send(CLUSTER_ADMIN, (Method::Post, CLUSTER_GRANTS), "createGrant", "Give somebody of the organisation rights in this cluster; the same twice is once", json("ClusterGrantCreate"), (200, "ClusterGrantView")),
    send(CLUSTER_ADMIN, (Method::Post, CLUSTER_GRANTS_REVOKE), "revokeGrants", "Take what somebody was granted in this cluster, all or what is named", json("ClusterGrantRevoke"), (200, "ClusterGrantList")),
    get(SIGNED_IN, GRANTED_CLUSTERS, "listGrantedClusters", "Clusters of any project in which the caller was granted something", "GrantedClusterList"),
    send(ORG_ADMIN, (Method::Post, CLUSTER_SHARES), "createShare", "Let another project of the organisation use this cluster; within its grace an ended share is taken back", json("ClusterShareCreate"), (200, "ClusterShareView")),
    send(ORG_ADMIN, (Method::Delete, CLUSTER_SHARE), "endShare", "End a project's use of this cluster; its namespace goes after a grace", None, (200, "ClusterShareView")),
    get(VIEWER, SHARED_CLUSTERS, "listSharedClusters", "Clusters of other projects that this one may use", "SharedClusterList"),
    get(VIEWER, CLUSTER_IMAGES, "listImages", "Images loaded into a cluster", "ImageList"),
    send(MEMBER, (Method::Post, CLUSTER_IMAGES), "loadImages", "Load an OCI or docker archive for every node, also those that join later", Some(Content::Media("application/x-tar")), (200, "ImageList")),
    asked(query::WATCHED, get(VIEWER, INSTANCES, "listInstances", "The project's instances", "InstanceList")),
    get(VIEWER, INSTANCE, "getInstance", "One instance, by name or id", "InstanceView"),
    secret(send(CLUSTER_ADMIN, (Method::Post, INSTANCE_SSH), "sshInstance", "A certificate and a ticket that let the caller into this instance as root, for some minutes", json("SshRequest"), (200, "SshAccess"))),
    asked(query::WATCHED, get(VIEWER, OPERATIONS, "listOperations", "The project's operations, newest first", "OperationList")),
    get(VIEWER, OPERATION, "getOperation", "One operation", "OperationView"),
    send(MEMBER, (Method::Post, OPERATION_CANCEL), "cancelOperation", "Stop the creation of a cluster; what was made is held until it is retried or deleted", None, (200, "OperationView")),
    media(VIEWER, OPERATION_WATCH, "watchOperation", "Server-sent events named `operation`, each a whole OperationView; ends with the operation", "text/event-stream"),
    asked(query::EVENTS, get(VIEWER, EVENTS, "listEvents", "What happened, newest first", "EventList")),

    get(VIEWER, SECRETS, "listSecrets", "The project's secrets, without their values", "SecretList"),
    send(MEMBER, (Method::Post, SECRETS), "createSecret", "Keep a secret", json("SecretCreate"), (200, "SecretView")),
    get(VIEWER, SECRET, "getSecret", "What is known of a secret: its versions, not their values", "SecretView"),
    send(MEMBER, (Method::Put, SECRET), "updateSecret", "A new version of a secret; the last ten are kept", json("SecretUpdate"), (200, "SecretView")),
    send(MEMBER, (Method::Delete, SECRET), "deleteSecret", "Remove a secret with all its versions, for good", None, (200, "Done")),
    asked(query::SECRET_VALUE, secret(get(MEMBER, SECRET_VALUE, "revealSecret", "A secret's value: the newest, or that of a version", "SecretValue"))),
    get(SIGNED_IN, SSH_KEYS, "listSshKeys", "The caller's own public keys", "SshKeyList"),
    send(SIGNED_IN, (Method::Post, SSH_KEYS), "addSshKey", "Tell the platform a public key of the caller", json("SshKeyCreate"), (200, "SshKeyView")),
    send(SIGNED_IN, (Method::Delete, SSH_KEY), "deleteSshKey", "Forget a public key of the caller", None, (200, "Done")),

    secret(Route { answer: Content::Media("application/octet-stream"), ..send(PLATFORM, (Method::Post, BACKUP), "backup", "The platform's state in one file, sealed under a passphrase", json("BackupRequest"), (200, "")) }),
    asked(query::PAGED, get(PLATFORM, USERS, "listUsers", "Everybody the platform knows, with all their roles", "MemberList")),
    secret(send(PLATFORM, (Method::Post, USERS), "inviteToPlatform", "Invite somebody to administer the platform", json("Invite"), (200, "InvitedView"))),
    send(PLATFORM, (Method::Delete, USER), "deleteUser", "Forget somebody: roles, logins, tokens, password", None, (200, "Done")),
    secret(send(PLATFORM, (Method::Post, USER_RESET), "offerReset", "A code with which somebody chooses a new password", None, (200, "ResetView"))),
    asked(query::PAGED, get(PLATFORM, USER_INVITATIONS, "listAllInvitations", "Every invitation that waits to be taken up", "InvitationList")),
    send(PLATFORM, (Method::Delete, USER_INVITATION), "withdrawAny", "Take back an invitation, by id, or all of an address", None, (200, "Done")),
    get(PLATFORM, KEYS, "listKeys", "The master keys that secrets are sealed under, and how many rows are under each", "KeyList"),
    send(PLATFORM, (Method::Post, KEYS_ROTATE), "rotateKey", "Make a new master key, unless one is taking over already, and wrap every secret anew in the background", None, (202, "KeyList")),
    get(PLATFORM, CERTS, "listCertificates", "Every certificate the platform keeps, when it ends, and how far the replacement of an authority is", "CertificateList"),
    send(PLATFORM, (Method::Post, CERTS_ROTATE), "rotateCertificates", "Begin to replace an authority, or join the replacement that runs", json("RotateCertificates"), (202, "RotationView")),
    get(SIGNED_IN, CA, "ca", "The authorities that clients check this API by", "CaView"),
    asked(query::AUDIT, get(PLATFORM, AUDIT, "listAudit", "Who did what, newest first", "AuditList")),
    asked(query::AUDIT_WITHIN, get(ORG_ADMIN, ORG_AUDIT, "listOrgAudit", "Who did what in the organisation and its projects, newest first", "AuditList")),
    asked(query::AUDIT_WITHIN, get(ADMIN, PROJECT_AUDIT, "listProjectAudit", "Who did what in the project, newest first", "AuditList")),
    asked(query::AUDIT_VERIFY, get(PLATFORM, AUDIT_VERIFY, "verifyAudit", "Whether the audit log is as it was written, and where it is not", "VerdictView")),
];

/// The row of a request; `path` is the pattern it was routed by.
pub fn row(method: &str, path: &str) -> Option<&'static Route> {
    // What answers a GET answers a HEAD.
    let method = if method == "HEAD" { "GET" } else { method };
    TABLE
        .iter()
        .find(|route| route.path == path && route.method.as_str() == method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped_and_cannot_leave_their_segment() {
        let path = fill(CLUSTER, &[("project", "default"), ("reference", "../../x?y#z %")]);
        assert_eq!(path, "/v1/projects/default/clusters/..%2F..%2Fx%3Fy%23z%20%25");
    }

    #[test]
    fn what_a_row_asks_for_can_be_found_in_its_path() {
        for route in TABLE {
            let named = match route.access {
                Access::Project(_) => route.path.contains("{project}"),
                Access::ClusterSeen => route.path.contains("{project}/clusters/{reference}"),
                Access::ClusterAdmin => {
                    route.path.contains("{project}/clusters/{reference}")
                        || route.path.contains("{project}/instances/{instance}")
                }
                Access::OrgSeen => route.path.contains("{org}"),
                Access::OrgAdmin => route.path.contains("{org}") || route.path.contains("{project}"),
                Access::Open => !route.path.contains("{"),
                // What is somebody's own is in no place.
                Access::SignedIn => !route.path.contains("{project}") && !route.path.contains("{org}"),
                Access::Platform => true,
            };
            assert!(named, "{} {}", route.method.as_str(), route.path);
        }
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
            [
                "login",
                "completeLogin",
                "refresh",
                "acceptInvitation",
                "changePassword",
                "resetPassword",
                "inviteToOrg",
                "inviteToProject",
                "createToken",
                "issueCredentials",
                "clusterToken",
                "sshInstance",
                "revealSecret",
                "backup",
                "inviteToPlatform",
                "offerReset"
            ]
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
