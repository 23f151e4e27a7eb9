//! What a page of a long list costs: 100 of 10,000 clusters, over the real routes, SQLite and loopback, with 32 clients that
//! ask for one page after the other; against the same HTTP server answering a constant of the same size.
//!
//! `cargo bench -p server --bench list`. Every client is a service account of its own, as the limit of requests is for each;
//! that limit is raised, for it would be what is measured. Clients and server share the machine's cores. Each figure is
//! taken three times and the middle one counts.

use std::{
    net::SocketAddr,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use api::{
    client::Client,
    routes,
    tenant::{ServiceAccountCreate, TokenCreate},
};
use axum::{Router, routing::get};
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::{Request, StatusCode, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use ports::{
    Store,
    store::{Batch, Doc, Write},
};
use server::{
    fake::{Fake, PROJECT, TOKEN, samples},
    limits::Rate,
};
use store::SqliteStore;
use tokio::{
    net::{TcpListener, TcpStream},
    runtime::Builder,
    sync::oneshot,
};
use types::{
    cluster::{ClusterSpec, NodeGroup},
    status::{ClusterPhase, Condition, ConditionKind},
};

const CLUSTERS: u64 = 10_000;
const PAGE: u32 = 100;
const CLIENTS: usize = 32;
const LASTS: Duration = Duration::from_secs(5);
const BAR_MS: f64 = 50.0;

/// As a cluster that runs looks in the books.
async fn fill(store: &dyn Store) {
    let network = samples::network(1, "lab".parse().unwrap(), "10.20.0.0/16".parse().unwrap());
    let group = NodeGroup {
        instance_type: Some("u1.medium".to_owned()),
        ..NodeGroup::of_fixed_size(2)
    };
    let spec = ClusterSpec {
        vpc: "lab".to_owned(),
        node_groups: [("default".parse().unwrap(), group)].into(),
        ..ClusterSpec::default()
    };
    let kinds = [
        ConditionKind::ControlPlaneReady,
        ConditionKind::WorkersReady,
        ConditionKind::EndpointPublished,
        ConditionKind::CertificatesValid,
        ConditionKind::DataPresent,
    ];
    let numbers: Vec<u64> = (0..CLUSTERS).collect();
    for some in numbers.chunks(1000) {
        let mut writes = Vec::new();
        for n in some {
            let name = format!("cluster-{n:05}").parse().unwrap();
            let mut cluster = samples::cluster(*n, name, &network, spec.clone());
            cluster.status.phase = ClusterPhase::Running;
            cluster.status.conditions = kinds
                .map(|kind| Condition {
                    kind,
                    holds: true,
                    reason: "Healthy".to_owned(),
                    message: "all of it answers".to_owned(),
                    since: samples::NOW,
                })
                .into();
            let labels = [("env", "prod"), ("team", "shop")].map(|(k, v)| (k.to_owned(), v.to_owned()));
            cluster.labels = std::collections::BTreeMap::from(labels).try_into().unwrap();
            writes.push(Write::Put(Doc::new(&cluster, 0)));
        }
        store.commit(Batch { fence: None, writes }).await.unwrap();
    }
}

/// The platform's server on threads of its own.
fn platform(dir: &std::path::Path) -> String {
    let (tell, told) = oneshot::channel();
    let (path, uploads) = (dir.join("platform.db"), dir.to_owned());
    thread::spawn(move || {
        let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let store = Arc::new(SqliteStore::open(path).await.unwrap());
            fill(&*store).await;
            let mut fake = Fake::default().over(store);
            fake.rate = Rate {
                burst: 1e9,
                per_second: 1e9,
            };
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let (endpoint, stop) = fake.serve_on(listener, uploads).await;
            tell.send(endpoint).unwrap();
            stop.closed().await;
        });
    });
    told.blocking_recv().unwrap()
}

async fn constant(body: Bytes) -> SocketAddr {
    let (tell, told) = oneshot::channel();
    thread::spawn(move || {
        let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let answer = move || async move { ([(header::CONTENT_TYPE, "application/json")], body) };
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            tell.send(listener.local_addr().unwrap()).unwrap();
            axum::serve(listener, Router::new().fallback(get(answer)))
                .await
                .unwrap();
        });
    });
    told.await.unwrap()
}

type Connection = http1::SendRequest<Empty<Bytes>>;

