//! `make up` on a machine where it was run before, whole: tools, build and bundle looked at, platform and cluster made.
//! It runs on a state directory and ports of its own and touches no other platform.

use std::{
    net::TcpListener,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use e2e::run;

use crate::figures::{Report, median, seconds};

const LONG: Duration = Duration::from_secs(1200);
const BAR: Duration = Duration::from_secs(60);

pub fn measure(rounds: usize, report: &mut Report) {
    assert!(
        Path::new("Makefile").exists(),
        "bench is run in the checkout, as scripts/bench does"
    );
    let stage = Stage::new();
    stage.make("up");
    let mut times = Vec::new();
    for _ in 0..rounds {
        stage.make("down");
        let began = Instant::now();
        stage.make("up");
        times.push(began.elapsed());
    }
    stage.make("down");
    let time = median(times);
    report.add(
        "`make up` after `make down`, built before",
        seconds(time),
        "≤ 60 s",
        Some(time <= BAR),
    );
}

struct Stage {
    state: String,
    listen: String,
    endpoint: String,
}

impl Stage {
    fn new() -> Self {
        let held = [(); 2].map(|()| TcpListener::bind(("127.0.0.1", 0)).expect("a free port"));
        let [listen, endpoint] = held
            .each_ref()
            .map(|held| held.local_addr().expect("bound").to_string());
        Self {
            state: format!("/var/tmp/pcup-{}", std::process::id()),
            listen,
            endpoint,
        }
    }

    fn make(&self, target: &str) {
        let mut make = Command::new("make");
        make.arg(target)
            .env("PLASMACLOUD_STATE_DIR", &self.state)
            .env("PLASMACLOUD_LISTEN", &self.listen)
            .env("PLASMACLOUD_CLUSTER_ENDPOINT", &self.endpoint);
        if let Some(bin) = std::env::var_os("PLASMACLOUD_BIN_DIR") {
            make.env("BIN", bin);
        }
        run(&mut make, LONG).ok();
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if std::thread::panicking() && Path::new(&self.state).exists() {
            self.make("down");
        }
    }
}
