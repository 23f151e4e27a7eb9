//! An apiserver that asks the edge about a token: with the certificate its files have now, believing the roots in them.

use std::path::Path;

use iam::pki::Facts;
use types::{ClusterId, MachineId};

use super::world::State;
use crate::compute::Content;

const CLUSTER_URI: &str = "urn:plasmacloud:cluster:";

/// Counts as a visit where both sides believe one another.
pub(super) fn ask(state: &mut State, machine: &MachineId) {
    let Some((cluster, serial)) = let_in(state, machine).filter(|_| state.edge_runs) else {
        return;
    };
    let visits = state.visits.entry(cluster).or_default();
    visits.questions += 1;
    visits.open = [serial.clone()].into();
    visits.latest = serial;
}

fn let_in(state: &State, machine: &MachineId) -> Option<(ClusterId, String)> {
    let files = &state.machines.get(machine)?.desired.config.files;
    let text = |name: &str| {
        let path = format!("/etc/k8shost/{name}");
        let file = files.iter().find(|file| file.path == Path::new(&path))?;
        match &file.content {
            Content::Text(text) => Some(text.clone()),
            Content::Secret(_) | Content::HostFile(_) => None,
        }
    };
    let shown = Facts::all(&text("apiserver-client.crt")?).ok()?;
    let roots = Facts::all(&text("ca.crt")?).ok()?;
    let edge = state.edge.as_ref()?;
    let authorities = Facts::all(&edge.identity.as_ref()?.authorities).ok()?;
    let own = shown.first()?;
    let cluster: ClusterId = own.names.first()?.strip_prefix(CLUSTER_URI)?.parse().ok()?;
    let served = edge
        .networks
        .iter()
        .filter_map(|network| network.serving.as_ref());
    let believes = |chain: &str| {
        let above = Facts::all(chain).unwrap_or_default();
        let mut above = above.iter().skip(1);
        above.any(|authority| roots.iter().any(|root| root.subject == authority.issuer))
    };
    let is_known = authorities
        .iter()
        .any(|authority| authority.subject == own.issuer);
    let is_served = served.into_iter().any(|serving| believes(&serving.chain_pem));
    (is_known && is_served).then(|| (cluster, own.serial.clone()))
}
