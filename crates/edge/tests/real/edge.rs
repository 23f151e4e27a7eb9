//! An edge process with namespaces for networks. All of it goes when it is dropped.

use std::{
    fs::File,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    os::fd::AsFd,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use edge::EdgeClient;
use ports::edge::{EdgeConfig, EdgeNetwork, RegistryClient, SniRoute};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use types::NetworkId;

pub const PLATFORM: Ipv4Addr = Ipv4Addr::new(10, 20, 0, 2);
pub const MACHINE: Ipv4Addr = Ipv4Addr::new(10, 20, 0, 10);
pub const STRANGER: Ipv4Addr = Ipv4Addr::new(10, 20, 0, 99);

const PATIENCE: Duration = Duration::from_secs(15);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

pub struct Edge {
    pub dir: tempfile::TempDir,
    pub config: EdgeConfig,
    pub client: EdgeClient,
    process: Child,
}

impl Edge {
    /// An edge without configuration, and one to push: two networks with the same addresses in them.
    pub async fn start() -> Self {
        assert!(
            rustix::process::geteuid().is_root(),
            "these tests make network namespaces and need root"
        );
        let dir = tempfile::tempdir().unwrap();
        let client = EdgeClient::new(dir.path().join("edge.sock"));
        let process = spawn(dir.path());
        let config = EdgeConfig {
            generation: 1,
            endpoint: SocketAddr::from(([127, 0, 0, 1], free_port())),
            routes: Vec::new(),
            networks: vec![network(dir.path()), network(dir.path())],
            bundle_cache: dir.path().join("bundles"),
            identity: None,
        };
        config
            .networks
            .iter()
            .for_each(|network| make_namespace(&network.namespace));
        let edge = Self {
            dir,
            config,
            client,
            process,
        };
        edge.answers().await;
        edge
    }

    /// Written out, as the future of an async closure cannot be sent to where the contract's suite runs it.
    async fn answers(&self) {
        let deadline = Instant::now() + PATIENCE;
        while self.client.report().await.is_err() {
            assert!(Instant::now() < deadline, "the edge does not answer");
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    pub fn route(&mut self, name: &str, network: usize, port: u16) {
        self.config.routes.push(SniRoute {
            server_name: name.to_owned(),
            network: self.config.networks[network].id.clone(),
            backend: std::net::SocketAddrV4::new(MACHINE, port),
        });
    }

    /// Writes the host's resolvers as the edge sees them.
    pub fn resolvers(&self, text: &str) {
        let (new, path) = (
            self.dir.path().join("resolv.conf.new"),
            self.dir.path().join("resolv.conf"),
        );
        std::fs::write(&new, text).unwrap();
        std::fs::rename(new, path).unwrap();
    }

    /// As a crash and its supervisor would have it.
    pub async fn kill_and_restart(&mut self) {
        self.kill();
        self.restart().await;
    }

    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub async fn restart(&mut self) {
        self.process = spawn(self.dir.path());
        self.answers().await;
    }
}

impl Drop for Edge {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if let Some(keys) = edge::keys_file(&self.dir.path().join("state")) {
            let _ = std::fs::remove_file(keys);
        }
        for network in &self.config.networks {
            remove_namespace(&network.namespace);
        }
    }
}

fn spawn(dir: &Path) -> Child {
    let mut edge = Command::new(env!("CARGO_BIN_EXE_cloud-edge"));
    edge.arg("--state")
        .arg(dir.join("state"))
        .arg("--socket")
        .arg(dir.join("edge.sock"))
        .arg("--resolv-conf")
        .arg(dir.join("resolv.conf"));
    edge.stdin(Stdio::null()).spawn().unwrap()
}

fn network(dir: &Path) -> EdgeNetwork {
    let id = NetworkId::generate();
    EdgeNetwork {
        namespace: PathBuf::from("/run/netns").join(format!("t-edge-{}", id.tail())),
        id,
        platform_address: PLATFORM,
        instances: Vec::new(),
        clients: vec![RegistryClient {
            address: MACHINE,
            bundle: format!("sha256:{}", "0".repeat(64)),
            images: dir.join("images"),
        }],
        serving: None,
    }
}

pub fn make_namespace(path: &Path) {
    let name = path.file_name().unwrap().to_str().unwrap();
    ip(&["netns", "add", name]);
    ip(&["-n", name, "link", "set", "lo", "up"]);
    for address in [PLATFORM, MACHINE, STRANGER] {
        ip(&["-n", name, "addr", "add", &format!("{address}/32"), "dev", "lo"]);
    }
}

pub fn remove_namespace(path: &Path) {
    let name = path.file_name().unwrap();
    let _ = Command::new("ip")
        .args(["netns", "del"])
        .arg(name)
        .stderr(Stdio::null())
        .status();
}

fn ip(arguments: &[&str]) {
    let output = Command::new("ip").args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "ip {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Runs something on a thread inside a namespace.
pub fn inside<T: Send>(namespace: &Path, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                let file = File::open(namespace).unwrap();
                move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
                work()
            })
            .join()
            .unwrap()
    })
}

pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds().await {
        assert!(Instant::now() < deadline, "{what} did not come about");
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}
