//! What machines said, kept when a test fails: it goes with them.

use std::{fs, path::Path, process::Command, time::Duration};

use crate::command::run;

/// Copies it beside the logs.
pub fn keep_evidence(state: &Path, log: &Path) {
    for machine in fs::read_dir(state.join("machines"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let name = machine.file_name().to_string_lossy().into_owned();
        let kept = |what: &str| log.join(format!("{name}.{what}"));
        for console in ["data/console.log", "console.log"] {
            let _ = fs::copy(machine.path().join(console), kept("console"));
        }
        let journal = machine.path().join("root/var/log/journal");
        if journal.exists() {
            let words = ["--no-pager", "--lines=2000", "--directory"];
            let ended = run(
                Command::new("journalctl").args(words).arg(journal),
                Duration::from_secs(30),
            );
            let _ = fs::write(kept("journal"), ended.stdout);
        }
        for log in fs::read_dir(machine.path().join("root/var/log/plasmacloud"))
            .into_iter()
            .flatten()
            .flatten()
        {
            let _ = fs::copy(log.path(), kept(&log.file_name().to_string_lossy()));
        }
    }
}
