//! Following what changes in a project.
//!
//! Guarantees: from the present state, or from a point, every change is told once and in order, through the selection:
//! what begins to match is added, what stops to match is deleted. Every notice carries the point right after it; taken up
//! there, also by another life of the platform, a watch goes on as if it had never ended. The present state is read as
//! of one change, however long that takes.
//! Assumptions: none about the reader. Changes wait in the store's log, not here: a page at a time is held.
//! Caveats: the log is trimmed. A point that it does not reach back to is refused, and so is going on from there.

use std::{marker::PhantomData, sync::Arc, time::Duration};

use ports::{Store, changes::Change, paging, store::StoreError};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout_at};
use types::{Fault, ProjectId};

use super::{Listed, Selection};
use crate::records;

const PAGE: u32 = 100;
/// Somebody who hears nothing for so long is told how far we are, and that we are there.
const QUIET: Duration = Duration::from_secs(15);
/// Changes made by another process are looked for this often.
const LOOK: Duration = Duration::from_secs(5);

/// How far somebody has heard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Point {
    /// Of the state as of a change, all up to this id.
    State(u64, String),
    /// Every change up to this one.
    Change(u64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told<T> {
    Added(T),
    Modified {
        before: T,
        after: T,
    },
    /// As it was when it was last wanted.
    Deleted(T),
    /// Nothing happened up to here.
    Bookmark,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice<T> {
    pub told: Told<T>,
    pub point: Point,
}

pub struct Watch<T> {
    store: Arc<dyn Store>,
    project: ProjectId,
    selection: Selection,
    point: Point,
    kind: PhantomData<fn() -> T>,
}

impl<T: Listed> Watch<T> {
    pub(super) async fn begin(
        store: Arc<dyn Store>,
        project: ProjectId,
        selection: Selection,
        from: Option<Point>,
    ) -> Result<Self, Fault> {
        let point = match from {
            // Whether it is still known is found out now, while it can be answered with a status.
            Some(Point::Change(number)) => {
                let known = store.changes(T::KIND, project.as_str(), number, 0).await;
                known.map_err(records::fault)?;
                Point::Change(number)
            }
            Some(Point::State(number, after)) => {
                let known = store.as_of(T::KIND, project.as_str(), number, None, 0).await;
                known.map_err(records::fault)?;
                Point::State(number, after)
            }
            None => Point::State(store.last_change().await.map_err(records::fault)?, String::new()),
        };
        Ok(Self {
            store,
            project,
            selection,
            point,
            kind: PhantomData,
        })
    }

    /// What comes next, at least one notice. Waits for it, but not for long without a bookmark.
    pub async fn next(&mut self) -> Result<Vec<Notice<T>>, Fault> {
        let quiet_until = Instant::now() + QUIET;
        loop {
            let (notices, busy) = match self.point.clone() {
                Point::State(number, after) => (self.state(number, after).await?, true),
                Point::Change(number) => self.changes(number).await?,
            };
            if !notices.is_empty() {
                return Ok(notices);
            }
            let Point::Change(number) = self.point else {
                continue;
            };
            if busy {
                continue;
            }
            if Instant::now() >= quiet_until {
                return Ok(vec![self.bookmark()]);
            }
            let look = quiet_until.min(Instant::now() + LOOK);
            // Woken or not: the log says what there is.
            let _ = timeout_at(look, self.store.changed_since(number)).await;
        }
    }

    fn bookmark(&self) -> Notice<T> {
        Notice {
            told: Told::Bookmark,
            point: self.point.clone(),
        }
    }

    /// A page of the state as of a change; its end is a bookmark.
    async fn state(&mut self, number: u64, after: String) -> Result<Vec<Notice<T>>, Fault> {
        let rows = self
            .store
            .as_of(T::KIND, self.project.as_str(), number, Some(&after), PAGE)
            .await
            .map_err(records::fault)?;
        let Some((last, _)) = rows.last() else {
            self.point = Point::Change(number);
            return Ok(vec![self.bookmark()]);
        };
        self.point = Point::State(number, last.clone());
        let mut notices = Vec::new();
        for (id, body) in rows {
            if let Some(thing) = self.wanted(&id, Some(&body)).map_err(records::fault)? {
                notices.push(Notice {
                    told: Told::Added(thing),
                    point: Point::State(number, id),
                });
            }
        }
        Ok(notices)
    }

    /// A page of changes, and whether there are more.
    async fn changes(&mut self, number: u64) -> Result<(Vec<Notice<T>>, bool), Fault> {
        let page = self
            .store
            .changes(T::KIND, self.project.as_str(), number, PAGE)
            .await
            .map_err(records::fault)?;
        let busy = u32::try_from(page.changes.len()).is_ok_and(|found| found >= PAGE);
        self.point = Point::Change(page.upto);
        let mut notices = Vec::new();
        for change in &page.changes {
            let point = Point::Change(change.number);
            let told = self.told(change).map_err(records::fault)?;
            notices.extend(told.map(|told| Notice { told, point }));
        }
        Ok((notices, busy))
    }

    fn told(&self, change: &Change) -> Result<Option<Told<T>>, StoreError> {
        let before = self.wanted(&change.id, change.before.as_deref())?;
        let after = self.wanted(&change.id, change.after.as_deref())?;
        Ok(match (before, after) {
            (None, None) => None,
            (None, Some(after)) => Some(Told::Added(after)),
            (Some(before), Some(after)) => Some(Told::Modified { before, after }),
            (Some(before), None) => Some(Told::Deleted(before)),
        })
    }

    fn wanted(&self, id: &str, body: Option<&str>) -> Result<Option<T>, StoreError> {
        let thing: Option<T> = body.map(|body| paging::read(id, body)).transpose()?;
        Ok(thing.filter(|thing| self.selection.wants(thing)))
    }
}

#[cfg(test)]
mod tests;
