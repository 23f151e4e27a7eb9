//! Pulling the plug on purpose: with `PLASMACLOUD_KILL_FILE=<file>` the daemon kills itself, as a power cut would, when
//! it comes to the point that the file names: `<kind of subject>/<step>:<moment>`, where `<step>` may end in `*`. The
//! file is removed first, so it dies once. For tests; without the variable nothing is looked at.

use std::{fs, path::PathBuf, sync::Arc};

use workflow::{NoProbe, Point, Probe, Reached};

const VARIABLE: &str = "PLASMACLOUD_KILL_FILE";

pub struct KillProbe(PathBuf);

impl KillProbe {
    pub fn from_environment() -> Arc<dyn Probe> {
        match std::env::var_os(VARIABLE) {
            Some(file) => Arc::new(Self(file.into())),
            None => Arc::new(NoProbe),
        }
    }
}

fn matches(order: &str, point: &Point<'_>) -> bool {
    let here = format!("{}/{}", point.subject.kind.as_str(), point.step);
    let Some((step, moment)) = order.trim().rsplit_once(':') else {
        return false;
    };
    let step = match step.strip_suffix('*') {
        Some(prefix) => here.starts_with(prefix),
        None => here == step,
    };
    step && point.moment.as_str() == moment
}

impl Probe for KillProbe {
    fn reached(&self, point: Point<'_>) -> Reached {
        let ordered = fs::read_to_string(&self.0).is_ok_and(|order| matches(&order, &point));
        if ordered && fs::remove_file(&self.0).is_ok() {
            // No destructor, no flush, no goodbye.
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
        Reached::GoOn
    }
}
