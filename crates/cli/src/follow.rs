//! Waiting for an operation. The platform may be restarted meanwhile: the operation goes on, and so does the watch.

use std::time::Duration;

use api::{
    client::{Client, ClientError},
    operation::{OperationStateView, OperationView},
};
use tokio::time::{Instant, sleep};

use crate::{
    failure::{Exit, Failure},
    progress::{self, Screen, Tracker, Update},
};

/// How long the platform may be away before waiting ends.
const PATIENCE: Duration = Duration::from_secs(60);
const RETRY: Duration = Duration::from_millis(500);

/// Shows the operation's steps until it has ended; a failed one is a failure.
pub async fn follow(client: &Client, operation: OperationView) -> Result<OperationView, Failure> {
    outcome(ended(client, operation).await?)
}

/// Shows the operation's steps until it has ended, however it ends.
pub async fn ended(client: &Client, operation: OperationView) -> Result<OperationView, Failure> {
    let mut screen = progress::screen();
    let id = operation.id.clone();
    let ended = tokio::select! {
        ended = until_ended(client, operation, screen.as_mut()) => ended,
        _ = tokio::signal::ctrl_c() => Err(Failure::new(
            Exit::Interrupted,
            "interrupted",
            format!("waiting was stopped; operation {id} goes on"),
            format!("watch it with `cloud operation watch {id}`, or stop it with `cloud operation cancel {id}`"),
        )),
    };
    screen.close();
    ended
}

async fn until_ended(
    client: &Client,
    mut operation: OperationView,
    screen: &mut dyn Screen,
) -> Result<OperationView, Failure> {
    let mut tracker = Tracker::default();
    let mut heard = Instant::now();
    let mut away = false;
    loop {
        let id = operation.id.clone();
        match watch_once(client, &mut operation, &mut tracker, screen, &mut heard).await {
            Ok(()) if operation.state.is_final() => return Ok(operation),
            Ok(()) => away = false,
            Err(error) if error.is_unreachable() && heard.elapsed() < PATIENCE => {
                if !away {
                    let at = latest(&operation);
                    screen.show(
                        at,
                        &Update::Note("the platform does not answer; trying again".to_owned()),
                    );
                }
                away = true;
            }
            Err(error) => {
                let mut failure = Failure::from(error);
                if failure.exit == Exit::Unreachable {
                    failure.remedy = format!(
                        "start cloudd: operation {id} goes on then; watch it with `cloud operation watch {id}`"
                    );
                }
                return Err(failure);
            }
        }
        sleep(RETRY).await;
    }
}

/// One connection's worth of watching.
async fn watch_once(
    client: &Client,
    operation: &mut OperationView,
    tracker: &mut Tracker,
    screen: &mut dyn Screen,
    heard: &mut Instant,
) -> Result<(), ClientError> {
    let mut watch = client.watch_operation(&operation.id).await?;
    while let Some(now) = watch.next().await? {
        *heard = Instant::now();
        for (at, update) in tracker.updates(&now) {
            screen.show(at, &update);
        }
        *operation = now;
        if operation.state.is_final() {
            break;
        }
    }
    Ok(())
}

/// The latest moment the operation's steps know of.
pub fn latest(operation: &OperationView) -> Duration {
    let moments = operation
        .steps
        .iter()
        .map(|step| step.ended_ms.unwrap_or(step.began_ms));
    Duration::from_millis(moments.max().unwrap_or_default())
}

fn outcome(operation: OperationView) -> Result<OperationView, Failure> {
    let what = format!(
        "{} of {} {}",
        operation.kind.as_str(),
        operation.subject_kind,
        operation.subject_name
    );
    match (operation.state, operation.fault) {
        (OperationStateView::Running | OperationStateView::Succeeded, fault) => {
            Ok(OperationView { fault, ..operation })
        }
        (OperationStateView::Superseded, _) => Err(Failure::new(
            Exit::Refused,
            "operation-superseded",
            format!("the {what} was overtaken by a newer change or by deletion"),
            "see `cloud operation list` for what took its place",
        )),
        (OperationStateView::Cancelled, _) => Err(Failure::new(
            Exit::Failed,
            "operation-cancelled",
            format!("the {what} was cancelled; what was made is held"),
            format!(
                "take it up again with `cloud k8s retry {name}`, or remove it with `cloud k8s delete {name}`",
                name = operation.subject_name
            ),
        )),
        (OperationStateView::Failed, Some(fault)) => Err(Failure::new(
            Exit::Failed,
            &fault.code,
            format!("the {what} failed: {}", fault.cause),
            fault.remedy,
        )),
        (OperationStateView::Failed, None) => Err(Failure::new(
            Exit::Failed,
            "operation-failed",
            format!("the {what} failed"),
            format!("see `cloud operation get {}`", operation.id),
        )),
    }
}
