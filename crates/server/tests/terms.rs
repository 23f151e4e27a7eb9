//! `Idempotency-Key`, `ETag`, `If-Match` and `If-None-Match` over HTTP, and a client that makes nothing twice. Needs
//! nothing but the loopback interface.

use api::{
    client::{Client, ClientError, Condition},
    cluster::ClusterApply,
    network::NetworkCreate,
    routes::{self, Method},
    spec::ClusterSpec,
    tenant::{OrgCreate, QuotaView},
    terms::Repeat,
};
use server::fake::{Fake, PROJECT, TOKEN};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
};

struct Site {
    endpoint: String,
    client: Client,
    _stop: watch::Sender<bool>,
    _uploads: tempfile::TempDir,
}

async fn site() -> Site {
    let uploads = tempfile::tempdir().unwrap();
    let (endpoint, stop) = Fake::default().serve(uploads.path().to_owned()).await;
    let client = Client::new(&endpoint, Some(TOKEN.to_owned()), PROJECT).unwrap();
    Site {
        endpoint,
        client,
        _stop: stop,
        _uploads: uploads,
    }
}

#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .filter(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
            .next()
    }
}

async fn ask(site: &Site, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let authority = site.endpoint.strip_prefix("http://").unwrap();
    let mut socket = TcpStream::connect(authority).await.unwrap();
    let more: String = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\nAuthorization: Bearer {TOKEN}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n{more}\r\n{body}",
        body.len()
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    Answer {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}

fn has_code(answer: &Answer, status: u16, code: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert!(
        answer.body.contains(&format!("\"code\":\"{code}\"")),
        "{answer:?}"
    );
}

#[tokio::test]
async fn the_same_call_with_the_same_key_is_answered_alike() {
    let site = site().await;
    let key = ("Idempotency-Key", "3f0c-1");
    let first = ask(&site, "POST", routes::ORGS, &[key], r#"{"name":"acme"}"#).await;
    assert_eq!((first.status, first.header("idempotency-replayed")), (200, None));
    let again = ask(&site, "POST", routes::ORGS, &[key], r#"{"name":"acme"}"#).await;
    assert_eq!(
        (again.status, again.header("idempotency-replayed")),
        (200, Some("true"))
    );
    assert_eq!(again.body, first.body);
    let other = ask(&site, "POST", routes::ORGS, &[key], r#"{"name":"other"}"#).await;
    has_code(&other, 422, "idempotency-key-reused");
    let taken = ask(&site, "POST", routes::ORGS, &[], r#"{"name":"acme"}"#).await;
    has_code(&taken, 409, "name-taken");
}

#[tokio::test]
async fn fifty_identical_calls_make_one_organisation() {
    let site = site().await;
    let calls = (0..50).map(|_| {
        ask(
            &site,
            "POST",
            routes::ORGS,
            &[("Idempotency-Key", "many")],
            r#"{"name":"acme"}"#,
        )
    });
    let answers = futures::future::join_all(calls).await;
    let bodies: std::collections::BTreeSet<&str> = answers.iter().map(|a| a.body.as_str()).collect();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    assert_eq!(
        answers
            .iter()
            .filter(|a| a.header("idempotency-replayed").is_none())
            .count(),
        1
    );
    let orgs = site.client.list_orgs().await.unwrap().orgs;
    assert_eq!(orgs.iter().filter(|org| org.name == "acme").count(), 1);
}

/// No header is taken and ignored.
#[tokio::test]
async fn what_a_route_cannot_honour_it_refuses() {
    let site = site().await;
    for route in routes::TABLE.iter().filter(|route| route.method == Method::Post) {
        let path = routes::fill(
            route.path,
            &[
                ("project", PROJECT),
                ("org", "default"),
                ("reference", "x"),
                ("id", "x"),
            ],
        );
        let key = [("Idempotency-Key", "k")];
        let answer = ask(&site, "POST", &path, &key, "").await;
        let refused = answer.body.contains("idempotency-key-unsupported");
        assert_eq!(
            refused,
            route.repeat() == Repeat::Again,
            "{}: {answer:?}",
            route.id
        );
        let answer = ask(&site, "POST", &path, &[("If-Match", "\"a\"")], "").await;
        has_code(&answer, 400, "precondition-unsupported");
    }
    let long = "k".repeat(256);
    for bad in ["", "a b", long.as_str()] {
        let answer = ask(&site, "POST", routes::ORGS, &[("Idempotency-Key", bad)], "{}").await;
        has_code(&answer, 400, "idempotency-key-invalid");
    }
    let twice = [("Idempotency-Key", "a"), ("Idempotency-Key", "b")];
    has_code(
        &ask(&site, "POST", routes::ORGS, &twice, "{}").await,
        400,
        "header-invalid",
    );
}

#[tokio::test]
async fn a_reader_who_has_it_already_gets_no_body() {
    let site = site().await;
    for path in [
        "/v1/orgs/default",
        "/v1/projects/default",
        "/v1/projects/default/quota",
    ] {
        let first = ask(&site, "GET", path, &[], "").await;
        let tag = first.header("etag").unwrap_or_else(|| panic!("{first:?}"));
        let again = ask(&site, "GET", path, &[("If-None-Match", tag)], "").await;
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{path}");
        assert_eq!(again.header("etag"), Some(tag), "{path}");
        let head = ask(&site, "HEAD", path, &[], "").await;
        assert_eq!((head.status, head.header("etag")), (200, Some(tag)), "{path}");
        let other = ask(&site, "GET", path, &[("If-None-Match", "\"x\", W/\"y\"")], "").await;
        assert_eq!((other.status, other.body), (200, first.body), "{path}");
        has_code(
            &ask(&site, "GET", path, &[("If-None-Match", "x")], "").await,
            400,
            "etag-invalid",
        );
    }
}

#[tokio::test]
async fn an_edit_of_what_somebody_else_changed_is_refused() {
    let site = site().await;
    let path = "/v1/projects/default/quota";
    let (_, read) = site.client.usage_now().await.unwrap();
    let quota = |clusters| QuotaView {
        clusters: Some(clusters),
        ..QuotaView::default()
    };
    let condition = Condition::As(read.clone());
    site.client.set_quota_if(&quota(3), &condition).await.unwrap();
    let late = site.client.set_quota_if(&quota(5), &condition).await.unwrap_err();
    let ClientError::Problem(problem) = late else {
        panic!("{late}")
    };
    assert_eq!(
        (problem.status, problem.code.as_str()),
        (412, "precondition-failed")
    );
    let answer = ask(&site, "PUT", path, &[("If-Match", &read.0)], "{}").await;
    has_code(&answer, 412, "precondition-failed");
    // What it is now comes with the refusal, and is good for the next attempt.
    let now = answer.header("etag").unwrap();
    assert_eq!(
        ask(&site, "PUT", path, &[("If-Match", now)], r#"{"clusters":5}"#)
            .await
            .status,
        200
    );
    assert_eq!(
        ask(&site, "PUT", path, &[("If-Match", "*")], "{}").await.status,
        200
    );
    has_code(
        &ask(&site, "PUT", path, &[("If-Match", "now")], "{}").await,
        400,
        "etag-invalid",
    );
    has_code(
        &ask(&site, "PUT", path, &[("If-None-Match", "*")], "{}").await,
        400,
        "precondition-unsupported",
    );
}

#[tokio::test]
async fn a_cluster_is_made_only_if_it_is_not_there_and_changed_only_as_it_was_read() {
    let Site { client, .. } = &site().await;
    client
        .create_network(&NetworkCreate {
            labels: None,
            name: "lab".to_owned(),
            cidr: "10.20.0.0/16".to_owned(),
        })
        .await
        .unwrap();
    let apply = |version: &str| ClusterApply {
        labels: None,
        spec: ClusterSpec {
            vpc: Some("lab".to_owned()),
            version: Some(version.to_owned()),
            ..ClusterSpec::default()
        },
    };
    assert_eq!(client.cluster_tag("dev").await.unwrap(), None);
    let absent = Condition::of(None);
    client
        .apply_cluster_if("dev", &apply("v1.36"), &absent)
        .await
        .unwrap();
    let status = |error: ClientError| match error {
        ClientError::Problem(problem) => problem.status,
        other => panic!("{other}"),
    };
    let made = client.apply_cluster_if("dev", &apply("v1.36.4"), &absent).await;
    assert_eq!(status(made.unwrap_err()), 412);
    let read = Condition::of(client.cluster_tag("dev").await.unwrap());
    client
        .apply_cluster_if("dev", &apply("v1.36.4"), &read)
        .await
        .unwrap();
    let late = client.apply_cluster_if("dev", &apply("v1.36"), &read).await;
    assert_eq!(status(late.unwrap_err()), 412);
}

#[tokio::test]
async fn all_that_is_wrong_with_a_request_is_told_at_once() {
    let site = site().await;
    let create = r#"{"name":"A","spec":{"vpc":"lab","engine":"magic","nodeGroups":{"g":{"ephemeralStorage":"much"}}}}"#;
    let path = routes::fill(routes::CLUSTERS, &[("project", PROJECT)]);
    let answer = ask(&site, "POST", &path, &[], create).await;
    has_code(&answer, 400, "fields-invalid");
    let problem: api::Problem = serde_json::from_str(&answer.body).unwrap();
    let fields: Vec<&str> = problem.errors.iter().map(|error| error.field.as_str()).collect();
    assert_eq!(
        fields,
        ["name", "spec.engine", "spec.nodeGroups.g.ephemeralStorage"]
    );
    assert!(problem.errors.iter().all(|error| !error.remedy.is_empty()));
}

/// Hands every connection on to the platform, and cuts the first ones after the request was sent and before the answer
/// is back.
async fn cutting(to: String, cuts: usize) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        for number in 0.. {
            let (mut near, _) = listener.accept().await.unwrap();
            let mut far = TcpStream::connect(&to).await.unwrap();
            let mut request = vec![0; 64 * 1024];
            let read = near.read(&mut request).await.unwrap();
            far.write_all(&request[..read]).await.unwrap();
            let mut answer = vec![0; 64 * 1024];
            let read = far.read(&mut answer).await.unwrap();
            if number >= cuts {
                near.write_all(&answer[..read]).await.unwrap();
            }
        }
    });
    format!("http://{address}")
}

#[tokio::test]
async fn a_client_whose_answer_is_lost_asks_again_and_makes_one_thing() {
    let site = site().await;
    let to = site.endpoint.strip_prefix("http://").unwrap().to_owned();
    let through = cutting(to, 2).await;
    let client = Client::new(&through, Some(TOKEN.to_owned()), PROJECT).unwrap();
    let request = OrgCreate {
        name: "acme".to_owned(),
        max_projects: None,
        quota: None,
    };
    let made = client.create_org(&request).await.unwrap();
    assert_eq!(site.client.get_org("acme").await.unwrap().id, made.id);
    // A key of one's own: the command run again has the first answer, and another command does not.
    let own = || site.client.clone().with_idempotency_key("run-7".to_owned());
    let org = |name: &str| OrgCreate {
        name: name.to_owned(),
        max_projects: None,
        quota: None,
    };
    let first = own().create_org(&org("umbrella")).await.unwrap();
    assert_eq!(own().create_org(&org("umbrella")).await.unwrap(), first);
    assert!(own().create_org(&org("other")).await.is_err());
    let two = own();
    two.create_org(&org("umbrella")).await.unwrap();
    two.create_org(&org("second")).await.unwrap();
    // What is not made by a key fails as before: nobody knows whether it was carried out.
    let cut = cutting(site.endpoint.strip_prefix("http://").unwrap().to_owned(), 1).await;
    let client = Client::new(&cut, Some(TOKEN.to_owned()), PROJECT).unwrap();
    let question = api::plan::PlanRequest {
        labels: None,
        name: "dev".to_owned(),
        spec: ClusterSpec::default(),
    };
    let lost = client.plan_cluster(&question).await;
    assert!(matches!(lost, Err(ClientError::Lost { .. })));
}
