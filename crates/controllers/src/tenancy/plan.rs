//! What is to be done so that the cluster is as the platform wants it: a pure function of what is wanted, what was
//! found, and the time.
//!
//! A namespace is removed only when its project is said to have ended and the time it was given is over. One whose
//! project is no longer spoken of at all is left alone: a file with a hole in it must not cost anybody their data.

use std::collections::{BTreeMap, BTreeSet};

use types::{
    Timestamp,
    grant::GrantRole,
    tenancy::{Tenancy, grant_binding, project_namespace, shared_namespace},
};

use super::{
    desired::{self, is_over},
    live::Live,
    object::{Key, Kind, Object},
};

#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    Apply(Object),
    Delete(Key),
}

impl Act {
    pub fn key(&self) -> &Key {
        match self {
            Self::Apply(object) => &object.key,
            Self::Delete(key) => key,
        }
    }
}

#[derive(Debug, PartialEq)]
pub struct Plan {
    pub acts: Vec<Act>,
    /// When there is something to do though nothing changes.
    pub next: Option<Timestamp>,
    /// Namespaces of ours that nothing speaks of any more.
    pub orphans: Vec<String>,
}

/// `kinds` are those that the cluster serves.
pub fn plan(tenancy: &Tenancy, live: &Live, kinds: &[Kind], now: Timestamp) -> Plan {
    let wanted: BTreeMap<Key, Object> = desired::objects(tenancy, live.places(), now)
        .into_iter()
        .filter(|object| kinds.contains(&object.key.kind))
        .map(|object| (object.key.clone(), object))
        .collect();
    let ending = ending(live);
    let mut acts: Vec<Act> = wanted
        .values()
        .filter(|object| !object.key.namespace.as_ref().is_some_and(|n| ending.contains(n)))
        .filter(|object| !live.get(&object.key).is_some_and(|found| object.is_met_by(found)))
        .map(|object| Act::Apply(object.clone()))
        .collect();
    let kept = |namespace: &str| wanted.contains_key(&namespace_key(namespace));
    let stray = live.iter().map(|(key, _)| key).filter(|key| {
        let inside = |n: &String| (kept(n) || of_a_grant(tenancy, key)) && !ending.contains(n);
        !wanted.contains_key(key) && key.namespace.as_ref().is_some_and(inside)
    });
    acts.extend(stray.cloned().map(Act::Delete));
    let over = tenancy.projects.iter().filter(|project| is_over(project, now));
    let over = over.map(|project| project_namespace(&project.id));
    let over = over.filter(|name| live.get(&namespace_key(name)).is_some() && !ending.contains(name));
    acts.extend(over.map(|name| Act::Delete(namespace_key(&name))));
    let ends = tenancy.projects.iter().filter_map(|project| project.remove_after);
    Plan {
        acts,
        next: ends.filter(|end| *end > now).min(),
        orphans: orphans(tenancy, live),
    }
}

/// Also where the namespace is not ours. What a file says nothing of stays.
fn of_a_grant(tenancy: &Tenancy, key: &Key) -> bool {
    let named = || {
        GrantRole::ALL
            .into_iter()
            .any(|role| key.name == grant_binding(role))
    };
    tenancy.grants.is_some() && key.kind == Kind::RoleBinding && named()
}

fn namespace_key(name: &str) -> Key {
    Key {
        kind: Kind::Namespace,
        namespace: None,
        name: name.to_owned(),
    }
}

/// Nothing can be made in a namespace that is on its way out; when it is gone it is made anew, if it is wanted.
fn ending(live: &Live) -> BTreeSet<String> {
    let ending = live.iter().filter(|(key, found)| {
        key.kind == Kind::Namespace && found.pointer("/metadata/deletionTimestamp").is_some()
    });
    ending.map(|(key, _)| key.name.clone()).collect()
}

fn orphans(tenancy: &Tenancy, live: &Live) -> Vec<String> {
    let spoken_of = |name: &String| {
        tenancy.projects.iter().any(|p| project_namespace(&p.id) == *name)
            || tenancy.shared.iter().any(|org| shared_namespace(org) == *name)
    };
    let namespaces = live.iter().filter(|(key, _)| key.kind == Kind::Namespace);
    namespaces
        .map(|(key, _)| key.name.clone())
        .filter(|name| !spoken_of(name))
        .collect()
}
