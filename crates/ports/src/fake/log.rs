//! The log of changes in memory.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    changes::{Change, Changes, is_watched},
    store::{Doc, StoreError},
};

#[derive(Debug, Clone, Default)]
pub(super) struct Log {
    last: u64,
    /// Shared: the whole memory is copied for every commit.
    entries: Vec<Arc<Entry>>,
    forgotten: BTreeMap<String, u64>,
    /// In every scope.
    all_forgotten: u64,
}

#[derive(Debug, Clone)]
struct Entry {
    kind: &'static str,
    scope: String,
    change: Change,
}

impl Log {
    pub fn last(&self) -> u64 {
        self.last
    }

    pub fn record(&mut self, before: Option<&Doc>, after: Option<&Doc>) {
        let Some(doc) = after.or(before).filter(|doc| is_watched(doc.kind)) else {
            return;
        };
        let body = |doc: Option<&Doc>| doc.map(|doc| doc.body.to_string());
        if body(before) == body(after) {
            return;
        }
        self.last += 1;
        self.entries.push(Arc::new(Entry {
            kind: doc.kind,
            scope: doc.scope.clone(),
            change: Change {
                number: self.last,
                id: doc.id.clone(),
                before: body(before),
                after: body(after),
            },
        }));
    }

    fn check(&self, scope: &str, after: u64) -> Result<(), StoreError> {
        let forgotten = self.forgotten.get(scope).copied().unwrap_or_default();
        if after < forgotten.max(self.all_forgotten) || after > self.last {
            return Err(StoreError::Forgotten { after });
        }
        Ok(())
    }

    fn since(&self, kind: &str, scope: &str, after: u64) -> impl Iterator<Item = &Change> {
        let wanted = move |entry: &&Arc<Entry>| {
            entry.kind == kind && entry.scope == scope && entry.change.number > after
        };
        self.entries.iter().filter(wanted).map(|entry| &entry.change)
    }

    pub fn changes(&self, kind: &str, scope: &str, after: u64, limit: u32) -> Result<Changes, StoreError> {
        self.check(scope, after)?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let changes: Vec<Change> = self.since(kind, scope, after).take(limit).cloned().collect();
        let upto = match changes.last() {
            Some(last) if changes.len() == limit => last.number,
            Some(_) | None => self.last,
        };
        Ok(Changes { changes, upto })
    }

    /// `now` is what there is of the kind in the scope.
    pub fn as_of(
        &self,
        kind: &str,
        scope: &str,
        number: u64,
        mut now: BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, StoreError> {
        self.check(scope, number)?;
        let mut later: Vec<&Change> = self.since(kind, scope, number).collect();
        later.reverse();
        for change in later {
            match &change.before {
                Some(before) => now.insert(change.id.clone(), before.clone()),
                None => now.remove(&change.id),
            };
        }
        Ok(now)
    }

    pub fn forget(&mut self, ahead: u64) {
        self.entries.clear();
        self.last += ahead;
        self.all_forgotten = self.last;
    }

    pub fn trim(&mut self, keep: u32) -> u64 {
        let had = self.entries.len();
        let mut kept: BTreeMap<String, u32> = BTreeMap::new();
        let forgotten = &mut self.forgotten;
        self.entries.reverse();
        self.entries.retain(|entry| {
            let count = kept.entry(entry.scope.clone()).or_default();
            *count += 1;
            if *count <= keep {
                return true;
            }
            let upto = forgotten.entry(entry.scope.clone()).or_default();
            *upto = (*upto).max(entry.change.number);
            false
        });
        self.entries.reverse();
        u64::try_from(had - self.entries.len()).unwrap_or(u64::MAX)
    }
}
