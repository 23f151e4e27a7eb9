//! `make bench`: how fast and how small the platform is, as ratios to the same programs bare, medians of five.
//! Timings on a shared machine are noisy; the ratios are what counts. Markdown on standard output.
//!
//! For a try: `BENCH_ONLY` names the parts to run (`start,pods,alone,many,up`), `BENCH_ROUNDS` how often,
//! `BENCH_CLUSTERS` how many at once; `BENCH_SETTLE_S` and `BENCH_IDLE_S` shorten rest and watch of the cluster that is
//! weighed beside a bare one, `BENCH_PLATFORM_SETTLE_S` and `BENCH_PLATFORM_IDLE_S` those of the platform.

mod alone;
mod bare;
mod figures;
mod idle;
mod many;
mod nodes;
mod plane;
mod pods;
mod proc;
mod up;
mod weight;

use e2e::{Platform, Process};
use figures::Report;

fn main() {
    let rounds = std::env::var("BENCH_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(5);
    let only = std::env::var("BENCH_ONLY").ok();
    let wanted = |part: &str| {
        only.as_ref()
            .is_none_or(|only| only.split(',').any(|word| word == part))
    };
    let mut report = Report::default();
    if let Some(note) = company() {
        eprintln!("{note}");
        report.explain(note);
    }
    if ["start", "pods", "alone", "many"].into_iter().any(wanted) {
        on_a_platform(rounds, wanted, &mut report);
    }
    if wanted("up") {
        up::measure(rounds, &mut report);
    }
    print!("{report}");
}

fn on_a_platform(rounds: usize, wanted: impl Fn(&str) -> bool, report: &mut Report) {
    let platform = Platform::start();
    platform
        .cloud(&["vpc", "create", "--name", "bench", "--cidr", "10.30.0.0/16"])
        .ok();
    if wanted("start") {
        let bare = bare::starts(rounds);
        plane::measure(&platform, rounds, bare, report);
        nodes::measure(&platform, rounds, bare, report);
    }
    if wanted("pods") {
        pods::measure(&platform, rounds, report);
    }
    if wanted("alone") {
        alone::measure(&platform, report);
    }
    if wanted("many") {
        many::measure(&platform, rounds, report);
        idle::measure(&platform, report);
        many::clean_up(&platform);
    }
    platform.finish();
}

/// Who else runs Kubernetes here: they take CPU, and pages that they have in common with us are counted in parts.
fn company() -> Option<String> {
    let programs = ["kube-apiserver", "kubelet"];
    let count = Process::all()
        .iter()
        .filter(|p| programs.contains(&proc::name(p).as_str()))
        .count();
    (count > 0).then(|| {
        format!("Not a quiet machine: {count} kubelets and API servers ran beside this, so these figures do not count.\n")
    })
}
