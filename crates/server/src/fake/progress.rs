//! How a fake operation goes on: step after step, quickly, and with the end its subject's name asks for.

use std::time::Duration;

use tokio::{sync::watch, time::sleep};
use types::{
    Fault, FaultKind,
    operation::{Operation, OperationKind, OperationState, StepRecord, StepState, SubjectKind},
    status::{ClusterPhase, MachinePhase},
};

use super::{Fake, samples};

const PACE: Duration = Duration::from_millis(5);

pub async fn run(fake: Fake, operation: watch::Sender<Operation>) {
    let (kind, name) = {
        let now = operation.borrow();
        (now.kind, now.subject_name.clone())
    };
    for (number, title) in steps(kind).iter().enumerate() {
        let began_ms = number as u64 * 1000;
        operation.send_modify(|now| {
            now.steps.push(StepRecord {
                key: format!("step-{number}"),
                title: format!("{title} of {name}"),
                state: StepState::Running,
                attempts: 1,
                began_ms,
                ended_ms: None,
                fault: None,
            });
        });
        fake.write_books().await;
        sleep(PACE).await;
        if name == "stuck" {
            return;
        }
        if name == "broken" && kind == OperationKind::Create && number == 1 {
            operation.send_modify(fail);
            fake.write_books().await;
            return;
        }
        operation.send_modify(|now| {
            let step = &mut now.steps[number];
            step.state = StepState::Done;
            step.ended_ms = Some(began_ms + 700);
        });
    }
    settle(&fake, &operation.borrow());
    operation.send_modify(|now| {
        now.state = OperationState::Succeeded;
        now.finished = Some(samples::NOW);
        if kind == OperationKind::Delete {
            now.report = vec![
                "removed: 1 machine, 1 volume".to_owned(),
                "left: nothing".to_owned(),
            ];
        }
    });
    fake.write_books().await;
}

fn steps(kind: OperationKind) -> &'static [&'static str] {
    match kind {
        OperationKind::Create => &["network port", "machine", "control plane"],
        OperationKind::Update => &["machine"],
        OperationKind::Delete => &["machine", "scan"],
    }
}

fn fail(now: &mut Operation) {
    let fault = Fault::new(
        FaultKind::Exhausted,
        "disk-full",
        "the disk is full",
        "free some space and apply again",
    );
    now.steps[1].state = StepState::Failed;
    now.steps[1].ended_ms = Some(1500);
    now.steps[1].fault = Some(fault.clone());
    now.state = OperationState::Failed;
    now.fault = Some(fault);
    now.finished = Some(samples::NOW);
}

/// What the operation did to its subject.
fn settle(fake: &Fake, operation: &Operation) {
    let mut world = fake.world();
    let id = &operation.subject.id;
    match (operation.subject.kind, operation.kind) {
        (SubjectKind::Network, OperationKind::Delete) => {
            world.networks.retain(|network| network.id.as_str() != id)
        }
        (SubjectKind::Network, OperationKind::Create | OperationKind::Update) => {}
        (SubjectKind::Cluster, OperationKind::Delete) => {
            world.clusters.retain(|cluster| cluster.id.as_str() != id);
            world.machines.retain(|machine| machine.cluster.as_str() != id);
        }
        (SubjectKind::Cluster, OperationKind::Create | OperationKind::Update) => {
            for machine in world
                .machines
                .iter_mut()
                .filter(|machine| machine.cluster.as_str() == id)
            {
                machine.phase = MachinePhase::Running;
            }
            for cluster in world
                .clusters
                .iter_mut()
                .filter(|cluster| cluster.id.as_str() == id)
            {
                cluster.status.phase = ClusterPhase::Running;
                cluster.status.nodes_ready = cluster.status.nodes_wanted;
                cluster.status.observed_generation = cluster.generation;
            }
        }
    }
}
