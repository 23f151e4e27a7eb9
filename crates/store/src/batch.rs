//! A batch, write by write, inside one transaction.

use ports::{
    changes::is_watched,
    store::{Batch, Write},
};
use sqlx::SqliteConnection;

use crate::{changes, documents, error::Trouble, records, secrets, tasks};

/// The number of the last change, if the batch may have made one.
pub(crate) async fn run(tx: &mut SqliteConnection, batch: Batch) -> Result<Option<u64>, Trouble> {
    if let Some(lease) = &batch.fence {
        tasks::check_fence(tx, lease).await?;
    }
    let watched = batch.writes.iter().any(|write| match write {
        Write::Put(doc) => is_watched(doc.kind),
        Write::Delete { kind, .. } => is_watched(kind),
        _ => false,
    });
    for write in batch.writes {
        run_one(tx, write).await?;
    }
    if watched {
        return changes::last(tx).await.map(Some);
    }
    Ok(None)
}

async fn run_one(tx: &mut SqliteConnection, write: Write) -> Result<(), Trouble> {
    match write {
        Write::Put(doc) => documents::put(tx, doc).await,
        Write::Delete { kind, id } => documents::delete(tx, kind, &id).await,
        Write::Wake { subject, at_ms } => tasks::wake(tx, &subject, at_ms).await,
        Write::EndTask { subject } => tasks::end(tx, &subject).await,
        Write::LedgerAdd(entry) => records::ledger_add(tx, &entry).await,
        Write::LedgerRemove { subject, kind, id } => records::ledger_remove(tx, &subject, &kind, &id).await,
        Write::PutSecret { at, sealed } => secrets::put(tx, &at, &sealed).await,
        Write::ReplaceSecret { at, was, sealed } => secrets::replace(tx, &at, &was, &sealed).await,
        Write::RetireKey(key) => secrets::retire_key(tx, &key).await,
        Write::DeleteSecrets { owner } => secrets::delete(tx, &owner).await,
        Write::Event(event) => records::add_event(tx, &event).await,
    }
}
