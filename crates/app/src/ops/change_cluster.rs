//! Changing a cluster that exists: which workers come and which go when its node groups are described anew.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::Ipv4Addr,
};

use ports::store::{Doc, Filter, Versioned, Write};
use types::{
    Cidr, Fault, Labels, Name, ProjectId,
    cluster::{Cluster, ClusterSpec, NodeGroup, Scale},
    machine::{Machine, Role},
    network::Network,
    operation::{Operation, OperationKind},
};

use super::{
    Called, Ops,
    accept::Decision,
    clusters::{leaving, subject},
};
use crate::{
    admission::{self, Demand},
    quota::{self, Usage},
    records, terms,
};

/// Labels mean nothing to the platform: no generation, no operation, nothing to wake.
fn relabelled(mut cluster: Versioned<Cluster>, labels: Labels) -> Decision<(Cluster, Option<Operation>)> {
    cluster.value.labels = labels;
    Decision::Write {
        writes: vec![Write::Put(Doc::new(&cluster.value, cluster.version))],
        answer: (cluster.value, None),
    }
}

/// A cluster as it would be after a change.
pub(super) struct Changed {
    pub cluster: Cluster,
    pub network: Versioned<Network>,
    pub coming: Vec<Machine>,
    pub going: Vec<Versioned<Machine>>,
}

impl Ops {
    pub(super) async fn change_cluster(
        &self,
        project: &ProjectId,
        called: &Called,
        spec: &ClusterSpec,
    ) -> Result<(Cluster, Option<Operation>), Fault> {
        let name = &called.name;
        self.accept(move || {
            Box::pin(async move {
                let current = records::find_own(&*self.world.store, project, name.as_str()).await?;
                let labels = called.new_labels(&current.value.labels);
                terms::expect(Some(&current.value))?;
                let Some(changed) = self.changed(project, &current.value, spec).await? else {
                    return Ok(match labels {
                        Some(labels) => relabelled(current, labels),
                        None => Decision::Answer((current.value, None)),
                    });
                };
                let Changed {
                    mut cluster,
                    mut network,
                    coming,
                    going,
                } = changed;
                if let Some(labels) = labels {
                    cluster.labels = labels;
                }
                network.value.generation += 1;
                let subject = subject(&cluster.id);
                let operation = self.operation(
                    project,
                    &subject,
                    name.as_str(),
                    OperationKind::Update,
                    cluster.generation,
                );
                let mut writes = vec![
                    Write::Put(Doc::new(&cluster, current.version)),
                    Write::Put(Doc::new(&network.value, network.version)),
                    Write::Put(Doc::new(&operation, 0)),
                    self.wake(&subject),
                ];
                writes.extend(coming.iter().map(|m| Write::Put(Doc::new(m, 0))));
                writes.extend(going.into_iter().map(leaving));
                Ok(Decision::Write {
                    writes,
                    answer: (cluster, Some(operation)),
                })
            })
        })
        .await
    }

    /// Nothing when the cluster is as described already; refused when what differs cannot be changed.
    pub(super) async fn changed(
        &self,
        project: &ProjectId,
        current: &Cluster,
        spec: &ClusterSpec,
    ) -> Result<Option<Changed>, Fault> {
        let wanted = self.comparable(project, current, spec).await?;
        if wanted == current.spec {
            return Ok(None);
        }
        fixed_fields(current, &wanted)?;
        let network = self.network(project, current.network.as_str()).await?;
        admission::check(&current.name, &wanted, network.value.cidr)?;
        let mut cluster = Cluster {
            scales: scales(current, &wanted),
            spec: wanted,
            generation: current.generation + 1,
            // Who describes it anew wants it.
            held: false,
            ..current.clone()
        };
        let (coming, going) = self.difference(&cluster, &network.value).await?;
        quota::check(&self.world, project, Usage::of(0, coming.iter())).await?;
        cluster.status.nodes_wanted = cluster.scales.values().map(|s| s.replicas).sum();
        Ok(Some(Changed {
            cluster,
            network,
            coming,
            going,
        }))
    }

