//! The driver keeps the port's contract on the real kernel.

use std::{collections::BTreeMap, fs, path::PathBuf, sync::Mutex};

use async_trait::async_trait;
use ports::{
    Network,
    conformance::network::{Bench, suite},
    network::{NetworkDesired, PortDesired},
    scan::{Found, FoundKind},
};
use prismnet::{NamespaceDriver, Options};
use types::{NetworkId, PortId};

use crate::world::{World, interfaces, ip, name_of};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keeps_the_contract() {
    suite(async || Host::new()).await;
}

struct Host {
    world: World,
    neighbour: World,
    machines: Mutex<BTreeMap<PortId, PathBuf>>,
}

impl Host {
    fn new() -> Self {
        Self {
            world: World::new(),
            neighbour: World::new(),
            machines: Mutex::default(),
        }
    }

    fn record(&self, network: &NetworkId) -> PathBuf {
        self.world.state().join(format!("{network}.json"))
    }

    fn planted(&self) -> String {
        format!("pc-{}-0000000000000000", self.world.instance)
    }
}

#[async_trait]
impl Bench for Host {
    type Subject = NamespaceDriver;

    fn driver(&self) -> NamespaceDriver {
        self.world.driver.clone()
    }

    fn restarted(&self) -> NamespaceDriver {
        self.world.restarted()
    }

    fn amnesiac(&self) -> NamespaceDriver {
        let elsewhere = self.world.state().join("elsewhere");
        NamespaceDriver::new(Options::new(self.world.instance.parse().unwrap(), elsewhere))
    }

    fn neighbour(&self) -> NamespaceDriver {
        self.neighbour.driver.clone()
    }

    /// Numbers of interfaces and handles of rules change when something is made anew.
    fn trace(&self, network: &NetworkId) -> String {
        let namespace = name_of(&self.world.driver.namespace(network));
        let links = interfaces(&namespace);
        let routes = ip(&format!("-n {namespace} route show table all"));
        let rules = ip(&format!("netns exec {namespace} nft -a list ruleset"));
        format!("{links:?}\n{routes}\n{rules}")
    }

    async fn occupy(&self, network: &NetworkDesired, port: &PortDesired) {
        let machine = self.world.machine(network, port);
        self.machines.lock().unwrap().insert(port.id.clone(), machine);
    }

    fn kill(&self, port: &PortId) {
        let machine = self.machines.lock().unwrap().remove(port);
        self.world.kill(&machine.unwrap());
    }

    /// The namespace and the first pair are there; nothing is addressed, nothing is noted as complete.
    async fn half_make(&self, network: &NetworkDesired) {
        let namespace = name_of(&self.world.driver.namespace(&network.id));
        let port = self.world.driver.interface(&network.ports[0].id);
        ip(&format!("netns add {namespace}"));
        ip(&format!(
            "link add {port} type veth peer name {port} netns {namespace}"
        ));
    }

    fn plant(&self) -> Found {
        ip(&format!("netns add {}", self.planted()));
        Found {
            what: FoundKind::Namespace,
            name: self.planted(),
            owner: "vpc-0000000000000000".to_owned(),
        }
    }

    fn unplant(&self) {
        ip(&format!("netns del {}", self.planted()));
    }

    /// The record of what is in force cannot be read.
    fn blind(&self, network: &NetworkId) {
        let record = self.record(network);
        fs::rename(&record, record.with_extension("aside")).unwrap();
        fs::create_dir(&record).unwrap();
    }

    fn restore(&self, network: &NetworkId) {
        let record = self.record(network);
        fs::remove_dir(&record).unwrap();
        fs::rename(record.with_extension("aside"), &record).unwrap();
    }
}
