//! Networks: create, apply, get, delete.

use std::collections::BTreeSet;

use ports::store::{Doc, Filter, Versioned, Write};
use types::{
    Cidr, Fault, Name, NetworkId, ProjectId,
    cluster::Cluster,
    network::{HOST_ACCOUNT, LOCAL_HOST, Network, check_range},
    operation::{Operation, OperationKind, Subject, SubjectKind},
};

use super::{Called, Ops, accept::Decision};
use crate::{allocate, records, terms};

pub(super) fn subject(id: &NetworkId) -> Subject {
    Subject {
        kind: SubjectKind::Network,
        id: id.to_string(),
    }
}

/// No operation where there is nothing to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkApplied {
    pub network: Network,
    pub operation: Option<Operation>,
}

impl Ops {
    pub async fn create_network(
        &self,
        project: &ProjectId,
        called: Called,
        cidr: Cidr,
    ) -> Result<(Network, Operation), Fault> {
        check_range(cidr).map_err(|fault| fault.at("cidr"))?;
        let id = &NetworkId::generate();
        let called = &called;
        let name = &called.name;
        self.accept_once(move || {
            Box::pin(async move {
                let all = records::list::<Network>(&*self.world.store, &Filter::default()).await?;
                let mut other = all.iter().map(|n| &n.value);
                terms::expect(other.find(|n| n.project == *project && n.name == *name))?;
                let uplinks: BTreeSet<u32> = all.iter().map(|n| n.value.uplink).collect();
                let network = Network {
                    id: id.clone(),
                    project: project.clone(),
                    account: HOST_ACCOUNT.to_owned(),
                    host: LOCAL_HOST.to_owned(),
                    name: name.clone(),
                    labels: called.first_labels(),
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

    async fn network_named(
        &self,
        project: &ProjectId,
        name: &Name,
    ) -> Result<Option<Versioned<Network>>, Fault> {
        records::named(&*self.world.store, project.as_str(), name.as_str()).await
    }

    /// Makes what is not there, and gives what is there its labels. A range is for life.
    pub async fn apply_network(
        &self,
        project: &ProjectId,
        called: Called,
        cidr: Cidr,
    ) -> Result<NetworkApplied, Fault> {
        let called = &called;
        let present = self.network_named(project, &called.name).await?;
        if present.is_none() {
            let (network, operation) = self.create_network(project, called.clone(), cidr).await?;
            let operation = Some(operation);
            return Ok(NetworkApplied { network, operation });
        }
        self.accept(move || {
            Box::pin(async move {
                let found = self.network_named(project, &called.name).await?;
                let mut network = found.ok_or_else(|| Fault::not_found("vpc", called.name.as_str()))?;
                terms::expect(Some(&network.value))?;
                if network.value.cidr != cidr {
                    return Err(Fault::refused(
                        "vpc-range-fixed",
                        format!(
                            "the VPC '{}' has the range {}, and {cidr} was asked for",
                            called.name, network.value.cidr
                        ),
                        "a VPC's range cannot be changed: make a VPC of another name, or delete this one first",
                    ));
                }
                let operation = None;
                let Some(labels) = called.new_labels(&network.value.labels) else {
                    let network = network.value;
                    return Ok(Decision::Answer(NetworkApplied { network, operation }));
                };
                network.value.labels = labels;
                Ok(Decision::Write {
                    writes: vec![Write::Put(Doc::new(&network.value, network.version))],
                    answer: NetworkApplied {
                        network: network.value,
                        operation,
                    },
                })
            })
        })
        .await
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
