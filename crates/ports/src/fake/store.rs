//! The store in memory. Clones share one memory, so that a test drops the workers, keeps the store and goes on as after
//! a restart.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use tokio::sync::watch;
use types::{
    Timestamp,
    audit::{AuditRecord, Entry},
    operation::{Event, Subject},
};

use super::{KillSwitch, Moment, log::Log, tasks::Tasks};
use crate::{
    audit::{self, AuditFilter, Page},
    changes::Changes,
    paging::{Mark, Order, Row, Slice},
    store::{Batch, Doc, Filter, Lease, LedgerEntry, Next, Store, StoreError, Write},
    vault::{KeyMark, Sealed, SecretRef, Vault},
};

#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    memory: Arc<Mutex<Memory>>,
    kill: Option<KillSwitch>,
    changed: Arc<watch::Sender<u64>>,
}

/// Documents, ledger and events in the order they were written.
#[derive(Debug, Clone, Default)]
struct Memory {
    docs: Vec<Doc>,
    /// When each document was first written.
    numbers: BTreeMap<(&'static str, String), u64>,
    /// The last number given, to documents and events alike.
    made: u64,
    log: Log,
    tasks: Tasks,
    ledger: Vec<LedgerEntry>,
    secrets: BTreeMap<SecretRef, Sealed>,
    retired: BTreeSet<KeyMark>,
    events: Vec<(u64, Event)>,
    audit: Vec<AuditRecord>,
}

impl MemoryStore {
    pub fn new() -> Self {
        Self::default()
    }

    /// Commits become points to die at, before they are written and after.
    pub fn with_kill_switch(kill: KillSwitch) -> Self {
        Self {
            kill: Some(kill),
            ..Self::default()
        }
    }

    async fn pass(&self, moment: Moment) {
        if let Some(kill) = &self.kill {
            kill.pass(moment, "store.commit").await;
        }
    }

    fn commit_now(&self, batch: Batch) -> Result<(), StoreError> {
        let mut memory = self.memory();
        let mut next = memory.clone();
        next.run(batch)?;
        let last = next.log.last();
        *memory = next;
        drop(memory);
        self.changed.send_if_modified(|known| {
            let news = last > *known;
            *known = last.max(*known);
            news
        });
        Ok(())
    }

    /// A panic in one test thread must not hide what the others see: the memory changes only as a whole.
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn run(&mut self, batch: Batch) -> Result<(), StoreError> {
        if let Some(lease) = &batch.fence {
            self.tasks.check(lease)?;
        }
        batch.writes.into_iter().try_for_each(|write| self.write(write))
    }

    fn write(&mut self, write: Write) -> Result<(), StoreError> {
        match write {
            Write::Put(doc) => return self.put(doc),
            Write::Delete { kind, id } => {
                let place = self.docs.iter().position(|doc| doc.kind == kind && doc.id == id);
                if let Some(place) = place {
                    let gone = self.docs.remove(place);
                    self.log.record(Some(&gone), None);
                }
            }
            Write::Wake { subject, at_ms } => self.tasks.wake(subject, at_ms),
            Write::EndTask { subject } => self.tasks.end(&subject),
            Write::LedgerAdd(entry) => {
                if !self.ledger.contains(&entry) {
                    self.ledger.push(entry);
                }
            }
            Write::LedgerRemove { subject, kind, id } => {
                let gone = LedgerEntry { subject, kind, id };
                self.ledger.retain(|entry| *entry != gone);
            }
            Write::PutSecret { at, sealed } => return self.put_secret(at, sealed),
            Write::ReplaceSecret { at, was, sealed } => {
                if self.secrets.get(&at) != Some(&was) {
                    return Err(stale_secret(&at));
                }
                return self.put_secret(at, sealed);
            }
            Write::RetireKey(key) => {
                if let Some((at, _)) = self.secrets.iter().find(|(_, sealed)| key.is_of(sealed)) {
                    return Err(stale_secret(at));
                }
                self.retired.insert(key);
            }
            Write::DeleteSecrets { owner } => self.secrets.retain(|at, _| at.owner != owner),
            Write::Event(event) => {
                if self.events.iter().all(|(_, known)| known.id != event.id) {
                    self.made += 1;
                    self.events.push((self.made, event));
                }
            }
        }
        Ok(())
    }

    fn put_secret(&mut self, at: SecretRef, sealed: Sealed) -> Result<(), StoreError> {
        if let Some(key) = self.retired.iter().find(|key| key.is_of(&sealed)) {
            return Err(StoreError::Stale {
                kind: "master key",
                id: key.to_string(),
            });
        }
        self.secrets.insert(at, sealed);
        Ok(())
    }

