//! Pulling the plug on purpose: with PLASMACLOUD_KILL_AT=<step>:<moment> the daemon kills itself at that point of a
//! plan, as a power cut would. `<step>` may end in `*`. For tests; without the variable nothing is looked at.

use std::sync::Arc;

use workflow::{NoProbe, Point, Probe, Reached};

const VARIABLE: &str = "PLASMACLOUD_KILL_AT";

pub struct KillProbe {
    step: String,
    moment: String,
}

impl KillProbe {
    pub fn from_environment() -> Arc<dyn Probe> {
        let wanted = std::env::var(VARIABLE).ok();
        match wanted.as_deref().and_then(|at| at.split_once(':')) {
            Some((step, moment)) => Arc::new(Self {
                step: step.to_owned(),
                moment: moment.to_owned(),
            }),
            None => Arc::new(NoProbe),
        }
    }

    fn matches(&self, point: &Point<'_>) -> bool {
        let step = match self.step.strip_suffix('*') {
            Some(prefix) => point.step.starts_with(prefix),
            None => point.step == self.step,
        };
        step && point.moment.as_str() == self.moment
    }
}

impl Probe for KillProbe {
    fn reached(&self, point: Point<'_>) -> Reached {
        if self.matches(&point) {
            // No destructor, no flush, no goodbye.
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
        Reached::GoOn
    }
}
