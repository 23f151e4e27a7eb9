//! What was found in the cluster of all that carries our label, as the watches tell it.

use std::collections::{BTreeMap, BTreeSet};

use kube::{core::DynamicObject, runtime::watcher::Event};
use serde_json::Value;

use super::object::{Key, Kind, MANAGED};

#[derive(Debug, Default)]
pub struct Live {
    objects: BTreeMap<Key, Value>,
    /// Every namespace that is not on its way out, ours or not.
    places: BTreeSet<String>,
    /// Those that a list under way has named.
    named: Option<BTreeSet<String>>,
    /// Kinds that were listed whole. Before that, absent is not known.
    known: BTreeSet<Kind>,
    /// Of a kind that is being listed again: what was there and has not been named yet.
    unnamed: BTreeMap<Kind, BTreeSet<Key>>,
}

impl Live {
    pub fn take(&mut self, kind: Kind, event: Event<DynamicObject>) {
        if kind == Kind::Namespace {
            self.note_place(&event);
        }
        match event {
            // Namespaces are told of whether they are ours or not.
            Event::InitApply(object) | Event::Apply(object) if !is_ours(&object) => {
                self.objects.remove(&read(kind, object).0);
            }
            Event::Init => {
                let of_kind = self.objects.keys().filter(|key| key.kind == kind).cloned();
                self.unnamed.insert(kind, of_kind.collect());
            }
            Event::InitApply(object) | Event::Apply(object) => {
                let (key, body) = read(kind, object);
                self.put(key, body);
            }
            Event::InitDone => {
                for gone in self.unnamed.remove(&kind).unwrap_or_default() {
                    self.objects.remove(&gone);
                }
                self.known.insert(kind);
            }
            // Also when it only lost our label.
            Event::Delete(object) => {
                self.objects.remove(&read(kind, object).0);
            }
        }
    }

    /// What a second list has not named yet counts until it is whole: rights would be taken meanwhile.
    fn note_place(&mut self, event: &Event<DynamicObject>) {
        let (object, leaves) = match event {
            Event::Init => {
                self.named = Some(BTreeSet::new());
                return;
            }
            Event::InitDone => {
                self.places = self.named.take().unwrap_or_default();
                return;
            }
            Event::InitApply(object) | Event::Apply(object) => {
                (object, object.metadata.deletion_timestamp.is_some())
            }
            Event::Delete(object) => (object, true),
        };
        let name = object.metadata.name.clone().unwrap_or_default();
        for places in [Some(&mut self.places), self.named.as_mut()]
            .into_iter()
            .flatten()
        {
            if leaves {
                places.remove(&name);
            } else {
                places.insert(name.clone());
            }
        }
    }

    pub fn places(&self) -> &BTreeSet<String> {
        &self.places
    }

    pub fn put(&mut self, key: Key, body: Value) {
        if let Some(unnamed) = self.unnamed.get_mut(&key.kind) {
            unnamed.remove(&key);
        }
        self.objects.insert(key, body);
    }

    pub fn forget(&mut self, key: &Key) {
        self.objects.remove(key);
    }

    pub fn knows(&self, kinds: &[Kind]) -> bool {
        kinds.iter().all(|kind| self.known.contains(kind))
    }

    pub fn get(&self, key: &Key) -> Option<&Value> {
        self.objects.get(key)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Value)> {
        self.objects.iter()
    }
}

fn is_ours(object: &DynamicObject) -> bool {
    let labels = object.metadata.labels.as_ref();
    labels.is_some_and(|labels| labels.get(MANAGED).is_some_and(|value| value == "true"))
}

/// An object of the API as we keep it.
pub fn read(kind: Kind, mut object: DynamicObject) -> (Key, Value) {
    // The largest part of it, and of no use here.
    object.metadata.managed_fields = None;
    let key = Key {
        kind,
        namespace: object.metadata.namespace.clone(),
        name: object.metadata.name.clone().unwrap_or_default(),
    };
    let body = serde_json::to_value(object).unwrap_or_default();
    (key, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(name: &str) -> DynamicObject {
        let mut object = DynamicObject::new(name, &Kind::Role.resource()).within("n");
        object.metadata.managed_fields = Some(Vec::new());
        object.metadata.labels = Some([(MANAGED.to_owned(), "true".to_owned())].into());
        object
    }

    fn names(live: &Live) -> Vec<&str> {
        live.iter().map(|(key, _)| key.name.as_str()).collect()
    }

    #[test]
    fn namespaces_of_others_are_places_and_nothing_we_keep() {
        let mut live = Live::default();
        let namespace = |name: &str, ours: bool| {
            let mut object = DynamicObject::new(name, &Kind::Namespace.resource());
            if ours {
                object.metadata.labels = Some([(MANAGED.to_owned(), "true".to_owned())].into());
            }
            object
        };
        live.take(Kind::Namespace, Event::Init);
        live.take(Kind::Namespace, Event::InitApply(namespace("ours", true)));
        live.take(Kind::Namespace, Event::InitApply(namespace("web", false)));
        live.take(Kind::Namespace, Event::InitDone);
        assert_eq!(names(&live), ["ours"]);
        assert_eq!(live.places().iter().collect::<Vec<_>>(), ["ours", "web"]);
        // Listed again: what was there is, until the list is whole.
        live.take(Kind::Namespace, Event::Init);
        assert_eq!(live.places().len(), 2);
        live.take(Kind::Namespace, Event::InitApply(namespace("ours", true)));
        live.take(Kind::Namespace, Event::InitApply(namespace("new", false)));
        assert_eq!(live.places().len(), 3);
        live.take(Kind::Namespace, Event::InitDone);
        assert_eq!(live.places().iter().collect::<Vec<_>>(), ["new", "ours"]);
        live.take(Kind::Namespace, Event::Apply(namespace("web", false)));
        // It loses our label.
        live.take(Kind::Namespace, Event::Apply(namespace("ours", false)));
        assert_eq!(names(&live), [""; 0]);
        assert!(live.places().contains("ours"));
        let mut leaving = serde_json::to_value(namespace("web", false)).unwrap();
        leaving["metadata"]["deletionTimestamp"] = "2026-11-16T00:00:00Z".into();
        let leaving: DynamicObject = serde_json::from_value(leaving).unwrap();
        live.take(Kind::Namespace, Event::Apply(leaving.clone()));
        live.take(Kind::Namespace, Event::Delete(leaving));
        assert_eq!(live.places().iter().collect::<Vec<_>>(), ["new", "ours"]);
    }

    #[test]
    fn what_a_second_list_does_not_name_is_gone() {
        let mut live = Live::default();
        assert!(!live.knows(&[Kind::Role]));
        let list = |live: &mut Live, listed: &[&str]| {
            live.take(Kind::Role, Event::Init);
            for name in listed {
                live.take(Kind::Role, Event::InitApply(object(name)));
            }
            live.take(Kind::Role, Event::InitDone);
        };
        list(&mut live, &["a", "b"]);
        assert!(live.knows(&[Kind::Role]) && !live.knows(&[Kind::Role, Kind::Quota]));
        list(&mut live, &["b", "c"]);
        assert_eq!(names(&live), ["b", "c"]);
        live.take(Kind::Role, Event::Delete(object("b")));
        assert_eq!(names(&live), ["c"]);
    }
}
