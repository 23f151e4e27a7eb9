//! One platform instance for one test: a driver, networks, machines. All of it goes when the world is dropped.

use std::{
    collections::BTreeMap,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use ports::{
    Network,
    network::{NetworkDesired, PortDesired},
};
use prismnet::{NamespaceDriver, Options};
use types::{NetworkId, PortId, machine::Mac};

pub struct World {
    pub instance: String,
    pub driver: NamespaceDriver,
    state: tempfile::TempDir,
    networks: AtomicU32,
    namespaces: Mutex<Vec<String>>,
    made: AtomicU32,
}

impl World {
    pub fn new() -> Self {
        assert!(
            rustix::process::geteuid().is_root(),
            "these tests make network namespaces and need root"
        );
        let state = tempfile::tempdir().unwrap();
        let instance = PortId::generate().tail()[..6].to_owned();
        let driver = NamespaceDriver::new(Options::new(instance.parse().unwrap(), state.path()));
        Self {
            instance,
            driver,
            state,
            networks: AtomicU32::default(),
            namespaces: Mutex::default(),
            made: AtomicU32::default(),
        }
    }

    /// The same instance after a restart of the platform.
    pub fn restarted(&self) -> NamespaceDriver {
        NamespaceDriver::new(Options::new(self.instance.parse().unwrap(), self.state.path()))
    }

    pub fn state(&self) -> &Path {
        self.state.path()
    }

    pub fn network(&self, cidr: &str, addresses: &[&str]) -> NetworkDesired {
        let cidr: types::Cidr = cidr.parse().unwrap();
        NetworkDesired {
            id: NetworkId::generate(),
            generation: 1,
            cidr,
            gateway: cidr.nth(1).unwrap(),
            platform_address: cidr.nth(2).unwrap(),
            uplink: self.networks.fetch_add(1, Ordering::Relaxed),
            ports: addresses.iter().map(|address| port(address, 0, &[])).collect(),
        }
    }

    pub fn namespace(&self, network: &NetworkDesired) -> PathBuf {
        self.driver.namespace(&network.id)
    }

    /// A namespace of the test itself.
    pub fn bare_namespace(&self) -> PathBuf {
        let name = format!(
            "t-{}-{}",
            self.instance,
            self.made.fetch_add(1, Ordering::Relaxed)
        );
        ip(&format!("netns add {name}"));
        self.namespaces.lock().unwrap().push(name.clone());
        PathBuf::from("/run/netns").join(name)
    }

    /// A namespace outside, linked to the host, with an address of a range kept for tests (198.18.0.0/15).
    pub fn outside(&self, address: Ipv4Addr) -> PathBuf {
        let namespace = self.bare_namespace();
        let (name, link) = (name_of(&namespace), format!("o{}", self.instance));
        let host = Ipv4Addr::from(u32::from(address) - 1);
        for command in [
            format!("link add {link} type veth peer name eth0 netns {name}"),
            format!("addr add {host}/30 dev {link}"),
            format!("link set {link} up"),
            format!("-n {name} addr add {address}/30 dev eth0"),
            format!("-n {name} link set eth0 up"),
            format!("-n {name} route add default via {host}"),
        ] {
            ip(&command);
        }
        namespace
    }

    /// Does what a machine driver does: moves the port's interface in as eth0 and addresses it.
    pub fn machine(&self, network: &NetworkDesired, port: &PortDesired) -> PathBuf {
        let namespace = self.bare_namespace();
        let name = name_of(&namespace);
        ip(&format!(
            "link set dev {} netns {name} name eth0",
            self.driver.interface(&port.id)
        ));
        for command in [
            "link set dev lo up".to_owned(),
            format!("addr add {}/{} dev eth0", port.address, network.cidr.prefix_len()),
            "link set dev eth0 up".to_owned(),
            format!("route add default via {}", network.gateway),
        ] {
            ip(&format!("-n {name} {command}"));
        }
        namespace
    }

    /// The machine's process dies, and its namespace with it.
    pub fn kill(&self, machine: &Path) {
        ip(&format!("netns del {}", name_of(machine)));
        self.namespaces
            .lock()
            .unwrap()
            .retain(|name| *name != name_of(machine));
    }

    /// Packets counted by a named counter of the network's firewall.
    pub fn counter(&self, network: &NetworkDesired, counter: &str) -> u64 {
        let namespace = name_of(&self.namespace(network));
        let text = ip(&format!(
            "netns exec {namespace} nft -j list counter inet prismnet {counter}"
        ));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        value["nftables"][1]["counter"]["packets"].as_u64().unwrap()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let driver = self.restarted();
        let cleaned = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                for found in driver.scan().await.unwrap() {
                    if let Ok(network) = found.owner.parse() {
                        driver.remove(&network).await.unwrap();
                    }
                }
                driver.scan().await.unwrap()
            })
        })
        .join();
        for name in self.namespaces.lock().unwrap().iter() {
            let _ = Command::new("ip")
                .args(["netns", "del", name])
                .stderr(Stdio::null())
                .status();
        }
        if !std::thread::panicking() {
            assert_eq!(cleaned.unwrap(), [], "something was left behind");
        }
    }
}

pub fn port(address: &str, realm: u32, routes: &[&str]) -> PortDesired {
    let id = PortId::generate();
    PortDesired {
        mac: Mac::for_port(&id),
        id,
        address: address.parse().unwrap(),
        routes: routes.iter().map(|range| range.parse().unwrap()).collect(),
        realm,
    }
}

pub fn name_of(namespace: &Path) -> String {
    namespace.file_name().unwrap().to_string_lossy().into_owned()
}

/// Names and numbers of the interfaces in a namespace; a number changes when an interface is made anew.
pub fn interfaces(namespace: &str) -> BTreeMap<String, u64> {
    let shown: serde_json::Value =
        serde_json::from_str(&ip(&format!("-n {namespace} -j link show"))).unwrap();
    let links = shown.as_array().unwrap().iter();
    links
        .map(|link| {
            (
                link["ifname"].as_str().unwrap().to_owned(),
                link["ifindex"].as_u64().unwrap(),
            )
        })
        .collect()
}

pub fn ip(arguments: &str) -> String {
    let output = Command::new("ip").args(arguments.split(' ')).output().unwrap();
    assert!(
        output.status.success(),
        "ip {arguments}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Gives a machine a further address, as a pod on it would have.
pub fn pod(machine: &Path, address: Ipv4Addr) {
    ip(&format!("-n {} addr add {address}/32 dev lo", name_of(machine)));
}

/// Waits for a condition, for a bounded time.
pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(10);
    while !holds().await {
        assert!(
            tokio::time::Instant::now() < deadline,
            "{what} did not come about"
        );
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}
