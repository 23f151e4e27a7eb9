//! Everything that is fixed when a cluster is accepted: its machines, addresses, ranges, names and what it is pinned to.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::Ipv4Addr,
};

use ports::{
    bundles::BundleRef,
    store::{Filter, Versioned},
};
use types::{
    Cidr, ClusterId, Fault, FaultKind, MachineId, Name, PortId, ProjectId, VolumeId,
    cluster::{Cluster, ClusterSpec, ClusterStatus, NodeGroup, Pins, Progress, Scale},
    machine::{Mac, Machine, Power, Role, Size},
    network::Network,
    status::{ClusterPhase, MachinePhase},
};

use super::{Called, Ops};
use crate::{
    admission::{self, Demand},
    allocate,
    quota::{self, Usage},
    records,
};

/// A cluster as it would be written.
pub(super) struct Draft {
    pub cluster: Cluster,
    pub machines: Vec<Machine>,
    pub network: Versioned<Network>,
}

/// Characters that tell workers of one group apart: enough that a replaced one never meets its predecessor's name.
const SUFFIX: usize = 5;

impl Ops {
    /// Checks everything and makes every choice; writes nothing.
    pub(super) async fn draft(
        &self,
        project: &ProjectId,
        id: &ClusterId,
        called: &Called,
        spec: &ClusterSpec,
    ) -> Result<Draft, Fault> {
        let name = &called.name;
        if spec.vpc.is_empty() {
            return Err(Fault::invalid(
                "vpc-missing",
                "no VPC is named",
                "name one with --vpc, or spec.vpc in a file",
            ));
        }
        let network = self.network(project, &spec.vpc).await?;
        if network.value.deleting {
            return Err(Fault::conflict(
                "vpc-deleting",
                format!("the VPC '{}' is being deleted", network.value.name),
                "use another VPC",
            ));
        }
        admission::check(name, spec, network.value.cidr)?;
        let version = self.world.bundles.resolve(spec.version).map_err(|fault| {
            // A version of the right form that is not to be had.
            let kind = match fault.kind {
                FaultKind::Invalid => FaultKind::Unfit,
                kind => kind,
            };
            Fault { kind, ..fault }.at("spec.version")
        })?;
        let bundle = self.world.bundles.find(version).await?;
        let neighbours = records::children::<Cluster>(&*self.world.store, network.value.id.as_str()).await?;
        let realms: BTreeSet<u32> = neighbours.iter().map(|c| c.value.realm).collect();
        let all: Vec<Machine> = records::list::<Machine>(&*self.world.store, &Filter::default())
            .await?
            .into_iter()
            .map(|m| m.value)
            .collect();
        // Before any machine is thought up: an absurd number is refused at once.
        let host = self.world.compute.capacity().await?;
        let demand = Demand::of_spec(spec, self.world.settings.memory_overcommit)?;
        admission::capacity(host, &self.world.settings, &all, demand)?;
        let cluster = self.cluster(
            project,
            id,
            called,
            spec,
            &network.value,
            &bundle,
            allocate::number(1, &realms),
        );
        let mut taken: BTreeSet<Ipv4Addr> = all
            .iter()
            .filter(|m| m.network == network.value.id)
            .map(|m| m.address)
            .collect();
        let machines = self.machines(&cluster, &network.value, &mut taken)?;
        quota::check(&self.world, project, Usage::of(1, machines.iter())).await?;
        Ok(Draft {
            cluster,
            machines,
            network,
        })
    }

    #[expect(clippy::too_many_arguments, reason = "a record of independent choices")]
    fn cluster(
        &self,
        project: &ProjectId,
        id: &ClusterId,
        called: &Called,
        spec: &ClusterSpec,
        network: &Network,
        bundle: &BundleRef,
        realm: u32,
    ) -> Cluster {
        let scales: BTreeMap<Name, Scale> = spec
            .node_groups
            .iter()
            .map(|(group, limits)| {
                (
                    group.clone(),
                    Scale {
                        replicas: limits.min(),
                        generation: 1,
                    },
                )
            })
            .collect();
        let workers = scales.values().map(|s| s.replicas).sum();
        let name = &called.name;
        Cluster {
            id: id.clone(),
            project: project.clone(),
            name: name.clone(),
            labels: called.first_labels(),
            network: network.id.clone(),
            spec: spec.clone(),
            scales,
            pins: Pins {
                version: bundle.version,
                bundle: bundle.digest.clone(),
                node_image: bundle.node_image.clone(),
                recipe: self.world.recipe.digest(),
            },
            generation: 1,
            realm,
            server_name: format!("{name}-{}.k8s.plasmacloud.internal", &id.tail()[..6]),
            deleting: false,
            held: false,
            status: ClusterStatus {
                phase: ClusterPhase::Provisioning,
                reason: "accepted".to_owned(),
                observed_generation: 0,
                conditions: Vec::new(),
                nodes_ready: 0,
                nodes_wanted: workers,
                progress: Progress::default(),
            },
            created: self.world.clock.now(),
        }
    }

    fn machines(
        &self,
        cluster: &Cluster,
        network: &Network,
        taken: &mut BTreeSet<Ipv4Addr>,
    ) -> Result<Vec<Machine>, Fault> {
        let plane = Role::ControlPlane {
            volume: VolumeId::generate(),
        };
        let size = engine_hosted::machine_size(&cluster.spec.control_plane);
        let hostname = format!("{}-plane", cluster.name);
        let mut machines = vec![self.machine(cluster, network, hostname, plane, None, size, taken)?];
        let mut ranges: BTreeSet<Cidr> = BTreeSet::new();
        for (group, limits) in &cluster.spec.node_groups {
            let replicas = cluster.scales.get(group).map_or(0, |scale| scale.replicas);
            for _ in 0..replicas {
                machines.push(self.worker(cluster, network, group, limits, &mut ranges, taken)?);
            }
        }
        Ok(machines)
    }

    pub(super) fn worker(
        &self,
        cluster: &Cluster,
        network: &Network,
        group: &Name,
        limits: &NodeGroup,
        ranges: &mut BTreeSet<Cidr>,
        taken: &mut BTreeSet<Ipv4Addr>,
    ) -> Result<Machine, Fault> {
        let pods = allocate::pod_range(cluster.spec.ranges.pods, ranges)?;
        ranges.insert(pods);
        let (size, instance_type) = admission::size_of(group, limits)?;
        let role = Role::Worker {
            group: group.clone(),
            pods,
        };
        let suffix = &MachineId::generate().tail()[..SUFFIX].to_owned();
        let hostname = format!("{}-{group}-{suffix}", cluster.name);
        self.machine(cluster, network, hostname, role, instance_type, size, taken)
    }

    #[expect(clippy::too_many_arguments, reason = "a record of independent choices")]
    fn machine(
        &self,
        cluster: &Cluster,
        network: &Network,
        hostname: String,
        role: Role,
        instance_type: Option<String>,
        size: Size,
        taken: &mut BTreeSet<Ipv4Addr>,
    ) -> Result<Machine, Fault> {
        let address = allocate::address(network, taken)?;
        taken.insert(address);
        let port = PortId::generate();
        Ok(Machine {
            id: MachineId::generate(),
            project: cluster.project.clone(),
            cluster: cluster.id.clone(),
            network: network.id.clone(),
            host: network.host.clone(),
            hostname,
            role,
            instance_type,
            size,
            mac: Mac::for_port(&port),
            port,
            address,
            power: Power::On,
            deleting: false,
            phase: MachinePhase::Pending,
            created: self.world.clock.now(),
        })
    }
}
