//! Running a suite: every case on a bench of its own, the rest also when one fails, each failure under its name.

use std::{
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::Poll,
    time::{Duration, Instant},
};

use tokio::task::JoinSet;
use types::{Fault, FaultKind};

/// Far beyond what any case takes: one that waits for ever is named, too.
const LIMIT: Duration = Duration::from_secs(90);
/// For what the kernel does a little later than it was told to.
const SOON: Duration = Duration::from_secs(20);

/// Declares `suite`, which runs the cases in this order.
macro_rules! suite {
    ($port:literal, $bench:path, [$($case:path),* $(,)?]) => {
        /// Runs every case on a fresh bench that `make` answers. Panics at the end with the names of the cases in which
        /// the contract is broken.
        pub async fn suite<B: $bench>(make: impl AsyncFn() -> B) {
            let mut run = $crate::conformance::Run::of($port);
            $(
                run.case(stringify!($case), async {
                    let bench = make().await;
                    $case(&bench).await;
                })
                .await;
            )*
            run.end();
        }
    };
}
pub(super) use suite;

pub(super) struct Run {
    port: &'static str,
    cases: usize,
    failed: Vec<&'static str>,
    begun: Instant,
}

impl Run {
    pub(super) fn of(port: &'static str) -> Self {
        Self {
            port,
            cases: 0,
            failed: Vec::new(),
            begun: Instant::now(),
        }
    }

    pub(super) async fn case(&mut self, name: &'static str, case: impl Future<Output = ()>) {
        let (port, begun) = (self.port, Instant::now());
        let limited = async {
            if tokio::time::timeout(LIMIT, case).await.is_err() {
                panic!("no end after {LIMIT:?}");
            }
        };
        let held = caught(limited).await;
        self.cases += 1;
        eprintln!(
            "{port}: {name}: {:?}{}",
            begun.elapsed(),
            if held { "" } else { " FAILED" }
        );
        if !held {
            self.failed.push(name);
        }
    }

    pub(super) fn end(self) {
        let Self {
            port,
            cases,
            failed,
            begun,
        } = self;
        eprintln!("{port}: {cases} cases in {:?}", begun.elapsed());
        assert!(
            failed.is_empty(),
            "the contract of {port} is broken in: {}",
            failed.join(", ")
        );
    }
}

/// Whether it came to its end without a panic.
async fn caught(case: impl Future<Output = ()>) -> bool {
    let mut case = pin!(case);
    poll_fn(
        |context| match catch_unwind(AssertUnwindSafe(|| case.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(())) => Poll::Ready(true),
            Err(_) => Poll::Ready(false),
        },
    )
    .await
}

/// The fault that a refusal is to be: of this kind, under this code, with something to read and something to do.
#[track_caller]
pub(super) fn told<T: std::fmt::Debug>(outcome: Result<T, Fault>, kind: FaultKind, code: &str) -> Fault {
    let fault = outcome.expect_err("it is refused");
    assert_eq!((fault.kind, fault.code.as_ref()), (kind, code), "{fault}");
    assert!(!fault.cause.is_empty() && !fault.remedy.is_empty(), "{fault:?}");
    fault
}

/// Begins a call and goes away in the middle of it.
pub(super) async fn abandon(call: impl Future) {
    tokio::select! {
        biased;
        _ = call => {}
        () = tokio::task::yield_now() => {}
    }
}

/// All calls at the same time; their answers in the order they came.
pub(super) async fn at_once<T: Send + 'static>(
    calls: impl IntoIterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    calls.into_iter().collect::<JoinSet<_>>().join_all().await
}

/// Waits for what is to come about soon.
pub(super) async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + SOON;
    while !holds().await {
        assert!(Instant::now() < deadline, "{what} did not come about");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test]
    #[should_panic(expected = "the contract of Port is broken in: second")]
    async fn what_is_broken_is_named_and_the_rest_is_run() {
        let ran = AtomicU32::new(0);
        let mut run = Run::of("Port");
        run.case("first", async { _ = ran.fetch_add(1, Ordering::Relaxed) })
            .await;
        run.case("second", async { panic!("as the test wants") }).await;
        run.case("third", async { _ = ran.fetch_add(1, Ordering::Relaxed) })
            .await;
        assert_eq!(ran.into_inner(), 2);
        run.end();
    }
}