    fn put(&mut self, mut doc: Doc) -> Result<(), StoreError> {
        let place = self
            .docs
            .iter()
            .position(|known| known.kind == doc.kind && known.id == doc.id);
        let stored = place.map_or(0, |place| self.docs[place].version);
        if stored != doc.version {
            return Err(StoreError::Stale {
                kind: doc.kind,
                id: doc.id,
            });
        }
        let same_name = |known: &&Doc| {
            known.kind == doc.kind && known.scope == doc.scope && known.name == doc.name && known.id != doc.id
        };
        if let Some(name) = doc
            .name
            .as_ref()
            .filter(|_| self.docs.iter().any(|known| same_name(&known)))
        {
            return Err(StoreError::NameTaken {
                kind: doc.kind,
                name: name.clone(),
            });
        }
        doc.version += 1;
        match place {
            Some(place) => {
                self.log.record(Some(&self.docs[place]), Some(&doc));
                self.docs[place] = doc;
            }
            None => {
                self.log.record(None, Some(&doc));
                self.made += 1;
                self.numbers.insert((doc.kind, doc.id.clone()), self.made);
                self.docs.push(doc);
            }
        }
        Ok(())
    }
}

/// Where a document stands in an order, if it does.
fn mark(memory: &Memory, doc: &Doc, order: Order) -> Option<Mark> {
    match order {
        Order::Name => Some(Mark::Name(doc.name.clone()?, doc.id.clone())),
        Order::Oldest | Order::Newest => {
            let number = memory.numbers.get(&(doc.kind, doc.id.clone()))?;
            Some(Mark::Number(*number))
        }
    }
}

fn matches(doc: &Doc, filter: &Filter) -> bool {
    filter.scope.as_ref().is_none_or(|scope| doc.scope == *scope)
        && filter
            .name
            .as_ref()
            .is_none_or(|name| doc.name.as_ref() == Some(name))
        && filter
            .parent
            .as_ref()
            .is_none_or(|parent| doc.parent.as_ref() == Some(parent))
}

fn stale_secret(at: &SecretRef) -> StoreError {
    StoreError::Stale {
        kind: "secret",
        id: format!("{}/{}", at.owner, at.name),
    }
}

fn is_asked_for(record: &AuditRecord, filter: &AuditFilter) -> bool {
    let Entry {
        at_ms,
        actor,
        project,
        org,
        ..
    } = &record.entry;
    let on_page = match filter.page {
        Page::Newest => true,
        Page::Before(number) => record.sequence < number,
        Page::After(number) => record.sequence > number,
    };
    on_page
        && filter.since_ms.is_none_or(|since| *at_ms >= since)
        && filter.until_ms.is_none_or(|until| *at_ms < until)
        && filter
            .actor
            .as_ref()
            .is_none_or(|asked| actor.id == *asked || actor.name == *asked)
        && filter
            .project
            .as_ref()
            .is_none_or(|asked| project.as_ref() == Some(asked))
        && filter
            .org
            .as_ref()
            .is_none_or(|asked| org.as_ref() == Some(asked))
}

#[async_trait]
impl Store for MemoryStore {
    async fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        self.pass(Moment::Before).await;
        let outcome = self.commit_now(batch);
        self.pass(Moment::After).await;
        outcome
    }

    async fn get(&self, kind: &'static str, id: &str) -> Result<Option<Doc>, StoreError> {
        Ok(self
            .memory()
            .docs
            .iter()
            .find(|doc| doc.kind == kind && doc.id == id)
            .cloned())
    }

    async fn list(&self, kind: &'static str, filter: &Filter) -> Result<Vec<Doc>, StoreError> {
        Ok(self
            .memory()
            .docs
            .iter()
            .filter(|doc| doc.kind == kind && matches(doc, filter))
            .cloned()
            .collect())
    }

    async fn page(
        &self,
        kind: &'static str,
        scope: Option<&str>,
        slice: &Slice,
    ) -> Result<Vec<Row>, StoreError> {
        let memory = self.memory();
        let wanted = |doc: &&Doc| doc.kind == kind && scope.is_none_or(|scope| doc.scope == scope);
        let mut rows: Vec<Row> = memory
            .docs
            .iter()
            .filter(wanted)
            .filter_map(|doc| {
                Some(Row {
                    id: doc.id.clone(),
                    version: doc.version,
                    mark: mark(&memory, doc, slice.order)?,
                    body: doc.body.to_string(),
                })
            })
            .collect();
        let key = |row: &Row| match &row.mark {
            Mark::Number(number) => (*number, String::new(), String::new()),
            Mark::Name(name, id) => (0, name.clone(), id.clone()),
        };
        rows.sort_by_key(key);
        let (name, id) = slice.after_name();
        let number = slice.after_number();
        match slice.order {
            Order::Name => rows.retain(|row| key(row) > (0, name.to_owned(), id.to_owned())),
            Order::Oldest => rows.retain(|row| number.is_none_or(|number| key(row).0 > number)),
            Order::Newest => {
                rows.reverse();
                rows.retain(|row| number.is_none_or(|number| key(row).0 < number));
            }
        }
        rows.truncate(usize::try_from(slice.limit).unwrap_or(usize::MAX));
        Ok(rows)
    }

    async fn last_change(&self) -> Result<u64, StoreError> {
        Ok(self.memory().log.last())
    }

