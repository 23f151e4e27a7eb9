//! A test as a row of stages on one platform. A stage that fails does not hide what the later ones find.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Instant,
};

#[derive(Default)]
pub struct Stages {
    failed: Vec<String>,
    only: Option<String>,
}

impl Stages {
    /// With `PLASMACLOUD_STAGE` set only stages whose name contains it are run; for work on one of them.
    pub fn new() -> Self {
        Self {
            failed: Vec::new(),
            only: std::env::var("PLASMACLOUD_STAGE").ok(),
        }
    }

    pub fn run(&mut self, name: &str, stage: impl FnOnce()) {
        if self
            .only
            .as_ref()
            .is_some_and(|only| !name.contains(only.as_str()))
        {
            return;
        }
        let start = Instant::now();
        eprintln!("---- {name}");
        let outcome = catch_unwind(AssertUnwindSafe(stage));
        let took = start.elapsed().as_secs_f64();
        match outcome {
            Ok(()) => eprintln!("  ok {name} ({took:.1} s)"),
            Err(cause) => {
                let text = cause.downcast_ref::<String>().cloned();
                let text = text.or_else(|| cause.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                eprintln!("FAIL {name} ({took:.1} s)");
                self.failed.push(format!("{name}: {}", text.unwrap_or_default()));
            }
        }
    }

    #[track_caller]
    pub fn end(self) {
        assert!(
            self.failed.is_empty(),
            "{} failed:\n\n{}",
            self.failed.len(),
            self.failed.join("\n\n")
        );
    }
}
