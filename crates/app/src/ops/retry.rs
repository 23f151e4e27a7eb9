//! Second thoughts about a creation: stopping it where it is, and taking it up again.

use ports::store::{Doc, Versioned, Write};
use types::{
    Fault, OperationId, ProjectId,
    cluster::Cluster,
    operation::{Operation, OperationKind, OperationState, SubjectKind},
    status::ClusterPhase,
};

use super::{Ops, accept::Decision, clusters::subject};
use crate::records;

impl Ops {
    /// The step that is under way is the last; whoever works on the cluster then ends the operation. What was made stays
    /// as it is until it is retried or deleted.
    pub async fn cancel_operation(&self, project: &ProjectId, id: &OperationId) -> Result<Operation, Fault> {
        self.accept(move || {
            Box::pin(async move {
                let store = &*self.world.store;
                let found = records::get::<Operation>(store, id.as_str()).await?;
                let own = found.filter(|o| o.value.project == *project);
                let operation = own
                    .ok_or_else(|| Fault::not_found("operation", id.as_str()))?
                    .value;
                if operation.state == OperationState::Cancelled {
                    return Ok(Decision::Answer(operation));
                }
                cancellable(&operation)?;
                let cluster = records::get::<Cluster>(store, &operation.subject.id).await?;
                let mut cluster =
                    cluster.ok_or_else(|| Fault::not_found("cluster", &operation.subject.id))?;
                // Its last step was done in the moment before; only its operation does not say so yet.
                if cluster.value.status.progress.settled_once {
                    return Err(over(&operation));
                }
                cluster.value.held = true;
                cluster.value.generation += 1;
                Ok(Decision::Write {
                    writes: vec![
                        Write::Put(Doc::new(&cluster.value, cluster.version)),
                        self.wake(&operation.subject),
                    ],
                    answer: operation,
                })
            })
        })
        .await
    }

    /// Takes up a creation that failed or was cancelled; the answer is the operation that is under way when there is one.
    pub async fn retry_cluster(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault> {
        self.accept_once(move || {
            Box::pin(async move {
                let cluster = records::find_own(&*self.world.store, project, reference).await?;
                self.again(cluster).await
            })
        })
        .await
    }

    async fn again(&self, mut cluster: Versioned<Cluster>) -> Result<Decision<Operation>, Fault> {
        let value = &mut cluster.value;
        let subject = subject(&value.id);
        if !value.deleting
            && !value.held
            && let Some(running) = self.running_operation(&subject).await?
        {
            return Ok(Decision::Answer(running));
        }
        if value.deleting || !(value.held || value.status.phase == ClusterPhase::Failed) {
            return Err(Fault::refused(
                "nothing-to-retry",
                format!("the cluster '{}' is {}", value.name, value.status.phase.as_str()),
                "retry is for a creation that failed or was cancelled",
            ));
        }
        value.held = false;
        value.generation += 1;
        value.status.phase = ClusterPhase::Provisioning;
        value.status.reason = "taken up again".to_owned();
        let operation = self.operation(
            &value.project,
            &subject,
            value.name.as_str(),
            OperationKind::Create,
            value.generation,
        );
        Ok(Decision::Write {
            writes: vec![
                Write::Put(Doc::new(value, cluster.version)),
                Write::Put(Doc::new(&operation, 0)),
                self.wake(&subject),
            ],
            answer: operation,
        })
    }
}

fn cancellable(operation: &Operation) -> Result<(), Fault> {
    if operation.state.is_final() {
        return Err(over(operation));
    }
    match (operation.subject.kind, operation.kind) {
        (SubjectKind::Cluster, OperationKind::Create) => Ok(()),
        (SubjectKind::Cluster | SubjectKind::Network, _) => Err(Fault::refused(
            "operation-not-cancellable",
            "only the creation of a cluster can be cancelled",
            "let it end, and undo it then",
        )),
    }
}

fn over(operation: &Operation) -> Fault {
    Fault::conflict(
        "operation-over",
        format!("the operation {} has ended already", operation.id),
        "see its end with `cloud operation get`",
    )
}
