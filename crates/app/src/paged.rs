//! Reading lists by the page, through a filter: a page is as full as there is something to fill it with.

use ports::{
    Store,
    paging::{Mark, Order, Row, Slice},
    store::Entity,
};
use types::Fault;

use crate::records;

/// How much is looked through at once when most of it is not wanted.
const SCAN: u32 = 500;

/// Which part of a list is asked for.
#[derive(Debug, Clone)]
pub struct Part {
    pub after: Option<Mark>,
    pub limit: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paged<T> {
    pub items: Vec<T>,
    /// Where the next page begins; nothing when this is the last.
    pub next: Option<Mark>,
}

/// `wanted` makes of each document what is listed, or leaves it out.
pub(crate) async fn read<T: Entity, U>(
    store: &dyn Store,
    scope: Option<&str>,
    order: Order,
    part: &Part,
    wanted: impl Fn(T) -> Option<U> + Send + Sync,
) -> Result<Paged<U>, Fault> {
    let wanted = |row: &Row| Ok(wanted(row.read().map_err(records::fault)?.value));
    rows(store, T::KIND, scope, order, part, wanted).await
}

/// The same of documents that need not all be read.
pub(crate) async fn rows<U>(
    store: &dyn Store,
    kind: &'static str,
    scope: Option<&str>,
    order: Order,
    part: &Part,
    wanted: impl Fn(&Row) -> Result<Option<U>, Fault> + Send + Sync,
) -> Result<Paged<U>, Fault> {
    let mut items = Vec::new();
    let mut last: Option<Mark> = None;
    let mut slice = Slice {
        order,
        after: part.after.clone(),
        // One more than asked says whether there is more.
        limit: part.limit.saturating_add(1),
    };
    let most = usize::try_from(part.limit).unwrap_or(usize::MAX);
    loop {
        let rows = store.page(kind, scope, &slice).await.map_err(records::fault)?;
        let exhausted = u32::try_from(rows.len()).is_ok_and(|found| found < slice.limit);
        slice.after = rows.last().map(|row| row.mark.clone());
        for row in rows {
            let Some(item) = wanted(&row)? else {
                continue;
            };
            if items.len() == most {
                return Ok(Paged { items, next: last });
            }
            items.push(item);
            last = Some(row.mark);
        }
        if exhausted {
            return Ok(Paged { items, next: None });
        }
        slice.limit = slice.limit.max(SCAN);
    }
}

#[cfg(test)]
mod tests {
    use ports::{
        fake::MemoryStore,
        store::{Batch, Doc, PLATFORM, Write},
    };
    use types::{
        OrgId, Timestamp,
        tenant::{Organisation, Quota},
    };

    use super::*;

    async fn orgs(count: u32) -> MemoryStore {
        let store = MemoryStore::new();
        let org = |n: u32| Organisation {
            id: OrgId::generate(),
            name: format!("org-{n:04}").parse().unwrap(),
            max_projects: n,
            quota: Quota::default(),
            created: Timestamp(0),
        };
        let writes = (0..count).map(|n| Write::Put(Doc::new(&org(n), 0))).collect();
        store.commit(Batch { fence: None, writes }).await.unwrap();
        store
    }

    /// Every page has what was asked for, until the last; however little of what there is is wanted.
    #[tokio::test]
    async fn pages_are_full_whatever_the_filter_leaves() {
        let store = orgs(1300).await;
        for (nth, limit) in [(1, 100), (7, 3), (400, 1), (400, 4), (400, 3), (2000, 10)] {
            let expected: Vec<u32> = (0..1300).filter(|n| n % nth == 0).collect();
            let (mut seen, mut after) = (Vec::new(), None);
            loop {
                let part = Part { after, limit };
                let wanted =
                    |org: Organisation| org.max_projects.is_multiple_of(nth).then_some(org.max_projects);
                let page = read(&store, Some(PLATFORM), Order::Name, &part, wanted);
                let Paged { items, next } = page.await.unwrap();
                let more = next.is_some();
                assert!(items.len() == limit as usize || !more, "{nth} {limit}");
                assert!(!(items.is_empty() && more));
                seen.extend(items);
                after = next;
                if !more {
                    break;
                }
            }
            assert_eq!(seen, expected, "{nth} {limit}");
        }
    }
}
