//! A few counters, in Prometheus' text form.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts one for as long as it lives.
pub(crate) struct Gauge<'a>(&'a AtomicU64);

impl Drop for Gauge<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Debug, Default)]
pub(crate) struct Metrics {
    pub connections: Counter,
    open: AtomicU64,
    /// From clients to backends, and back.
    pub bytes_in: Counter,
    pub bytes_out: Counter,
    /// No TLS, no name, or a name that nobody has.
    pub refused: Counter,
    pub backend_failures: Counter,
    pub registry_requests: Counter,
    pub registry_refused: Counter,
    pub registry_bytes: Counter,
    pub dns_queries: Counter,
    /// No query, or none that is relayed.
    pub dns_refused: Counter,
    /// No resolver answered, there is none, or too many queries were waiting.
    pub dns_failures: Counter,
    pub reviews: Counter,
    /// Answered without checking a signature again.
    pub reviews_remembered: Counter,
    /// By the code of the reason.
    reviews_refused: Mutex<BTreeMap<&'static str, u64>>,
    pub pushes: Counter,
}

impl Metrics {
    pub(crate) fn opened(&self) -> Gauge<'_> {
        self.open.fetch_add(1, Ordering::Relaxed);
        Gauge(&self.open)
    }

    pub(crate) fn refused_review(&self, code: &'static str) {
        let mut refused = self
            .reviews_refused
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        *refused.entry(code).or_default() += 1;
    }

    pub(crate) fn render(&self, generation: u64, networks: usize, pending: usize) -> String {
        let rows = [
            ("edge_connections_total", "counter", self.connections.get()),
            (
                "edge_connections_open",
                "gauge",
                self.open.load(Ordering::Relaxed),
            ),
            ("edge_bytes_in_total", "counter", self.bytes_in.get()),
            ("edge_bytes_out_total", "counter", self.bytes_out.get()),
            ("edge_refused_total", "counter", self.refused.get()),
            (
                "edge_backend_failures_total",
                "counter",
                self.backend_failures.get(),
            ),
            (
                "edge_registry_requests_total",
                "counter",
                self.registry_requests.get(),
            ),
            (
                "edge_registry_refused_total",
                "counter",
                self.registry_refused.get(),
            ),
            ("edge_registry_bytes_total", "counter", self.registry_bytes.get()),
            ("edge_dns_queries_total", "counter", self.dns_queries.get()),
            ("edge_dns_refused_total", "counter", self.dns_refused.get()),
            ("edge_dns_failures_total", "counter", self.dns_failures.get()),
            ("edge_reviews_total", "counter", self.reviews.get()),
            (
                "edge_reviews_remembered_total",
                "counter",
                self.reviews_remembered.get(),
            ),
            ("edge_config_pushes_total", "counter", self.pushes.get()),
            ("edge_config_generation", "gauge", generation),
            ("edge_networks", "gauge", networks as u64),
            ("edge_networks_pending", "gauge", pending as u64),
        ];
        let mut text = rows.iter().fold(String::new(), |mut text, (name, kind, value)| {
            let _ = writeln!(text, "# TYPE {name} {kind}\n{name} {value}");
            text
        });
        let refused = self
            .reviews_refused
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        text.push_str("# TYPE edge_reviews_refused_total counter\n");
        for (code, count) in &*refused {
            let _ = writeln!(text, "edge_reviews_refused_total{{code=\"{code}\"}} {count}");
        }
        text
    }
}
