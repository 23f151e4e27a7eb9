//! One query, answered: by the first of the host's resolvers that has an answer, or with a failure. Shared by all networks.

use std::{path::PathBuf, sync::Arc, time::Duration};

use tokio::time::timeout;

use super::{
    message::{self, Query, Received},
    resolvers::Resolvers,
    upstream::{self, Transport},
};
use crate::metrics::Metrics;

/// How long one resolver has.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) struct Forwarder {
    resolvers: Resolvers,
    metrics: Arc<Metrics>,
}

impl Forwarder {
    pub(crate) fn new(resolv_conf: PathBuf, metrics: Arc<Metrics>) -> Self {
        let resolvers = Resolvers::new(resolv_conf);
        // Said in the log at the start, not only once somebody asks.
        resolvers.current();
        Self { resolvers, metrics }
    }

    pub(super) fn receive(&self, bytes: &[u8]) -> Received {
        self.metrics.dns_queries.add(1);
        let received = message::receive(bytes);
        if !matches!(received, Received::Query(_)) {
            self.metrics.dns_refused.add(1);
        }
        received
    }

    pub(super) fn fail(&self, query: &Query) -> Vec<u8> {
        self.metrics.dns_failures.add(1);
        query.failure()
    }

    pub(super) async fn forward(&self, query: &Query, transport: Transport) -> Vec<u8> {
        match self.first_answer(query, transport).await {
            Some(answer) => answer,
            None => self.fail(query),
        }
    }

    /// A resolver that refuses is believed only if no other one knows better, as the host's own programs do it.
    async fn first_answer(&self, query: &Query, transport: Transport) -> Option<Vec<u8>> {
        let mut refusal = None;
        for server in self.resolvers.current() {
            match timeout(PATIENCE, upstream::ask(query, server, transport)).await {
                Ok(Ok(answer)) if message::is_refusal(&answer) => refusal = refusal.or(Some(answer)),
                Ok(Ok(answer)) => return Some(answer),
                Ok(Err(error)) => tracing::debug!(%server, %error, "a resolver could not be asked"),
                Err(_) => {
                    self.resolvers.was_silent(server);
                    tracing::debug!(%server, "a resolver did not answer in time");
                }
            }
        }
        refusal
    }
}
