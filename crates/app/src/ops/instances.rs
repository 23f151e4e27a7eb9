//! Instances: the machines a tenant may see.

use types::{Fault, ProjectId, machine::Machine};

use super::Ops;
use crate::records;

impl Ops {
    pub async fn list_instances(&self, project: &ProjectId) -> Result<Vec<Machine>, Fault> {
        let all = records::within::<Machine>(&*self.world.store, project.as_str()).await?;
        let mut visible: Vec<Machine> = all
            .into_iter()
            .map(|m| m.value)
            .filter(Machine::is_worker)
            .collect();
        visible.sort_by(|a, b| a.hostname.cmp(&b.hostname));
        Ok(visible)
    }

    /// By id, or by a host name that only one instance of the project has.
    pub async fn get_instance(&self, project: &ProjectId, reference: &str) -> Result<Machine, Fault> {
        let all = self.list_instances(project).await?;
        let mut named = all
            .into_iter()
            .filter(|m| m.id.as_str() == reference || m.hostname == reference);
        let first = named
            .next()
            .ok_or_else(|| Fault::not_found("instance", reference))?;
        if named.next().is_some() {
            return Err(Fault::conflict(
                "instance-ambiguous",
                format!("several instances are called '{reference}'"),
                "name it by its id; 'cloud instance list -o wide' shows them",
            ));
        }
        Ok(first)
    }
}
