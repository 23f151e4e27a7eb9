//! Telling the edge, at once, what the books say now. Changes of identities have no cluster or network whose task would
//! do it: this watches the books instead. It decides nothing and keeps nothing; killed at any point, it begins anew.

use std::{sync::Arc, time::Duration};

use iam::keys::KeySet;
use types::Fault;

use super::{api, authorities, keys::key_set, rotate, serving};
use crate::{
    World,
    reconcile::{publish_edge, published},
    records,
};

/// How often it is looked whether the edge has everything, and whether something nears its end.
const PERIOD: Duration = Duration::from_secs(10);
const RETRY: Duration = Duration::from_secs(1);
/// Changes that come together are told together.
const GATHER: Duration = Duration::from_millis(50);

pub struct Publisher {
    world: Arc<World>,
    /// What the edge was told last.
    told: Option<(u64, KeySet)>,
}

impl Publisher {
    pub fn new(world: Arc<World>) -> Self {
        Self { world, told: None }
    }

    /// Until `stop` resolves.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        // Every accepted change is told there, beside much else: the generation of the books says which it was.
        let mut news = self.world.signals.operations();
        let mut complained: Option<Fault> = None;
        tokio::pin!(stop);
        loop {
            let turned = self.turn().await;
            let failed = turned.is_err();
            if turned.as_ref().err() != complained.as_ref() {
                if let Err(fault) = &turned {
                    tracing::warn!(%fault, "the edge could not be told; tried again");
                }
                complained = turned.err();
            }
            let pause = tokio::time::sleep(if failed { RETRY } else { PERIOD });
            tokio::pin!(pause);
            loop {
                tokio::select! {
                    () = &mut stop => return,
                    () = &mut pause => break,
                    changed = news.changed(), if !failed => {
                        if changed.is_err() || self.is_behind().await {
                            tokio::time::sleep(GATHER).await;
                            break;
                        }
                    }
                }
            }
        }
    }

    /// One look, and what follows from it.
    pub async fn turn(&mut self) -> Result<(), Fault> {
        let world = &*self.world;
        let pki = authorities::renew(world).await?;
        serving::renew(world, &pki).await?;
        api::renew(world, &pki).await?;
        // Read first: what is published is at least as new.
        let generation = records::ground(&*world.store).await?.value.edge_generation;
        let keys = key_set(world).await?;
        let told = (generation, keys);
        if self.told.as_ref() != Some(&told) || !published(world).await? {
            publish_edge(world).await?;
            self.told = Some(told);
            world.signals.edge_told(generation);
        }
        // What was published is at least as new as these.
        rotate::turn(world, &pki).await
    }

    async fn is_behind(&self) -> bool {
        let ground = records::ground(&*self.world.store).await;
        ground.is_ok_and(|ground| {
            self.told
                .as_ref()
                .is_none_or(|(told, _)| *told != ground.value.edge_generation)
        })
    }
}
