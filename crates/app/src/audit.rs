//! Writing to the audit log, reading it, and checking that it is as it was written.

use ports::{
    Store, Vault,
    audit::{AuditFilter, Page, head_at, sealed_head},
    store::StoreError,
};
use types::{
    Fault,
    audit::{AuditRecord, Breakage, Broken, Entry, Head, Verdict, Walk},
};

use crate::records;

const PAGE: u32 = 500;

pub async fn append(store: &dyn Store, vault: &dyn Vault, entry: Entry) -> Result<AuditRecord, Fault> {
    store.append_audit(entry, vault).await.map_err(records::fault)
}

pub async fn list(store: &dyn Store, filter: &AuditFilter) -> Result<Vec<AuditRecord>, Fault> {
    store.audit(filter).await.map_err(records::fault)
}

/// Goes through the whole log, page by page, while it may be written to.
pub async fn verify(store: &dyn Store, vault: &dyn Vault, known: Option<Head>) -> Result<Verdict, Fault> {
    let mut walk = Walk::new(known);
    let mut limit = PAGE;
    loop {
        // Before the page: when the page is empty, nothing was written in between, and both must agree.
        let sealed = store.secret(&head_at()).await.map_err(records::fault)?;
        let sealed = sealed_head(vault, sealed.as_ref())?;
        let filter = AuditFilter {
            page: Page::After(walk.at()),
            limit,
            ..AuditFilter::default()
        };
        let page = match store.audit(&filter).await {
            Ok(page) => page,
            // One of these; which one is found by asking for one at a time.
            Err(StoreError::Corrupt { .. }) if limit > 1 => {
                limit = 1;
                continue;
            }
            Err(StoreError::Corrupt { detail, .. }) => {
                let broken = Broken {
                    sequence: walk.at() + 1,
                    how: Breakage::Unreadable { detail },
                };
                return Ok(walk.broken(broken));
            }
            Err(error) => return Err(records::fault(error)),
        };
        if page.is_empty() {
            return Ok(walk.end(sealed));
        }
        for record in &page {
            if let Err(broken) = walk.step(record) {
                return Ok(walk.broken(broken));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ports::fake::{FakeVault, MemoryStore};
    use types::audit::{Actor, Object, Origin, Stage};

    use super::*;

    fn entry() -> Entry {
        Entry {
            at_ms: 1,
            stage: Stage::Ended,
            actor: Actor::unknown(),
            origin: Origin::default(),
            action: "createCluster".to_owned(),
            object: Object::default(),
            project: None,
            org: None,
            change: None,
            status: None,
            code: None,
            request: String::new(),
        }
    }

    #[tokio::test]
    async fn a_log_of_several_pages_is_walked_to_its_end_while_it_grows() {
        let (store, vault) = (MemoryStore::new(), FakeVault::default());
        let empty = verify(&store, &vault, None).await.unwrap();
        assert_eq!((empty.records, empty.broken), (0, None));
        for _ in 0..=2 * PAGE {
            append(&store, &vault, entry()).await.unwrap();
        }
        let grow = async {
            for _ in 0..100 {
                append(&store, &vault, entry()).await.unwrap();
                tokio::task::yield_now().await;
            }
        };
        let (verdict, ()) = tokio::join!(verify(&store, &vault, None), grow);
        let verdict = verdict.unwrap();
        assert_eq!(verdict.broken, None);
        assert!(verdict.records > u64::from(2 * PAGE), "{}", verdict.records);
    }

    #[tokio::test]
    async fn another_key_does_not_vouch_for_the_log() {
        let store = MemoryStore::new();
        append(&store, &FakeVault { key: 1 }, entry()).await.unwrap();
        let verdict = verify(&store, &FakeVault { key: 2 }, None).await.unwrap();
        assert_eq!(verdict.broken.unwrap().how, Breakage::HeadLost);
    }
}
