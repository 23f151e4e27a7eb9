//! What is in a project, read: by the page, through selectors, and as a stream of changes that can be taken up again.

mod events;
mod kinds;
mod shown;
mod watch;

use std::sync::Arc;

use ports::{Store, paging::Row};
use serde::Serialize;
use types::{
    Fault, ProjectId,
    selector::{FieldSelector, LabelSelector},
};

use crate::{
    paged::{self, Paged, Part},
    records,
};

pub use kinds::Listed;
pub use shown::Shown;
pub use watch::{Notice, Point, Told, Watch};

/// A cheap handle.
#[derive(Clone)]
pub struct Lists {
    store: Arc<dyn Store>,
    memory: Arc<shown::Memory>,
}

/// Which of them.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selection {
    /// Refuses fields that `T` does not have.
    pub fn of<T: Listed>(labels: LabelSelector, fields: FieldSelector) -> Result<Self, Fault> {
        let unknown = fields
            .terms()
            .iter()
            .find(|term| !T::FIELDS.contains(&term.field.as_str()));
        match unknown {
            Some(term) => Err(Fault::unfit(
                "field-unknown",
                format!("there is no field '{}' to select by", term.field),
                format!("known are {}", T::FIELDS.join(", ")),
            )
            .at("fieldSelector")),
            None => Ok(Self { labels, fields }),
        }
    }

    fn is_everything(&self) -> bool {
        self.labels.is_empty() && self.fields.terms().is_empty()
    }

    fn wants<T: Listed>(&self, thing: &T) -> bool {
        thing.is_shown()
            && (self.labels.is_empty() || thing.labels().is_some_and(|labels| self.labels.matches(labels)))
            && self
                .fields
                .terms()
                .iter()
                .all(|term| (thing.field(&term.field) == term.value) == term.equal)
    }
}

impl Lists {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            memory: Arc::default(),
        }
    }

    /// As `V` shows them.
    pub async fn page<T, V>(
        &self,
        project: &ProjectId,
        selection: &Selection,
        part: &Part,
    ) -> Result<Paged<Shown>, Fault>
    where
        T: Listed,
        V: for<'a> From<&'a T> + Serialize + 'static,
    {
        let wanted = |row: &Row| {
            if selection.is_everything() {
                return self.memory.show::<T, V>(row, None);
            }
            let thing = row.read::<T>().map_err(records::fault)?.value;
            if !selection.wants(&thing) {
                return Ok(None);
            }
            self.memory.show::<T, V>(row, Some(thing))
        };
        let scope = Some(project.as_str());
        paged::rows(&*self.store, T::KIND, scope, T::ORDER, part, wanted).await
    }

    /// From the present state on or, with a point, from there.
    pub async fn watch<T: Listed>(
        &self,
        project: &ProjectId,
        selection: Selection,
        from: Option<Point>,
    ) -> Result<Watch<T>, Fault> {
        Watch::begin(self.store.clone(), project.clone(), selection, from).await
    }
}
