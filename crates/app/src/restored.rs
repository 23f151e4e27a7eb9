//! A store that was put back from a backup is older than the world it finds: what was told to networks and to the edge since
//! then carries higher generations, and they refuse lower ones; whoever watches has heard of later changes. So it goes ahead of
//! whatever they may have seen.

use ports::{
    Store,
    store::{Batch, Doc, Filter, Write},
};
use types::{Fault, network::Network};

use crate::records;

/// More changes than any platform sees between two backups.
const AHEAD: u64 = 1_000_000;

pub async fn catch_up(store: &dyn Store) -> Result<(), Fault> {
    // Whoever watched heard of changes that this store has yet to number.
    store.forget_changes(AHEAD).await.map_err(records::fault)?;
    let mut ground = records::ground(store).await?;
    ground.value.edge_generation += AHEAD;
    let mut writes = vec![Write::Put(Doc::new(&ground.value, ground.version))];
    for mut network in records::list::<Network>(store, &Filter::default()).await? {
        network.value.generation += AHEAD;
        writes.push(Write::Put(Doc::new(&network.value, network.version)));
    }
    let fence = None;
    store
        .commit(Batch { fence, writes })
        .await
        .map_err(records::fault)
}

#[cfg(test)]
mod tests {
    use ports::fake::MemoryStore;
    use types::{NetworkId, Timestamp};

    use super::*;

    #[tokio::test]
    async fn generations_go_ahead_and_nothing_else_changes() {
        let store = MemoryStore::new();
        let network = Network {
            id: NetworkId::generate(),
            project: crate::default_project(),
            account: "host".to_owned(),
            host: "local".to_owned(),
            name: "lab".parse().unwrap(),
            labels: types::Labels::default(),
            cidr: "10.20.0.0/16".parse().unwrap(),
            generation: 7,
            uplink: 1,
            deleting: false,
            created: Timestamp(1),
        };
        let writes = vec![Write::Put(Doc::new(&network, 0))];
        store.commit(Batch { fence: None, writes }).await.unwrap();
        catch_up(&store).await.unwrap();
        let found = records::get::<Network>(&store, network.id.as_str())
            .await
            .unwrap()
            .unwrap();
        let generation = 7 + AHEAD;
        assert_eq!(
            found.value,
            Network {
                generation,
                ..network.clone()
            }
        );
        assert!(
            store
                .changes("network", crate::default_project().as_str(), 1, 9)
                .await
                .is_err(),
            "heard before"
        );
        let ground = records::ground(&store).await.unwrap();
        assert_eq!(ground.value.edge_generation, AHEAD);
    }
}
