//! Tickets: tokens that open a tunnel to one instance and nothing else, for some minutes.

use types::{ClusterId, MachineId, NetworkId, Timestamp, tenant::Role};

use crate::{
    review::{Refusal, Snapshot, reaches},
    token::{self, Claims},
};

/// How long one is good. A tunnel that was opened in this time goes on after it.
pub const LIFE_S: i64 = 300;

/// What its holder must be in the instance's project: root on a node is power over everything that runs there.
pub const ROLE: Role = Role::ProjectAdmin;

pub fn audience(instance: &MachineId) -> String {
    format!("ssh:{instance}")
}

impl Snapshot {
    /// Whose ticket it is. The instance is of that cluster, which is in that network.
    pub fn ticket(
        &self,
        network: &NetworkId,
        cluster: &ClusterId,
        instance: &MachineId,
        ticket: &str,
        now: Timestamp,
    ) -> Result<Claims, Refusal> {
        let reach = self.reach(network, cluster)?;
        let own = audience(instance);
        let claims = token::verify(ticket, &self.keys, &self.issuer, &[&own], now).map_err(Refusal::Token)?;
        self.stands(&claims)?;
        if !reaches(&claims, reach) {
            return Err(Refusal::Reach);
        }
        if !claims.roles.iter().any(|role| *role >= ROLE) {
            return Err(Refusal::Role);
        }
        Ok(claims)
    }
}

#[cfg(test)]
#[path = "ticket_tests.rs"]
mod tests;