    async fn changes(
        &self,
        kind: &'static str,
        scope: &str,
        after: u64,
        limit: u32,
    ) -> Result<Changes, StoreError> {
        self.memory().log.changes(kind, scope, after, limit)
    }

    async fn as_of(
        &self,
        kind: &'static str,
        scope: &str,
        number: u64,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<(String, String)>, StoreError> {
        let memory = self.memory();
        let now = memory
            .docs
            .iter()
            .filter(|doc| doc.kind == kind && doc.scope == scope);
        let now = now.map(|doc| (doc.id.clone(), doc.body.to_string())).collect();
        let then = memory.log.as_of(kind, scope, number, now)?;
        let wanted = then
            .into_iter()
            .filter(|(id, _)| after.is_none_or(|after| id.as_str() > after));
        Ok(wanted
            .take(usize::try_from(limit).unwrap_or(usize::MAX))
            .collect())
    }

    async fn changed_since(&self, number: u64) {
        // The sender is this handle's own.
        let _ = self.changed.subscribe().wait_for(|last| *last > number).await;
    }

    async fn trim_changes(&self, keep: u32) -> Result<u64, StoreError> {
        Ok(self.memory().log.trim(keep))
    }

    async fn forget_changes(&self, ahead: u64) -> Result<(), StoreError> {
        self.memory().log.forget(ahead);
        Ok(())
    }

    async fn secret(&self, at: &SecretRef) -> Result<Option<Sealed>, StoreError> {
        Ok(self.memory().secrets.get(at).cloned())
    }

    async fn secrets(
        &self,
        after: Option<&SecretRef>,
        limit: u32,
    ) -> Result<Vec<(SecretRef, Sealed)>, StoreError> {
        let memory = self.memory();
        let wanted = memory
            .secrets
            .iter()
            .filter(|(at, _)| after.is_none_or(|after| *at > after));
        Ok(wanted
            .take(usize::try_from(limit).unwrap_or(usize::MAX))
            .map(|(at, sealed)| (at.clone(), sealed.clone()))
            .collect())
    }

    async fn ledger(&self, subject: &Subject) -> Result<Vec<LedgerEntry>, StoreError> {
        Ok(self
            .memory()
            .ledger
            .iter()
            .filter(|entry| entry.subject == *subject)
            .cloned()
            .collect())
    }

    async fn events(
        &self,
        project: &str,
        subject: Option<&Subject>,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<(u64, Event)>, StoreError> {
        let memory = self.memory();
        let wanted = memory.events.iter().rev().filter(|(number, event)| {
            event.project.as_str() == project
                && subject.is_none_or(|subject| event.subject == *subject)
                && before.is_none_or(|before| *number < before)
        });
        Ok(wanted
            .take(usize::try_from(limit).unwrap_or(usize::MAX))
            .cloned()
            .collect())
    }

    async fn trim_events(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut memory = self.memory();
        let had = memory.events.len();
        memory.events.retain(|(_, event)| event.at >= before);
        Ok(u64::try_from(had - memory.events.len()).unwrap_or(u64::MAX))
    }

    async fn append_audit(&self, entry: Entry, vault: &dyn Vault) -> Result<AuditRecord, StoreError> {
        let mut memory = self.memory();
        let last = memory.audit.last().map(|record| record.sequence);
        let sealed = memory.secrets.get(&audit::head_at());
        let (record, sealed) =
            audit::go_on(vault, sealed, last, entry).map_err(|fault| StoreError::Failed {
                op: "seal the head of the audit log",
                source: Box::new(fault),
            })?;
        memory.secrets.insert(audit::head_at(), sealed);
        memory.audit.push(record.clone());
        Ok(record)
    }

    async fn audit(&self, filter: &AuditFilter) -> Result<Vec<AuditRecord>, StoreError> {
        let memory = self.memory();
        let wanted = memory.audit.iter().filter(|record| is_asked_for(record, filter));
        let limit = usize::try_from(filter.limit).unwrap_or(usize::MAX);
        Ok(match filter.page {
            Page::After(_) => wanted.take(limit).cloned().collect(),
            Page::Newest | Page::Before(_) => wanted.rev().take(limit).cloned().collect(),
        })
    }

    async fn lease(&self, owner: &str, now_ms: i64, ttl_ms: i64) -> Result<Option<Lease>, StoreError> {
        Ok(self.memory().tasks.lease(owner, now_ms, ttl_ms))
    }

    async fn renew(&self, lease: &Lease, now_ms: i64, ttl_ms: i64) -> Result<(), StoreError> {
        self.memory().tasks.renew(lease, now_ms, ttl_ms)
    }

    async fn release(&self, lease: &Lease, next: Next) -> Result<(), StoreError> {
        self.memory().tasks.release(lease, next)
    }

    async fn end_leases(&self, owner: &str, now_ms: i64) -> Result<(), StoreError> {
        self.memory().tasks.end_leases(owner, now_ms);
        Ok(())
    }

    async fn next_due_ms(&self) -> Result<Option<i64>, StoreError> {
        Ok(self.memory().tasks.next_due_ms())
    }
}