async fn connect(address: &str) -> Connection {
    let stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

async fn ask(connection: &mut Connection, path: &str, token: &str) -> Bytes {
    let request = Request::get(path)
        .header(header::HOST, "localhost")
        .header(header::AUTHORIZATION, format!("Bearer {token}"))
        .body(Empty::new())
        .unwrap();
    connection.ready().await.unwrap();
    let answer = connection.send_request(request).await.unwrap();
    let status = answer.status();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(status, StatusCode::OK, "{}", String::from_utf8_lossy(&body));
    body
}

/// The cursor at the end of a page.
fn next(body: &[u8]) -> Option<String> {
    let tail = std::str::from_utf8(&body[body.len().saturating_sub(400)..]).ok()?;
    let (_, cursor) = tail.rsplit_once("\"next\":\"")?;
    Some(cursor.split('"').next()?.to_owned())
}

/// Every client busy: how long each answer took.
async fn busy(address: &str, path: &str, tokens: &[String]) -> (f64, Vec<Duration>) {
    let began = Instant::now();
    let mut tasks = Vec::new();
    for (number, token) in tokens.iter().cloned().enumerate() {
        let (address, path) = (address.to_owned(), path.to_owned());
        tasks.push(tokio::spawn(async move {
            let mut connection = connect(&address).await;
            let mut times = Vec::new();
            let mut cursor: Option<String> = None;
            // Each begins somewhere else in the list.
            for _ in 0..number {
                let at = cursor
                    .as_ref()
                    .map_or_else(String::new, |c| format!("&cursor={c}"));
                cursor = next(&ask(&mut connection, &format!("{path}{at}"), &token).await);
            }
            while began.elapsed() < LASTS {
                let at = cursor
                    .as_ref()
                    .map_or_else(String::new, |c| format!("&cursor={c}"));
                let asked = Instant::now();
                let body = ask(&mut connection, &format!("{path}{at}"), &token).await;
                times.push(asked.elapsed());
                cursor = next(&body);
            }
            times
        }));
    }
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.unwrap());
    }
    times.sort_unstable();
    (times.len() as f64 / LASTS.as_secs_f64(), times)
}

fn at(times: &[Duration], part: f64) -> f64 {
    times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1000.0
}

async fn measure(title: &str, address: &str, path: &str, tokens: &[String]) -> f64 {
    let mut slow = Vec::new();
    for _ in 0..3 {
        let (rate, times) = busy(address, path, tokens).await;
        let (p50, p99, most) = (at(&times, 0.5), at(&times, 0.99), at(&times, 1.0));
        println!("{title}: {rate:.0}/s, p50 {p50:.1} ms, p99 {p99:.1} ms, most {most:.1} ms");
        slow.push(p99);
    }
    slow.sort_by(f64::total_cmp);
    slow[1]
}

async fn account(root: &Client, number: usize) -> String {
    let name = format!("reader-{number}");
    let request = ServiceAccountCreate {
        name: name.clone(),
        role: Some("project_viewer".to_owned()),
    };
    root.create_service_account(&request).await.unwrap();
    let request = TokenCreate {
        service_account: name,
        ttl_seconds: None,
    };
    root.create_token(&request).await.unwrap().token
}

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = platform(dir.path());
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let root = Client::new(&endpoint, Some(TOKEN.to_owned()), PROJECT).unwrap();
        let mut tokens = Vec::new();
        for number in 0..CLIENTS {
            tokens.push(account(&root, number).await);
        }
        let address = endpoint.strip_prefix("http://").unwrap();
        let path = routes::fill(routes::CLUSTERS, &[("project", PROJECT)]);
        let page = format!("{path}?limit={PAGE}");
        let mut one = connect(address).await;
        let body = ask(&mut one, &page, &tokens[0]).await;
        println!(
            "{CLIENTS} clients, {PAGE} of {CLUSTERS} clusters a page, {} KiB an answer",
            body.len() / 1024
        );
        let alone = Instant::now();
        for _ in 0..20 {
            ask(&mut one, &page, &tokens[0]).await;
        }
        println!("alone: {:.1} ms", alone.elapsed().as_secs_f64() * 1000.0 / 20.0);
        let constant = constant(body).await.to_string();
        measure("a constant", &constant, "/?x=1", &tokens).await;
        let slow = measure("a page", address, &page, &tokens).await;
        let few = format!("{path}?limit=1");
        measure("a page of one", address, &few, &tokens).await;
        assert!(slow < BAR_MS, "a page in a hundred takes {BAR_MS} ms or more");
    });
}
