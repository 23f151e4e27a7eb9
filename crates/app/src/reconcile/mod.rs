//! Keeping the world in agreement with what is stored: look, plan, do. One reconciler a kind of subject.

mod cluster;
mod departure;
mod events;
mod facts;
mod finish;
mod network;
mod node;
mod steps;

pub(crate) use cluster::{PlaneFiles, RENEW_BEFORE_S, plane_files};
pub(crate) use steps::{publish_edge, published};

use std::sync::Arc;

use async_trait::async_trait;
use plan::{Action, Step};
use ports::store::{Lease, LedgerEntry};
use types::{Fault, operation::SubjectKind};
use workflow::{Outcome, Pass, Reconciler};

use crate::World;

pub struct Reconcilers {
    world: Arc<World>,
}

impl Reconcilers {
    pub fn new(world: Arc<World>) -> Self {
        Self { world }
    }
}

#[async_trait]
impl Reconciler for Reconcilers {
    async fn plan(&self, lease: &Lease) -> Result<Pass, Fault> {
        match lease.subject.kind {
            SubjectKind::Cluster => cluster::plan(&self.world, lease).await,
            SubjectKind::Network => network::plan(&self.world, lease).await,
        }
    }

    async fn superseded(&self, lease: &Lease, pass: &Pass) -> bool {
        let generation = match lease.subject.kind {
            SubjectKind::Cluster => cluster::generation(&self.world, &lease.subject.id).await,
            SubjectKind::Network => network::generation(&self.world, &lease.subject.id).await,
        };
        // A store that does not answer is no reason to stop; the step's own write will tell.
        generation.is_ok_and(|current| current.is_some_and(|current| current > pass.generation))
    }

    fn ledger(&self, lease: &Lease, step: &Step) -> Vec<LedgerEntry> {
        let entry = |kind: &str, id: &str| {
            vec![LedgerEntry {
                subject: lease.subject.clone(),
                kind: kind.to_owned(),
                id: id.to_owned(),
            }]
        };
        match &step.action {
            Action::ApplyNetwork(id) => entry("network", id.as_str()),
            Action::MakeVolume(id) => entry("volume", id.as_str()),
            Action::StartMachine(id) => entry("machine", id.as_str()),
            Action::IssueKeys(id) => entry("keys", id.as_str()),
            Action::PublishEdge => entry("edge", &lease.subject.id),
            Action::RemoveNetwork(_)
            | Action::RemoveVolume(_)
            | Action::RemoveMachine(_)
            | Action::DrainNode(_)
            | Action::ForgetMachine(_)
            | Action::AwaitApi(_)
            | Action::InstallServices(_)
            | Action::AwaitTenancy(_)
            | Action::AdmitNode(_)
            | Action::ForgetKeys(_)
            | Action::FinishDelete => Vec::new(),
        }
    }

    async fn execute(&self, lease: &Lease, step: &Step) -> Result<Outcome, Fault> {
        steps::execute(&self.world, lease, step).await
    }

    async fn failed(&self, lease: &Lease, fault: &Fault, given_up: bool) -> Result<(), Fault> {
        match lease.subject.kind {
            SubjectKind::Cluster => events::cluster_failed(&self.world, lease, fault, given_up).await,
            SubjectKind::Network => events::network_failed(&self.world, lease, fault, given_up).await,
        }
    }
}
