//! Who came in at a door, and with which certificate: what the platform goes by before it stops to trust an old one.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use ports::edge::Visits;
use types::ClusterId;

/// Of one cluster.
#[derive(Debug, Default)]
struct Visitor {
    questions: Arc<AtomicU64>,
    /// Serial number of the certificate of the newest connection.
    latest: String,
    /// How many connections are open, by serial number.
    open: BTreeMap<String, u32>,
}

#[derive(Debug, Default)]
pub struct Visitors(Mutex<BTreeMap<ClusterId, Visitor>>);

/// One connection; gone with it.
pub struct Visit {
    visitors: Arc<Visitors>,
    cluster: ClusterId,
    serial: String,
    questions: Arc<AtomicU64>,
}

impl Visitors {
    pub fn enter(self: &Arc<Self>, cluster: &ClusterId, serial: String) -> Visit {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let visitor = all.entry(cluster.clone()).or_default();
        visitor.latest.clone_from(&serial);
        *visitor.open.entry(serial.clone()).or_default() += 1;
        Visit {
            visitors: self.clone(),
            cluster: cluster.clone(),
            serial,
            questions: visitor.questions.clone(),
        }
    }

    pub fn report(&self) -> BTreeMap<ClusterId, Visits> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let visits = |visitor: &Visitor| Visits {
            questions: visitor.questions.load(Ordering::Relaxed),
            latest: visitor.latest.clone(),
            open: visitor.open.keys().cloned().collect(),
        };
        all.iter()
            .map(|(id, visitor)| (id.clone(), visits(visitor)))
            .collect()
    }
}

impl Visit {
    /// A question came and is answered.
    pub fn asked(&self) {
        self.questions.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let mut all = self.visitors.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(visitor) = all.get_mut(&self.cluster) else {
            return;
        };
        if let Some(count) = visitor.open.get_mut(&self.serial) {
            *count -= 1;
            if *count == 0 {
                visitor.open.remove(&self.serial);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_is_told_apart_from_what_came_last() {
        let (visitors, cluster) = (Arc::new(Visitors::default()), ClusterId::generate());
        let first = visitors.enter(&cluster, "aa".to_owned());
        let second = visitors.enter(&cluster, "bb".to_owned());
        first.asked();
        second.asked();
        let seen = visitors.report().remove(&cluster).unwrap();
        assert_eq!((seen.questions, seen.latest.as_str()), (2, "bb"));
        assert_eq!(seen.open.len(), 2);
        drop(first);
        let seen = visitors.report().remove(&cluster).unwrap();
        assert_eq!(seen.open.into_iter().collect::<Vec<_>>(), ["bb"]);
        drop(second);
        let seen = visitors.report().remove(&cluster).unwrap();
        assert!(seen.open.is_empty() && seen.latest == "bb");
    }
}
