//! What of the calls is in the audit log, over a fake platform. Needs nothing but the loopback interface.

use std::sync::Arc;

use api::{
    client::{AuditQuery, Client, ClientError, Select},
    cluster::ClusterCreate,
    network::NetworkCreate,
    routes::{self, Audited},
    spec::ClusterSpec,
};
use ports::{
    Vault,
    audit::{AuditFilter, Page},
    vault::{Sealed, SecretRef},
};
use server::fake::{Fake, PROJECT, TOKEN};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::watch,
};
use types::{
    Fault, Secret,
    access::Access,
    audit::{AuditRecord, Entry, Stage},
};

struct Site {
    fake: Fake,
    endpoint: String,
    client: Client,
    _stop: watch::Sender<bool>,
    _uploads: tempfile::TempDir,
}

async fn site(fake: Fake) -> Site {
    let uploads = tempfile::tempdir().unwrap();
    let (endpoint, stop) = fake.clone().serve(uploads.path().to_owned()).await;
    Site {
        fake,
        client: Client::new(&endpoint, Some(TOKEN.to_owned()), PROJECT).unwrap(),
        endpoint,
        _stop: stop,
        _uploads: uploads,
    }
}

impl Site {
    /// Oldest first.
    async fn log(&self) -> Vec<AuditRecord> {
        let filter = AuditFilter {
            page: Page::After(0),
            limit: 1000,
            ..AuditFilter::default()
        };
        self.fake.audit.list(&filter).await.unwrap()
    }

    async fn make_network(&self, name: &str) -> Result<String, ClientError> {
        let request = NetworkCreate {
            name: name.to_owned(),
            labels: None,
            cidr: "10.20.0.0/16".to_owned(),
        };
        Ok(self.client.create_network(&request).await?.network.id)
    }

    async fn make_cluster(&self, name: &str) -> String {
        let create = ClusterCreate {
            name: name.to_owned(),
            labels: None,
            spec: ClusterSpec {
                vpc: Some("lab".to_owned()),
                ..ClusterSpec::default()
            },
        };
        self.client.create_cluster(&create).await.unwrap().cluster.id
    }

    /// Head and body of the answer to a request written by hand.
    async fn raw(&self, method: &str, path: &str, headers: &str) -> String {
        let authority = self.endpoint.strip_prefix("http://").unwrap();
        let mut socket = TcpStream::connect(authority).await.unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\nContent-Length: 0\r\n{headers}\r\n"
        );
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await.unwrap();
        answer
    }
}

/// Stage, action, kind/name, status, code.
fn shown(record: &AuditRecord) -> String {
    let Entry {
        stage,
        action,
        object,
        status,
        code,
        ..
    } = &record.entry;
    let name = object.name.as_deref().unwrap_or("-");
    let outcome = status.map(|status| status.to_string()).unwrap_or_default();
    let code = code.as_deref().unwrap_or_default();
    let text = format!(
        "{} {action} {}/{name} {outcome} {code}",
        stage.as_str(),
        object.kind
    );
    text.trim_end().to_owned()
}

