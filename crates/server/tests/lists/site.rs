//! The real routes over a store of the test's own, which outlives a server.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use api::client::{Client, ClientError};
use ports::{
    Store,
    store::{Batch, Doc, Write},
};
use server::fake::{Fake, PROJECT, TOKEN, samples};
use store::SqliteStore;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
};
use types::{network::Network, status::ClusterPhase};

pub struct Site {
    pub endpoint: String,
    pub client: Client,
    pub books: Books,
    pub stop: watch::Sender<bool>,
    _uploads: tempfile::TempDir,
}

/// What a platform would write, with or without somebody serving it.
#[derive(Clone)]
pub struct Books(pub Arc<dyn Store>);

/// A life of a server over the store at `path`.
pub async fn start(path: &Path, listener: Option<TcpListener>) -> Site {
    let uploads = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(path).await.unwrap());
    let fake = Fake::default().over(store.clone());
    let listener = match listener {
        Some(listener) => listener,
        None => TcpListener::bind(("127.0.0.1", 0)).await.unwrap(),
    };
    let (endpoint, stop) = fake.serve_on(listener, uploads.path().to_owned()).await;
    let client = Client::new(&endpoint, Some(TOKEN.to_owned()), PROJECT).unwrap();
    Site {
        endpoint,
        client,
        books: Books(store),
        stop,
        _uploads: uploads,
    }
}

pub fn network(n: u64, name: &str, labels: &[(&str, &str)]) -> Network {
    let labels: BTreeMap<String, String> = labels
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    let network = samples::network(n, name.parse().unwrap(), "10.20.0.0/16".parse().unwrap());
    Network {
        labels: labels.try_into().unwrap(),
        ..network
    }
}

impl Books {
    pub async fn put(&self, network: &Network) {
        let known = self.0.get("network", network.id.as_str()).await.unwrap();
        let version = known.map_or(0, |doc| doc.version);
        let writes = vec![Write::Put(Doc::new(network, version))];
        self.0.commit(Batch { fence: None, writes }).await.unwrap();
    }

    pub async fn remove(&self, network: &Network) {
        let (kind, id) = ("network", network.id.to_string());
        let writes = vec![Write::Delete { kind, id }];
        self.0.commit(Batch { fence: None, writes }).await.unwrap();
    }

    /// So many clusters, every third of them running, every fifth in production.
    pub async fn clusters(&self, count: u64) {
        let network = network(1, "lab", &[]);
        let mut writes = Vec::new();
        for n in 0..count {
            let name = format!("c-{n:05}").parse().unwrap();
            let mut cluster = samples::cluster(n, name, &network, Default::default());
            if n.is_multiple_of(3) {
                cluster.status.phase = ClusterPhase::Running;
            }
            let env = if n.is_multiple_of(5) { "prod" } else { "test" };
            let labels = BTreeMap::from([("env".to_owned(), env.to_owned())]);
            cluster.labels = labels.try_into().unwrap();
            writes.push(Write::Put(Doc::new(&cluster, 0)));
        }
        self.0.commit(Batch { fence: None, writes }).await.unwrap();
    }
}

impl Site {
    /// Status and body of a GET in the project.
    pub async fn get(&self, path: &str, headers: &str) -> (u16, String) {
        let authority = self.endpoint.strip_prefix("http://").unwrap();
        let mut socket = TcpStream::connect(authority).await.unwrap();
        let request = format!(
            "GET /v1/projects/{PROJECT}/{path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\
             Authorization: Bearer {TOKEN}\r\n{headers}\r\n"
        );
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }
}

pub fn problem(error: ClientError) -> (u16, String) {
    match error {
        ClientError::Problem(problem) => (problem.status, problem.code),
        other => panic!("{other:?}"),
    }
}
