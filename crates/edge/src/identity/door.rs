//! The way in of one network: which TLS is in force there. Shut while there is none.

use std::sync::{Arc, RwLock};

use ports::edge::{EdgeIdentity, Serving};
use types::NetworkId;

use super::{
    tls::{Tls, TlsError},
    visitors::Visitors,
};

pub struct Door {
    pub network: NetworkId,
    tls: RwLock<Option<Arc<Tls>>>,
    pub(crate) visitors: Arc<Visitors>,
}

impl Door {
    pub fn new(network: NetworkId, tls: Option<Arc<Tls>>) -> Self {
        Self {
            network,
            tls: RwLock::new(tls),
            visitors: Arc::default(),
        }
    }

    pub fn tls(&self) -> Option<Arc<Tls>> {
        self.tls
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .clone()
    }

    /// In force for the next connection, and for the next request of every open one.
    pub fn set(&self, tls: Option<Arc<Tls>>) {
        *self.tls.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = tls;
    }

    /// What is wanted here; the same one where nothing about it changed.
    pub(crate) fn wanted(
        door: Option<&Self>,
        identity: Option<&EdgeIdentity>,
        serving: Option<&Serving>,
    ) -> Result<Option<Arc<Tls>>, TlsError> {
        let (Some(identity), Some(serving)) = (identity, serving) else {
            return Ok(None);
        };
        let same = door
            .and_then(Self::tls)
            .filter(|tls| tls.is_of(identity, serving));
        match same {
            Some(same) => Ok(Some(same)),
            None => Ok(Tls::new(identity, serving)?.map(Arc::new)),
        }
    }
}
