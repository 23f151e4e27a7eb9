//! Operations: what was asked for, how it goes.

use futures::{StreamExt, stream::BoxStream};
use ports::store::{Entity, Filter};
use types::{
    Fault, OperationId, ProjectId,
    cluster::Cluster,
    operation::{Operation, OperationState, Subject},
    status::ClusterPhase,
};

use super::Ops;
use crate::records;

/// How many of what there are, for metrics.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Census {
    pub clusters: Vec<(ClusterPhase, u64)>,
    pub operations: Vec<(OperationState, u64)>,
}

impl Ops {
    pub async fn get_operation(&self, project: &ProjectId, id: &OperationId) -> Result<Operation, Fault> {
        let found = records::get::<Operation>(&*self.world.store, id.as_str()).await?;
        let own = found.map(|o| o.value).filter(|o| o.project == *project);
        own.ok_or_else(|| Fault::not_found("operation", id.as_str()))
    }

    /// The operation now, and again at every change until it is over.
    pub async fn watch_operation(
        &self,
        project: &ProjectId,
        id: &OperationId,
    ) -> Result<BoxStream<'static, Operation>, Fault> {
        let mut changes = self.world.signals.operations();
        changes.mark_unchanged();
        let first = self.get_operation(project, id).await?;
        let (ops, project, id) = (self.clone(), project.to_owned(), id.clone());
        let state = (changes, Some(first.clone()), false);
        let rest = futures::stream::unfold(state, move |(mut changes, last, over)| {
            let (ops, project, id) = (ops.clone(), project.clone(), id.clone());
            async move {
                if over || last.as_ref().is_some_and(|o| o.state.is_final()) {
                    return None;
                }
                loop {
                    changes.changed().await.ok()?;
                    let current = ops.get_operation(&project, &id).await.ok()?;
                    if last.as_ref() != Some(&current) {
                        let over = current.state.is_final();
                        return Some((current.clone(), (changes, Some(current), over)));
                    }
                }
            }
        });
        Ok(futures::stream::once(async move { first }).chain(rest).boxed())
    }

    pub(super) async fn running_operation(&self, subject: &Subject) -> Result<Option<Operation>, Fault> {
        let all = records::children::<Operation>(&*self.world.store, &subject.id).await?;
        let running = all.into_iter().map(|o| o.value).filter(|o| !o.state.is_final());
        Ok(running.max_by_key(|o| o.generation))
    }

    pub async fn census(&self) -> Result<Census, Fault> {
        let everything = Filter::default();
        let mut census = Census::default();
        for cluster in records::list::<Cluster>(&*self.world.store, &everything).await? {
            count(&mut census.clusters, cluster.value.status.phase);
        }
        for doc in self
            .world
            .store
            .list(Operation::KIND, &everything)
            .await
            .map_err(records::fault)?
        {
            count(
                &mut census.operations,
                doc.read::<Operation>().map_err(records::fault)?.value.state,
            );
        }
        Ok(census)
    }
}

fn count<T: PartialEq>(counts: &mut Vec<(T, u64)>, what: T) {
    match counts.iter_mut().find(|(kind, _)| *kind == what) {
        Some((_, n)) => *n += 1,
        None => counts.push((what, 1)),
    }
}
