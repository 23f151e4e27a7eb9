//! The routes over a fake platform, through the real client and by hand. Needs nothing but the loopback interface.

use std::{sync::Arc, time::Duration};

use api::{
    client::{Client, ClientError, Select},
    cluster::{ClusterApply, ClusterCreate},
    network::NetworkCreate,
    operation::OperationStateView,
    plan::{ChangeView, PlanRequest},
    routes::{self, Method},
    spec::{ClusterSpec, NodeGroup},
    tenant::{ServiceAccountCreate, TokenCreate},
};
use server::{
    fake::{Fake, PROJECT, TOKEN},
    guard::Seats,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::watch,
};
use types::access::Access;

struct Site {
    endpoint: String,
    client: Client,
    stop: watch::Sender<bool>,
    _uploads: tempfile::TempDir,
}

async fn site() -> Site {
    site_of(Fake::default()).await
}

async fn site_of(fake: Fake) -> Site {
    let uploads = tempfile::tempdir().unwrap();
    let (endpoint, stop) = fake.serve(uploads.path().to_owned()).await;
    let client = Client::new(&endpoint, Some(TOKEN.to_owned()), PROJECT).unwrap();
    Site {
        endpoint,
        client,
        stop,
        _uploads: uploads,
    }
}

/// Status, content type and body of a request written by hand.
async fn raw(endpoint: &str, method: &str, path: &str, headers: &str, body: &str) -> (u16, String, String) {
    let authority = endpoint.strip_prefix("http://").unwrap();
    let mut socket = TcpStream::connect(authority).await.unwrap();
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let media_type = head
        .lines()
        .find_map(|line| line.strip_prefix("content-type: "))
        .unwrap_or("")
        .to_owned();
    (status, media_type, body.to_owned())
}

fn bearer() -> String {
    format!("Authorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n")
}

fn spec(vpc: &str, workers: u32) -> ClusterSpec {
    let group = NodeGroup {
        min_replicas: Some(workers),
        max_replicas: Some(workers),
        ..NodeGroup::default()
    };
    ClusterSpec {
        vpc: Some(vpc.to_owned()),
        node_groups: [("default".to_owned(), group)].into(),
        ..ClusterSpec::default()
    }
}

async fn make_network(client: &Client, name: &str) {
    let request = NetworkCreate {
        name: name.to_owned(),
        labels: None,
        cidr: "10.20.0.0/16".to_owned(),
    };
    client.create_network(&request).await.unwrap();
}

