//! `make bench`: how fast and how small the platform is, as ratios to the same programs bare, medians of five.
//! Timings on a shared machine are noisy; the ratios are what counts. Markdown on standard output.

mod bare;
mod figures;
mod idle;
mod many;
mod nodes;
mod plane;
mod pods;

use e2e::Platform;
use figures::Report;

fn main() {
    let rounds = std::env::var("BENCH_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(5);
    let mut report = Report::default();
    let bare = bare::starts(rounds);
    let platform = Platform::start();
    platform
        .cloud(&["vpc", "create", "--name", "bench", "--cidr", "10.30.0.0/16"])
        .ok();
    plane::measure(&platform, rounds, bare, &mut report);
    nodes::measure(&platform, rounds, bare, &mut report);
    pods::measure(&platform, rounds, &mut report);
    many::measure(&platform, &mut report);
    idle::measure(&platform, &mut report);
    many::clean_up(&platform);
    platform.finish();
    print!("{report}");
}
