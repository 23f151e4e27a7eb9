//! Figures in the Prometheus text format: requests by route and status, how long they took, what there is.
//! A registry would be larger than what it registers.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};
use tokio::time::Instant;

use crate::{router::Api, surface::Census};

/// Upper bounds in seconds.
const BUCKETS: [f64; 8] = [0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0];

#[derive(Debug, Default)]
pub struct Metrics {
    requests: Mutex<BTreeMap<Series, Latency>>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Series {
    method: String,
    route: String,
    status: u16,
}

#[derive(Debug, Default)]
struct Latency {
    count: u64,
    sum: f64,
    within: [u64; BUCKETS.len()],
}

impl Metrics {
    fn record(&self, method: String, route: String, status: u16, took: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let latency = requests
            .entry(Series {
                method,
                route,
                status,
            })
            .or_default();
        let seconds = took.as_secs_f64();
        latency.count += 1;
        latency.sum += seconds;
        for (bound, within) in BUCKETS.iter().zip(&mut latency.within) {
            *within += u64::from(seconds <= *bound);
        }
    }

    pub fn render(&self, census: &Census) -> String {
        let mut text = String::new();
        self.render_requests(&mut text);
        gauge(
            &mut text,
            "plasmacloud_clusters",
            "Clusters by phase.",
            census
                .clusters
                .iter()
                .map(|(phase, count)| ("phase", phase.as_str(), *count)),
        );
        gauge(
            &mut text,
            "plasmacloud_operations",
            "Operations by state.",
            census
                .operations
                .iter()
                .map(|(state, count)| ("state", state.as_str(), *count)),
        );
        text
    }

    fn render_requests(&self, text: &mut String) {
        const NAME: &str = "plasmacloud_http_request_duration_seconds";
        heading(
            text,
            NAME,
            "How long requests took until their answer began.",
            "histogram",
        );
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        for (
            Series {
                method,
                route,
                status,
            },
            latency,
        ) in requests.iter()
        {
            let labels = format!(r#"method="{method}",route="{route}",status="{status}""#);
            for (bound, within) in BUCKETS.iter().zip(latency.within) {
                let _ = writeln!(text, r#"{NAME}_bucket{{{labels},le="{bound}"}} {within}"#);
            }
            let _ = writeln!(text, r#"{NAME}_bucket{{{labels},le="+Inf"}} {}"#, latency.count);
            let _ = writeln!(text, "{NAME}_sum{{{labels}}} {}", latency.sum);
            let _ = writeln!(text, "{NAME}_count{{{labels}}} {}", latency.count);
        }
    }
}

fn heading(text: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn gauge<'a>(text: &mut String, name: &str, help: &str, rows: impl Iterator<Item = (&'a str, &'a str, u64)>) {
    heading(text, name, help, "gauge");
    for (label, value, count) in rows {
        let _ = writeln!(text, r#"{name}{{{label}="{value}"}} {count}"#);
    }
}

/// Counts and logs a request under the pattern it matched, so that names do not become series.
pub async fn observe(State(api): State<Api>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let method = request.method().to_string();
    let matched = request
        .extensions()
        .get::<MatchedPath>()
        .map(|path| path.as_str().to_owned());
    let response = next.run(request).await;
    let took = began.elapsed();
    let status = response.status().as_u16();
    let route = matched.unwrap_or_else(|| "none".to_owned());
    tracing::debug!(method, route, status, ms = took.as_millis(), "request");
    api.metrics.record(method, route, status, took);
    response
}

#[cfg(test)]
mod tests {
    use types::{operation::OperationState, status::ClusterPhase};

    use super::*;

    #[test]
    fn what_is_recorded_is_rendered() {
        let metrics = Metrics::default();
        metrics.record("GET".into(), "/healthz".into(), 200, Duration::from_millis(3));
        metrics.record("GET".into(), "/healthz".into(), 200, Duration::from_secs(100));
        let census = Census {
            clusters: vec![(ClusterPhase::Running, 3)],
            operations: vec![(OperationState::Superseded, 1)],
        };
        let text = metrics.render(&census);
        let labels = r#"method="GET",route="/healthz",status="200""#;
        for line in [
            format!(r#"plasmacloud_http_request_duration_seconds_bucket{{{labels},le="0.001"}} 0"#),
            format!(r#"plasmacloud_http_request_duration_seconds_bucket{{{labels},le="0.005"}} 1"#),
            format!(r#"plasmacloud_http_request_duration_seconds_bucket{{{labels},le="60"}} 1"#),
            format!(r#"plasmacloud_http_request_duration_seconds_bucket{{{labels},le="+Inf"}} 2"#),
            r#"plasmacloud_clusters{phase="RUNNING"} 3"#.to_owned(),
            r#"plasmacloud_operations{state="superseded"} 1"#.to_owned(),
        ] {
            assert!(text.lines().any(|l| l == line), "{line} in\n{text}");
        }
    }
}
