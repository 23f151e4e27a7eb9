//! Where a process dies. Every call that changes something passes two points, before its effect and after it; at the
//! armed one the caller stops for ever, and with it every later call, until the switch is disarmed for the next life.
//!
//! ```text
//! run to the end once      → points() names them all
//! for n in 0..points.len() → arm(n); select! { run, killed() }; drop the run; disarm(); run to the end; compare
//! ```

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    Before,
    After,
}

#[derive(Debug, Clone)]
pub struct KillSwitch {
    course: Arc<Mutex<Course>>,
    dead: Arc<watch::Sender<bool>>,
}

#[derive(Debug, Default)]
struct Course {
    passed: Vec<String>,
    armed: Option<usize>,
}

impl Default for KillSwitch {
    fn default() -> Self {
        Self {
            course: Arc::default(),
            dead: Arc::new(watch::Sender::new(false)),
        }
    }
}

impl KillSwitch {
    /// The caller that reaches this point, counted from now, dies there.
    pub fn arm(&self, point: usize) {
        self.restart(Some(point));
    }

    /// A new life, in which nobody dies; points are counted from now.
    pub fn disarm(&self) {
        self.restart(None);
    }

    /// The points passed since the switch was last armed or disarmed, such as `after compute.apply i-…`.
    pub fn points(&self) -> Vec<String> {
        self.course(|course| course.passed.clone())
    }

    /// Returns when the armed point is reached.
    pub async fn killed(&self) {
        let mut dead = self.dead.subscribe();
        // The sender lives as long as this handle.
        let _ = dead.wait_for(|dead| *dead).await;
    }

    pub(super) async fn pass(&self, moment: Moment, call: &str) {
        if *self.dead.borrow() || self.dies_at(moment, call) {
            self.dead.send_replace(true);
            std::future::pending::<()>().await;
        }
    }

    fn dies_at(&self, moment: Moment, call: &str) -> bool {
        let name = match moment {
            Moment::Before => format!("before {call}"),
            Moment::After => format!("after {call}"),
        };
        self.course(|course| {
            course.passed.push(name);
            course.armed == Some(course.passed.len() - 1)
        })
    }

    fn restart(&self, armed: Option<usize>) {
        self.course(|course| {
            *course = Course {
                passed: Vec::new(),
                armed,
            }
        });
        self.dead.send_replace(false);
    }

    fn course<T>(&self, with: impl FnOnce(&mut Course) -> T) -> T {
        with(&mut self.course.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
