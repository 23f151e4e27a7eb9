//! What is refused before anything is touched: a configuration that contradicts itself.

use std::collections::HashSet;

use ports::edge::EdgeConfig;

use crate::error::Error;

pub(crate) fn check(config: &EdgeConfig) -> Result<(), Error> {
    let mut networks = HashSet::new();
    for network in &config.networks {
        if !networks.insert(&network.id) {
            return Err(Error::Twice {
                what: format!("network {}", network.id),
            });
        }
    }
    let mut names = HashSet::new();
    for route in &config.routes {
        if !networks.contains(&route.network) {
            return Err(Error::UnknownNetwork {
                server_name: route.server_name.clone(),
                network: route.network.clone(),
            });
        }
        if !names.insert(route.server_name.to_ascii_lowercase()) {
            return Err(Error::Twice {
                what: format!("the name {}", route.server_name),
            });
        }
    }
    Ok(())
}
