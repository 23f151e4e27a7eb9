//! What is shown of a document, written out once for each of its versions: a list is mostly asked for again, and most of
//! what it cost was to read bodies and to write them out as views.

use std::{
    any::TypeId,
    collections::HashMap,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ports::paging::Row;
use serde::Serialize;
use types::Fault;

use super::Listed;
use crate::records;

/// A view as JSON.
pub type Shown = Arc<str>;

/// Bytes in each of the two halves; some six thousand clusters.
const HALF: usize = 8 << 20;
/// What an entry takes beside its id and its JSON, about; what is not shown takes that too.
const ENTRY: usize = 100;

/// Two halves: whatever is asked for moves to the young one, and when that is full the old one is forgotten.
#[derive(Debug)]
pub(super) struct Memory(Mutex<Halves>);

#[derive(Debug)]
struct Halves {
    young: Half,
    old: Half,
    most: usize,
}

#[derive(Debug, Default)]
struct Half {
    /// By kind of view and id of the document. Nothing where the document is not shown at all.
    known: HashMap<(TypeId, String), (u64, Option<Shown>)>,
    bytes: usize,
}

impl Default for Memory {
    fn default() -> Self {
        Self::holding(HALF)
    }
}

impl Memory {
    fn holding(most: usize) -> Self {
        let (young, old) = (Half::default(), Half::default());
        Self(Mutex::new(Halves { young, old, most }))
    }

    /// `V` is made of nothing but the document, so the same version looks the same. `thing` is the document, where it was
    /// read already.
    pub fn show<T, V>(&self, row: &Row, thing: Option<T>) -> Result<Option<Shown>, Fault>
    where
        T: Listed,
        V: for<'a> From<&'a T> + Serialize + 'static,
    {
        let key = (TypeId::of::<V>(), row.id.clone());
        if let Some(shown) = self.halves().get(&key, row.version) {
            return Ok(shown);
        }
        let thing = match thing {
            Some(thing) => thing,
            None => row.read::<T>().map_err(records::fault)?.value,
        };
        let shown = thing
            .is_shown()
            .then(|| write::<V>(&V::from(&thing)))
            .transpose()?;
        self.halves().put(key, row.version, shown.clone());
        Ok(shown)
    }

    fn halves(&self) -> MutexGuard<'_, Halves> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write<V: Serialize>(view: &V) -> Result<Shown, Fault> {
    let text = serde_json::to_string(view);
    let text = text.map_err(|error| Fault::internal("view-unwritable", error.to_string()))?;
    Ok(text.into())
}

impl Halves {
    fn get(&mut self, key: &(TypeId, String), version: u64) -> Option<Option<Shown>> {
        if let Some((known, shown)) = self.young.known.get(key) {
            return (*known == version).then(|| shown.clone());
        }
        let (_, shown) = self
            .old
            .known
            .remove(key)
            .filter(|(known, _)| *known == version)?;
        self.put(key.clone(), version, shown.clone());
        Some(shown)
    }

    fn put(&mut self, key: (TypeId, String), version: u64, shown: Option<Shown>) {
        let id = key.1.len();
        let size = |shown: &Option<Shown>| ENTRY + id + shown.as_ref().map_or(0, |shown| shown.len());
        if self.young.bytes + size(&shown) > self.most {
            self.old = mem::take(&mut self.young);
        }
        self.young.bytes += size(&shown);
        if let Some((_, before)) = self.young.known.insert(key, (version, shown)) {
            self.young.bytes -= size(&before);
        }
    }
}

#[cfg(test)]
mod tests {
    use ports::paging::Mark;
    use types::{
        Labels, NetworkId, Timestamp,
        network::{HOST_ACCOUNT, LOCAL_HOST, Network},
    };

    use super::*;
    use crate::default_project;

    #[derive(Serialize)]
    struct Name(String);

    impl From<&Network> for Name {
        fn from(network: &Network) -> Self {
            Self(network.name.to_string())
        }
    }

    fn row(id: u32, version: u64, name: &str) -> Row {
        let network = Network {
            id: NetworkId::generate(),
            project: default_project(),
            account: HOST_ACCOUNT.to_owned(),
            host: LOCAL_HOST.to_owned(),
            name: name.parse().unwrap(),
            labels: Labels::default(),
            cidr: "10.0.0.0/16".parse().unwrap(),
            generation: 1,
            uplink: 0,
            deleting: false,
            created: Timestamp(0),
        };
        Row {
            id: id.to_string(),
            version,
            mark: Mark::Number(u64::from(id)),
            body: serde_json::to_string(&network).unwrap(),
        }
    }

    fn shown(memory: &Memory, row: &Row) -> Result<Option<String>, String> {
        let shown = memory.show::<Network, Name>(row, None);
        shown
            .map(|shown| shown.map(|shown| shown.to_string()))
            .map_err(|fault| fault.code.into_owned())
    }

    /// What cannot be read and is shown was remembered.
    fn unreadable(row: &Row) -> Row {
        Row {
            body: "{".to_owned(),
            ..row.clone()
        }
    }

    #[test]
    fn a_version_is_read_once_and_another_anew() {
        let memory = Memory::default();
        let first = row(1, 1, "blue");
        assert_eq!(shown(&memory, &first), Ok(Some("\"blue\"".to_owned())));
        assert_eq!(
            shown(&memory, &unreadable(&first)),
            Ok(Some("\"blue\"".to_owned()))
        );
        let second = row(1, 2, "green");
        assert!(shown(&memory, &unreadable(&second)).is_err());
        assert_eq!(shown(&memory, &second), Ok(Some("\"green\"".to_owned())));
        // A reader that is behind is not told what comes later.
        assert_eq!(shown(&memory, &first), Ok(Some("\"blue\"".to_owned())));
    }

    #[test]
    fn what_nobody_asks_for_is_forgotten_first() {
        let memory = Memory::holding(3 * (ENTRY + "99".len() + "\"blue\"".len()));
        let rows: Vec<Row> = (0..100).map(|id| row(id, 1, "blue")).collect();
        for one in &rows {
            shown(&memory, one).unwrap();
            shown(&memory, &unreadable(&rows[0])).unwrap();
        }
        assert!(shown(&memory, &unreadable(&rows[1])).is_err());
        let halves = memory.halves();
        assert!(halves.young.known.len() + halves.old.known.len() <= 6);
        assert!(halves.young.bytes <= halves.most && halves.old.bytes <= halves.most);
    }
}
