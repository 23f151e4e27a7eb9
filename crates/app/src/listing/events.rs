//! Events by the page. What they are about may be gone; then its name finds them.

use ports::paging::Mark;
use types::{
    Fault, ProjectId,
    cluster::Cluster,
    network::Network,
    operation::{Event, Subject, SubjectKind},
};

use super::Lists;
use crate::{
    paged::{Paged, Part},
    records,
};

const SCAN: u32 = 500;

impl Lists {
    /// Newest first; `reference` is the name or id of a cluster or network.
    pub async fn events(
        &self,
        project: &ProjectId,
        reference: Option<&str>,
        part: &Part,
    ) -> Result<Paged<Event>, Fault> {
        let subject = match reference {
            Some(reference) => self.subject(project, reference).await?,
            None => None,
        };
        let by_name = reference.filter(|_| subject.is_none());
        let wanted =
            |event: &Event| by_name.is_none_or(|name| event.subject_name == name || event.subject.id == name);
        let most = usize::try_from(part.limit).unwrap_or(usize::MAX);
        let (mut items, mut last): (Vec<Event>, Option<Mark>) = (Vec::new(), None);
        let mut limit = part.limit.saturating_add(1);
        let mut before = match &part.after {
            Some(Mark::Number(number)) => Some(*number),
            Some(Mark::Name(..)) | None => None,
        };
        loop {
            let page = self
                .store
                .events(project.as_str(), subject.as_ref(), before, limit);
            let page = page.await.map_err(records::fault)?;
            let exhausted = u32::try_from(page.len()).is_ok_and(|found| found < limit);
            before = page.last().map(|(number, _)| *number);
            for (number, event) in page {
                if !wanted(&event) {
                    continue;
                }
                if items.len() == most {
                    return Ok(Paged { items, next: last });
                }
                items.push(event);
                last = Some(Mark::Number(number));
            }
            if exhausted {
                return Ok(Paged { items, next: None });
            }
            limit = limit.max(SCAN);
        }
    }

    async fn subject(&self, project: &ProjectId, reference: &str) -> Result<Option<Subject>, Fault> {
        let store = &*self.store;
        let cluster = records::seek::<Cluster>(store, project, reference).await?;
        if let Some(cluster) = cluster {
            return Ok(Some(Subject {
                kind: SubjectKind::Cluster,
                id: cluster.value.id.to_string(),
            }));
        }
        let network = records::seek::<Network>(store, project, reference).await?;
        Ok(network.map(|network| Subject {
            kind: SubjectKind::Network,
            id: network.value.id.to_string(),
        }))
    }
}
