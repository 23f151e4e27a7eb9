//! Networks: create, list, get, delete.

use std::collections::BTreeSet;

use ports::store::{Doc, Filter, Write};
use types::{
    Cidr, Fault, Name, NetworkId, ProjectId,
    cluster::Cluster,
    network::{HOST_ACCOUNT, LOCAL_HOST, Network, check_range},
    operation::{Operation, OperationKind, Subject, SubjectKind},
};

use super::{Ops, accept::Decision};
use crate::{allocate, records, terms};

pub(super) fn subject(id: &NetworkId) -> Subject {
    Subject {
        kind: SubjectKind::Network,
        id: id.to_string(),
    }
}

impl Ops {
    pub async fn create_network(
        &self,
        project: &ProjectId,
        name: Name,
        cidr: Cidr,
    ) -> Result<(Network, Operation), Fault> {
        check_range(cidr).map_err(|fault| fault.at("cidr"))?;
        let id = &NetworkId::generate();
        let name = &name;
        self.accept_once(move || {
            Box::pin(async move {
                let all = records::list::<Network>(&*self.world.store, &Filter::default()).await?;
                let uplinks: BTreeSet<u32> = all.iter().map(|n| n.value.uplink).collect();
                let network = Network {
                    id: id.clone(),
                    project: project.clone(),
                    account: HOST_ACCOUNT.to_owned(),
                    host: LOCAL_HOST.to_owned(),
                    name: name.clone(),
                    cidr,
                    generation: 1,
                    uplink: allocate::number(0, &uplinks),
                    deleting: false,
                    created: self.world.clock.now(),
                };
                let subject = subject(id);
                let operation = self.operation(project, &subject, name.as_str(), OperationKind::Create, 1);
                let writes = vec![
                    Write::Put(Doc::new(&network, 0)),
                    Write::Put(Doc::new(&operation, 0)),
                    self.wake(&subject),
                ];
                Ok(Decision::Write {
                    writes,
                    answer: (network, operation),
                })
            })
        })
        .await
    }

    pub async fn list_networks(&self, project: &ProjectId) -> Result<Vec<Network>, Fault> {
        let filter = Filter {
            scope: Some(project.to_string()),
            ..Filter::default()
        };
        let mut all: Vec<Network> = records::list::<Network>(&*self.world.store, &filter)
            .await?
            .into_iter()
            .map(|n| n.value)
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    pub async fn get_network(&self, project: &ProjectId, reference: &str) -> Result<Network, Fault> {
        Ok(self.network(project, reference).await?.value)
    }

    pub(super) async fn network(
        &self,
        project: &ProjectId,
        reference: &str,
    ) -> Result<ports::store::Versioned<Network>, Fault> {
        let found = records::find::<Network>(&*self.world.store, project, reference).await;
        found.map_err(|mut fault| {
            if fault.code == "network-not-found" {
                fault.code = "vpc-not-found".into();
                fault.cause = format!("there is no VPC '{reference}' in this project");
                fault.remedy =
                    "list them with 'cloud vpc list', or make one with 'cloud vpc create'".to_owned();
            }
            fault
        })
    }

    pub async fn delete_network(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault> {
        self.accept(move || {
            Box::pin(async move {
                let mut network = self.network(project, reference).await?;
                terms::expect(Some(&network.value))?;
                let users =
                    records::children::<Cluster>(&*self.world.store, network.value.id.as_str()).await?;
                if !users.is_empty() {
                    let names: Vec<&str> = users.iter().map(|c| c.value.name.as_str()).collect();
                    return Err(Fault::conflict(
                        "vpc-in-use",
                        format!(
                            "the VPC '{}' has clusters in it: {}",
                            network.value.name,
                            names.join(", ")
                        ),
                        "delete them first",
                    ));
                }
                let subject = subject(&network.value.id);
                if network.value.deleting
                    && let Some(running) = self.running_operation(&subject).await?
                {
                    return Ok(Decision::Answer(running));
                }
                network.value.deleting = true;
                network.value.generation += 1;
                let name = network.value.name.as_str();
                let generation = network.value.generation;
                let operation = self.operation(project, &subject, name, OperationKind::Delete, generation);
                let writes = vec![
                    Write::Put(Doc::new(&network.value, network.version)),
                    Write::Put(Doc::new(&operation, 0)),
                    self.wake(&subject),
                ];
                Ok(Decision::Write {
                    writes,
                    answer: operation,
                })
            })
        })
        .await
    }
}