    /// Which machines the groups lack, and which they have too many: the youngest go first.
    async fn difference(
        &self,
        cluster: &Cluster,
        network: &Network,
    ) -> Result<(Vec<Machine>, Vec<Versioned<Machine>>), Fault> {
        let everything = records::list::<Machine>(&*self.world.store, &Filter::default()).await?;
        let mut taken: BTreeSet<Ipv4Addr> = everything
            .iter()
            .filter(|m| m.value.network == network.id)
            .map(|m| m.value.address)
            .collect();
        let (mut ranges, mut present) = (BTreeSet::<Cidr>::new(), BTreeMap::<Name, Vec<_>>::new());
        for machine in everything.iter().filter(|m| m.value.cluster == cluster.id) {
            if let Role::Worker { group, pods } = &machine.value.role {
                ranges.insert(*pods);
                if !machine.value.deleting {
                    present.entry(group.clone()).or_default().push(machine.clone());
                }
            }
        }
        let (mut coming, mut going) = (Vec::new(), Vec::new());
        for (group, limits) in &cluster.spec.node_groups {
            let wanted = cluster.scales.get(group).map_or(0, |s| s.replicas) as usize;
            let mut here = present.remove(group).unwrap_or_default();
            here.sort_by_key(|m| (m.value.created, m.value.hostname.clone()));
            for _ in here.len()..wanted {
                coming.push(self.worker(cluster, network, group, limits, &mut ranges, &mut taken)?);
            }
            going.extend(here.into_iter().skip(wanted));
        }
        going.extend(present.into_values().flatten());
        if !coming.is_empty() {
            let machines: Vec<Machine> = everything.into_iter().map(|m| m.value).collect();
            let demand = Demand::of_machines(&coming, self.world.settings.memory_overcommit);
            let host = self.world.compute.capacity().await?;
            admission::capacity(host, &self.world.settings, &machines, demand)?;
        }
        Ok((coming, going))
    }
}

/// The size in force stays where the new limits allow it.
fn scales(current: &Cluster, wanted: &ClusterSpec) -> BTreeMap<Name, Scale> {
    let groups = wanted.node_groups.iter();
    groups
        .map(|(name, limits)| {
            let old = current.scales.get(name).copied();
            let replicas = old.map_or(0, |s| s.replicas).clamp(limits.min(), limits.max());
            let scale = match old {
                Some(old) if old.replicas == replicas => old,
                _ => Scale {
                    replicas,
                    generation: old.map_or(0, |s| s.generation) + 1,
                },
            };
            (name.clone(), scale)
        })
        .collect()
}

/// May be another in a cluster that exists: node groups come, go and have other limits, namespaces have another level.
const CHANGEABLE: [&str; 2] = ["nodeGroups", "podSecurity"];

/// Everything else of a cluster stays as it was made, in this release.
fn fixed_fields(current: &Cluster, wanted: &ClusterSpec) -> Result<(), Fault> {
    let refuse = |field: &str, remedy: &str| {
        Err(Fault::refused(
            "change-not-supported",
            format!(
                "{field} of the cluster '{}' cannot be changed in this release",
                current.name
            ),
            remedy.to_owned(),
        ))
    };
    for (name, group) in &wanted.node_groups {
        let same_shape = |old: &NodeGroup| {
            let limits = NodeGroup {
                min_replicas: group.min_replicas,
                max_replicas: group.max_replicas,
                ..old.clone()
            };
            limits == *group
        };
        if current
            .spec
            .node_groups
            .get(name)
            .is_some_and(|old| !same_shape(old))
        {
            return refuse(
                &format!("nodeGroups.{name}: more than minReplicas and maxReplicas"),
                "add a group of the new shape, and take this one out when its pods have moved",
            );
        }
    }
    let fields = |spec: &ClusterSpec| match serde_json::to_value(spec) {
        Ok(serde_json::Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let (old, new) = (fields(&current.spec), fields(wanted));
    let other = new
        .iter()
        .find(|(key, value)| !CHANGEABLE.contains(&key.as_str()) && old.get(*key) != Some(value));
    match other {
        Some((key, _)) => refuse(key, "describe it as it was made, or make another cluster"),
        None => Ok(()),
    }
}
