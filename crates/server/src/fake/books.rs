//! What the fake platform has, written into a store: lists and watches are read from there, as the real platform's are.

use ports::store::{Batch, Doc, Filter, Write};

use super::Fake;

const KINDS: [&str; 4] = ["network", "cluster", "machine", "operation"];

impl Fake {
    /// Writes what differs. One at a time, so that what is written last is what is.
    pub(super) async fn write_books(&self) {
        let _turn = self.turn.lock().await;
        let mut known: Vec<Doc> = Vec::new();
        for kind in KINDS {
            let docs = self.books.list(kind, &Filter::default()).await;
            known.extend(docs.expect("memory answers"));
        }
        let (present, events) = {
            let world = self.world();
            let mut present: Vec<Doc> = Vec::new();
            present.extend(world.networks.iter().map(|thing| Doc::new(thing, 0)));
            present.extend(world.clusters.iter().map(|thing| Doc::new(thing, 0)));
            present.extend(world.machines.iter().map(|thing| Doc::new(thing, 0)));
            present.extend(world.operations.iter().map(|thing| Doc::new(&*thing.borrow(), 0)));
            (present, world.events.clone())
        };
        let mut writes: Vec<Write> = events.into_iter().rev().map(Write::Event).collect();
        for mut doc in present {
            let place = known
                .iter()
                .position(|old| old.kind == doc.kind && old.id == doc.id);
            let old = place.map(|place| known.swap_remove(place));
            doc.version = old.as_ref().map_or(0, |old| old.version);
            if old.is_none_or(|old| old.body != doc.body) {
                writes.push(Write::Put(doc));
            }
        }
        let gone = known
            .into_iter()
            .map(|Doc { kind, id, .. }| Write::Delete { kind, id });
        writes.extend(gone);
        let written = self.books.commit(Batch { fence: None, writes }).await;
        written.expect("memory takes everything");
    }
}
