//! A network of its own: made, published, taken away.

use types::{PortId, network::Network, status::Observed};

use crate::{Action, Step};

pub struct NetworkDesired<'a> {
    pub network: &'a Network,
}

/// What is seen of a network: which generation is in force and which ports have their interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkSeen {
    pub generation: u64,
    pub ports: Vec<PortId>,
}

/// `published`: the edge serves what is stored now.
pub fn network(desired: &NetworkDesired<'_>, seen: &Observed<NetworkSeen>, published: bool) -> Vec<Step> {
    let network = desired.network;
    let mut steps = Vec::new();
    if network.deleting {
        let mut before = Vec::new();
        if !published {
            before.push("edge".to_owned());
            steps.push(Step::new(
                "edge",
                "withdraw the platform's services",
                Action::PublishEdge,
            ));
        }
        if !seen.is_absent() {
            let remove = Step::new(
                "network",
                "remove the network",
                Action::RemoveNetwork(network.id.clone()),
            );
            steps.push(remove.on(&network.host).after(&before));
            before.push("network".to_owned());
        }
        steps.push(Step::new("finish", "check that nothing is left", Action::FinishDelete).after(&before));
        return steps;
    }
    let mut before = Vec::new();
    match seen {
        Observed::Present(seen) if seen.generation >= network.generation => {}
        Observed::Unknown(_) => return steps,
        Observed::Present(_) | Observed::Absent => {
            let title = format!("make the network {}", network.cidr);
            steps.push(
                Step::new("network", title, Action::ApplyNetwork(network.id.clone())).on(&network.host),
            );
            before.push("network".to_owned());
        }
    }
    if !published {
        steps.push(Step::new("edge", "publish the platform's services", Action::PublishEdge).after(&before));
    }
    steps
}