fn code(error: ClientError) -> String {
    match error {
        ClientError::Problem(problem) => problem.code,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_changes_something_is_recorded_before_and_after() {
    let site = site(Fake::default()).await;
    let id = site.make_network("lab").await.unwrap();
    assert_eq!(
        code(site.make_network("lab").await.unwrap_err()),
        "vpc-name-taken"
    );
    site.client.networks(&Select::default()).all().await.unwrap();
    site.client.delete_network("nope").await.unwrap_err();
    let log = site.log().await;
    assert_eq!(
        log.iter().map(shown).collect::<Vec<_>>(),
        [
            "begun createNetwork network/-",
            "ended createNetwork network/lab 202",
            "begun createNetwork network/-",
            "ended createNetwork network/- 409 vpc-name-taken",
            "begun deleteNetwork network/nope",
            "ended deleteNetwork network/nope 404 vpc-not-found",
        ],
        "reading is not there"
    );
    let Entry {
        actor,
        origin,
        project,
        object,
        change,
        request,
        ..
    } = &log[1].entry;
    assert_eq!(
        (actor.id.as_str(), actor.name.as_str()),
        ("user-0000000000000000", "admin@platform.local")
    );
    assert!(
        origin.address.starts_with("127.0.0.1:") && origin.agent.starts_with("cloud/"),
        "{origin:?}"
    );
    assert_eq!(object.id.as_ref(), Some(&id));
    assert!(
        project.as_ref().unwrap().starts_with("proj-"),
        "by id: {project:?}"
    );
    assert!(change.as_ref().unwrap().as_str().contains("10.20.0.0/16"));
    assert_eq!(log[0].entry.request, *request, "both records of a call");
    assert_ne!(log[2].entry.request, *request);
    let verdict = site.client.verify_audit(None).await.unwrap();
    assert_eq!((verdict.intact, verdict.records), (true, 6));
}

#[tokio::test]
async fn a_secret_read_is_recorded_and_the_secret_is_not() {
    let site = site(Fake::default()).await;
    site.make_network("lab").await.unwrap();
    let cluster = site.make_cluster("dev").await;
    let before = site.log().await.len();
    site.client.get_cluster("dev").await.unwrap();
    let kubeconfig = site.client.credentials("dev", "super-admin.conf").await.unwrap();
    let log = site.log().await;
    assert_eq!(
        log[before..].iter().map(shown).collect::<Vec<_>>(),
        [
            "begun issueCredentials cluster/dev",
            "ended issueCredentials cluster/dev 200"
        ]
    );
    assert_eq!(log[before - 1].entry.object.id, Some(cluster));
    let change = log[before + 1].entry.change.as_ref().unwrap();
    assert!(change.as_str().contains("super-admin.conf"), "{change:?}");
    let text = serde_json::to_string(&log).unwrap();
    for line in kubeconfig
        .expose_str()
        .unwrap()
        .lines()
        .filter(|line| line.contains("token"))
    {
        assert!(!text.contains(line.trim()), "{text}");
    }
    assert!(!text.contains(TOKEN), "{text}");
}

#[tokio::test]
async fn every_audited_route_records_also_those_who_are_nobody() {
    let site = site(Fake::default()).await;
    let mut expected = 0;
    for route in routes::TABLE.iter().filter(|route| route.access != Access::Open) {
        let path = routes::fill(
            route.path,
            &[("project", "default"), ("reference", "x"), ("id", "x")],
        );
        let answer = site.raw(route.method.as_str(), &path, "").await;
        assert!(answer.starts_with("HTTP/1.1 401"), "{path}: {answer}");
        let log = site.log().await;
        if route.audited == Audited::No {
            assert_eq!(log.len(), expected, "{path}");
            continue;
        }
        expected += 1;
        let record = log.last().expect("it is there");
        assert_eq!((log.len(), record.entry.action.as_str()), (expected, route.id));
        let Entry {
            stage,
            actor,
            status,
            code,
            ..
        } = &record.entry;
        assert_eq!(
            (*stage, actor.id.as_str(), *status, code.as_deref()),
            (Stage::Ended, "", Some(401), Some("token-missing"))
        );
        let header = format!("x-request-id: {}", record.entry.request);
        assert!(answer.contains(&header), "{header} in {answer}");
    }
    assert!(expected > 7, "{expected}");
}

#[tokio::test]
async fn what_a_caller_writes_into_the_log_is_bounded() {
    let site = site(Fake::default()).await;
    let path = format!("/v1/projects/default/networks/%1b%5b2J{}", "x".repeat(4000));
    let headers = format!("User-Agent: {}\r\n", "y".repeat(4000));
    site.raw("DELETE", &path, &headers).await;
    let record = &site.log().await[0];
    let size = serde_json::to_string(record).unwrap().len();
    assert!(size < 1500, "{size}");
    assert!(
        record
            .entry
            .object
            .name
            .as_ref()
            .unwrap()
            .starts_with("\u{fffd}[2Jxxx")
    );
    // A path that is no text is refused, and is no way around the log.
    site.raw("DELETE", "/v1/projects/default/networks/%ff", "").await;
    assert_eq!(site.log().await.len(), 2);
}

/// A disk that is full, a key service that is away: nothing is sealed, so nothing is written.
struct Mute;

impl Vault for Mute {
    fn seal(&self, _: &SecretRef, _: &Secret) -> Result<Sealed, Fault> {
        Err(Fault::unavailable("mute", "it does not answer", "wait"))
    }
    fn open(&self, _: &SecretRef, _: &Sealed) -> Result<Secret, Fault> {
        Err(Fault::unavailable("mute", "it does not answer", "wait"))
    }
}

#[tokio::test]
async fn what_cannot_be_recorded_is_not_done() {
    let mut fake = Fake::default();
    fake.audit.vault = Arc::new(Mute);
    let site = site(fake).await;
    assert_eq!(
        code(site.make_network("lab").await.unwrap_err()),
        "audit-unwritable"
    );
    assert!(
        site.client
            .networks(&Select::default())
            .all()
            .await
            .unwrap()
            .networks
            .is_empty()
    );
    assert_eq!(
        code(site.client.credentials("dev", "admin.conf").await.unwrap_err()),
        "audit-unwritable"
    );
}

#[tokio::test]
async fn a_caller_that_hangs_up_does_not_take_the_outcome_with_it() {
    let site = site(Fake::default()).await;
    site.make_network("lab").await.unwrap();
    site.make_cluster("dev").await;
    let before = site.log().await.len();
    let authority = site.endpoint.strip_prefix("http://").unwrap();
    let path = routes::fill(
        routes::CLUSTER_IMAGES,
        &[("project", "default"), ("reference", "dev")],
    );
    let mut socket = TcpStream::connect(authority).await.unwrap();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {authority}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 1000\r\n\r\nhalf"
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    let begun = async || site.log().await.len() == before + 1;
    while !begun().await {
        tokio::task::yield_now().await;
    }
    drop(socket);
    let ended = async || site.log().await.len() == before + 2;
    tokio::time::timeout(std::time::Duration::from_secs(20), async {
        while !ended().await {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("its outcome is recorded");
    assert_eq!(
        shown(site.log().await.last().unwrap()),
        "ended loadImages cluster/dev 400 upload-broken"
    );
}

#[tokio::test]
async fn the_log_is_listed_in_pages_and_by_filter() {
    let site = site(Fake::default()).await;
    for name in ["a", "b", "c"] {
        site.make_network(name).await.unwrap();
    }
    site.raw("DELETE", "/v1/projects/elsewhere/networks/x", "").await;
    let mut pages = site.client.audit(&AuditQuery::default());
    let first = pages.next(4).await.unwrap().unwrap();
    let numbers = |list: &api::audit::AuditList| -> Vec<u64> {
        list.records.iter().map(|record| record.sequence).collect()
    };
    assert_eq!(numbers(&first), [7, 6, 5, 4]);
    let second = pages.next(3).await.unwrap().unwrap();
    assert_eq!((numbers(&second), second.next), (vec![3, 2, 1], None));
    assert!(pages.next(3).await.unwrap().is_none());

    let by = async |query: AuditQuery| numbers(&site.client.audit(&query).all().await.unwrap());
    let all = AuditQuery::default;
    let actor = Some("unknown".to_owned());
    assert_eq!(by(AuditQuery { actor, ..all() }).await, [7]);
    // What a stranger says to be about the project is not seen there.
    let theirs = format!("/v1/projects/{}/networks/x", app::default_project());
    site.raw("DELETE", &theirs, "").await;
    let actor = Some("unknown".to_owned());
    assert_eq!(by(AuditQuery { actor, ..all() }).await, [8, 7]);
    let of_project = site.client.project_audit(&all()).all().await.unwrap();
    assert_eq!(numbers(&of_project), [6, 5, 4, 3, 2, 1]);
    let of_org = site.client.org_audit("default", &all()).all().await.unwrap();
    assert_eq!(numbers(&of_org), [6, 5, 4, 3, 2, 1]);
    let until = Some("2020-01-01T00:00:00Z".to_owned());
    assert_eq!(by(AuditQuery { until, ..all() }).await, [0; 0]);

    let bearer = format!("Authorization: Bearer {TOKEN}\r\n");
    for (query, code) in [
        ("?since=soon", "time-invalid"),
        ("?cursor=x", "cursor-invalid"),
        ("?limit=0", "limit-range"),
        ("?color=red", "query-unknown"),
        ("?project=elsewhere", "project-not-found"),
        (":verify?known=1:ff", "known-invalid"),
    ] {
        let answer = site.raw("GET", &format!("/v1/audit{query}"), &bearer).await;
        assert!(answer.contains(code), "{query}: {answer}");
    }
}

#[tokio::test]
async fn verify_tells_of_a_head_that_was_known_otherwise() {
    let site = site(Fake::default()).await;
    site.make_network("lab").await.unwrap();
    let head = site.client.verify_audit(None).await.unwrap().head;
    site.make_network("b").await.unwrap();
    assert!(site.client.verify_audit(Some(&head)).await.unwrap().intact);
    let other = format!("2:{}", "ab".repeat(32));
    let broken = site
        .client
        .verify_audit(Some(&other))
        .await
        .unwrap()
        .broken
        .unwrap();
    assert_eq!(broken.sequence, 2);
    let beyond = format!("9:{}", "ab".repeat(32));
    assert!(!site.client.verify_audit(Some(&beyond)).await.unwrap().intact);
}