fn problem(error: ClientError) -> (u16, String) {
    match error {
        ClientError::Problem(problem) => (problem.status, problem.code),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_route_of_the_table_is_there_and_guarded() {
    let site = site().await;
    for route in routes::TABLE {
        let path = routes::fill(
            route.path,
            &[
                ("project", PROJECT),
                ("org", "default"),
                ("member", "x"),
                ("reference", "x"),
                ("id", "x"),
            ],
        );
        let (status, media_type, body) = raw(&site.endpoint, route.method.as_str(), &path, "", "").await;
        if route.access == Access::Open {
            // Without a body what is sent is wrong; it is not asked who sends it.
            let expected = if route.request.is_some() { 400 } else { 200 };
            assert_eq!(status, expected, "{path}");
        } else {
            assert_eq!(
                (status, media_type.as_str()),
                (401, "application/problem+json"),
                "{path}: {body}"
            );
            let wrong = "Authorization: Bearer wrong\r\n";
            assert_eq!(
                raw(&site.endpoint, route.method.as_str(), &path, wrong, "")
                    .await
                    .0,
                401,
                "{path}"
            );
        }
        if route.method == Method::Get && route.path == routes::METRICS {
            assert_eq!(raw(&site.endpoint, "GET", &path, &bearer(), "").await.0, 200);
        }
    }
    let (status, media_type, _) = raw(&site.endpoint, "GET", "/v1/nothing", &bearer(), "").await;
    assert_eq!((status, media_type.as_str()), (404, "application/problem+json"));
    let (status, media_type, _) = raw(&site.endpoint, "PATCH", routes::BUNDLES, &bearer(), "").await;
    assert_eq!((status, media_type.as_str()), (405, "application/problem+json"));
}

#[tokio::test]
async fn the_served_document_is_the_one_checked_in() {
    let site = site().await;
    let (_, _, body) = raw(&site.endpoint, "GET", routes::OPENAPI, "", "").await;
    assert_eq!(body, include_str!("../../api/openapi.json"));
}

#[tokio::test]
async fn bad_bodies_are_problems_that_name_what_is_wrong() {
    let site = site().await;
    let path = routes::fill(routes::CLUSTERS, &[("project", PROJECT)]);
    let too_large = format!(r#"{{"name":"{}"}}"#, "x".repeat(300 * 1024));
    for (body, code, word) in [
        (r#"{"name":"a","spec":{"wrokers":1}}"#, "body-invalid", "wrokers"),
        (r#"{"name":"a","spec":{},"nmae":1}"#, "body-invalid", "nmae"),
        (
            r#"{"name":"a","spec":{"nodeGroups":{"g":{"minReplicas":-1}}}}"#,
            "body-invalid",
            "spec.nodeGroups.g.minReplicas",
        ),
        (r#"{"name":"#, "body-invalid", "EOF"),
        (r#"{"name":"A","spec":{"vpc":"v"}}"#, "name-invalid", "'A'"),
        (too_large.as_str(), "body-too-large", "larger"),
    ] {
        let (status, media_type, answer) = raw(&site.endpoint, "POST", &path, &bearer(), body).await;
        assert_eq!(
            (status, media_type.as_str()),
            (400, "application/problem+json"),
            "{answer}"
        );
        assert!(
            answer.contains(&format!("\"code\":\"{code}\"")) && answer.contains(word),
            "{answer}"
        );
    }
    let token_only = format!("Authorization: Bearer {TOKEN}\r\n");
    let (_, _, answer) = raw(&site.endpoint, "POST", &path, &token_only, "{}").await;
    assert!(answer.contains("body-media-type"), "{answer}");
}

#[tokio::test]
async fn a_cluster_from_create_to_delete() {
    let Site { client, .. } = &site().await;
    make_network(client, "lab").await;
    let create = ClusterCreate {
        name: "dev".to_owned(),
        labels: None,
        spec: spec("lab", 2),
    };
    let question = PlanRequest {
        name: "dev".to_owned(),
        labels: None,
        spec: spec("lab", 2),
    };
    assert_eq!(
        client.plan_cluster(&question).await.unwrap().changes,
        ChangeView::Create
    );

    let accepted = client.create_cluster(&create).await.unwrap();
    let id = accepted.operation.unwrap().id;
    let mut watch = client.watch_operation(&id).await.unwrap();
    let mut last = None;
    while let Some(now) = watch.next().await.unwrap() {
        last = Some(now);
    }
    let last = last.unwrap();
    assert_eq!((last.state, last.steps.len()), (OperationStateView::Succeeded, 3));

    assert_eq!(
        problem(client.create_cluster(&create).await.unwrap_err()),
        (409, "cluster-name-taken".to_owned())
    );
    let by_id = client.get_cluster(&accepted.cluster.id).await.unwrap();
    assert_eq!((by_id.cluster.name.as_str(), by_id.instances.len()), ("dev", 2));
    let same = client
        .apply_cluster(
            "dev",
            &ClusterApply {
                labels: None,
                spec: by_id.cluster.spec,
            },
        )
        .await
        .unwrap();
    assert!(
        same.operation.is_none(),
        "what is shown, applied again, changes nothing"
    );

    let kubeconfig = client.kubeconfig("dev").await.unwrap();
    assert!(kubeconfig.expose_str().unwrap().contains("tls-server-name"));
    let deleted = client.delete_cluster("dev").await.unwrap();
    let mut watch = client.watch_operation(&deleted.operation.id).await.unwrap();
    while watch.next().await.unwrap().is_some() {}
    assert_eq!(problem(client.get_cluster("dev").await.unwrap_err()).0, 404);
}

#[tokio::test]
async fn an_archive_arrives_whole_and_leaves_nothing_behind() {
    let site = site().await;
    make_network(&site.client, "lab").await;
    let create = ClusterCreate {
        name: "dev".to_owned(),
        labels: None,
        spec: spec("lab", 0),
    };
    site.client.create_cluster(&create).await.unwrap();
    let archive = tempfile::NamedTempFile::new().unwrap();
    archive.as_file().set_len(3_000_000).unwrap();
    let loaded = site.client.load_images("dev", archive.path()).await.unwrap();
    assert_eq!(loaded.images, ["docker.io/library/app:3000000"]);
    assert_eq!(site.client.list_images("dev").await.unwrap(), loaded);
    assert_eq!(std::fs::read_dir(site._uploads.path()).unwrap().count(), 0);
    assert_eq!(
        problem(site.client.load_images("nope", archive.path()).await.unwrap_err()).0,
        404
    );
    let empty = tempfile::NamedTempFile::new().unwrap();
    let refused = site.client.load_images("dev", empty.path()).await.unwrap_err();
    assert_eq!(problem(refused), (400, "archive-empty".to_owned()));
}

/// One that does not end.
async fn begun(client: &Client) -> String {
    make_network(client, "lab").await;
    let create = ClusterCreate {
        name: "stuck".to_owned(),
        labels: None,
        spec: spec("lab", 0),
    };
    let created = client.create_cluster(&create).await.unwrap();
    created.operation.unwrap().id
}

#[tokio::test]
async fn a_watch_ends_with_its_callers_right_to_it() {
    let mut fake = Fake::default();
    fake.seats = Arc::new(Seats::new(2, Duration::from_millis(50)));
    let site = site_of(fake).await;
    let operation = begun(&site.client).await;
    let account = ServiceAccountCreate {
        name: "ci".to_owned(),
        role: None,
    };
    site.client.create_service_account(&account).await.unwrap();
    let wanted = TokenCreate {
        service_account: account.name,
        ttl_seconds: None,
    };
    let token = site.client.create_token(&wanted).await.unwrap();
    let guest = Client::new(&site.endpoint, Some(token.token), PROJECT).unwrap();
    let mut operations = guest.watch_operation(&operation).await.unwrap();
    let mut networks = guest.watch_networks(&Select::default(), None).await.unwrap();
    assert!(operations.next().await.unwrap().is_some());
    networks.next().await.unwrap();
    let third = guest.watch_operation(&operation).await.unwrap_err();
    assert_eq!(problem(third), (429, "too-many-watches".to_owned()));
    // Whoever has a right to it goes on through many looks at that.
    let mut own = site.client.watch_operation(&operation).await.unwrap();
    assert!(own.next().await.unwrap().is_some());
    site.client.revoke_token(&token.id).await.unwrap();
    let ended = async {
        while operations.next().await.unwrap().is_some() {}
        while networks.next().await.is_ok() {}
    };
    tokio::time::timeout(Duration::from_secs(10), ended)
        .await
        .unwrap();
    let waited = tokio::time::timeout(Duration::from_millis(300), own.next()).await;
    assert!(waited.is_err(), "{waited:?}");
}

#[tokio::test]
async fn stopping_ends_watches_at_once() {
    let site = site().await;
    let operation = begun(&site.client).await;
    let mut watch = site.client.watch_operation(&operation).await.unwrap();
    assert!(watch.next().await.unwrap().is_some());
    site.stop.send_replace(true);
    while watch.next().await.unwrap().is_some() {}
}

#[tokio::test]
async fn events_are_filtered_and_bounded() {
    let Site { client, endpoint, .. } = &site().await;
    make_network(client, "lab").await;
    client
        .create_cluster(&ClusterCreate {
            name: "dev".to_owned(),
            labels: None,
            spec: spec("lab", 0),
        })
        .await
        .unwrap();
    assert_eq!(
        client.events(Some("dev")).first(10).await.unwrap().events.len(),
        1
    );
    assert_eq!(
        client.events(Some("other")).first(10).await.unwrap().events.len(),
        0
    );
    assert_eq!(
        problem(client.events(None).next(0).await.unwrap_err()).1,
        "limit-range"
    );
    let path = routes::fill(routes::EVENTS, &[("project", PROJECT)]) + "?colour=red";
    let (status, _, body) = raw(endpoint, "GET", &path, &bearer(), "").await;
    assert!(status == 400 && body.contains("query-unknown"), "{body}");
}
