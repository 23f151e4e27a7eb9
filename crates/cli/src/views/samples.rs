//! Things to show in tests, made the way the platform makes them.

use api::{
    cluster::ClusterView,
    event::EventView,
    grant::{ClusterGrantView, GrantState},
    instance::InstanceView,
    network::NetworkView,
    operation::OperationView,
    share::ClusterShareView,
};
use server::fake::samples as fake;
use types::{
    Fault, FaultKind, Timestamp,
    cluster::{self, ClusterSpec, NodeGroup},
    operation::{OperationKind, OperationState, StepRecord, StepState, Subject, SubjectKind},
    status,
};

/// When these tests look.
pub const LATER: Timestamp = Timestamp(fake::NOW.0 + 3720);

fn a_network() -> types::network::Network {
    fake::network(1, "lab".parse().unwrap(), "10.20.0.0/16".parse().unwrap())
}

fn a_cluster() -> cluster::Cluster {
    let spec = ClusterSpec {
        vpc: "lab".to_owned(),
        version: Some("v1.36".parse().unwrap()),
        node_groups: [("default".parse().unwrap(), NodeGroup::of_fixed_size(2))].into(),
        ..ClusterSpec::default()
    };
    let mut cluster = fake::cluster(2, "dev".parse().unwrap(), &a_network(), spec);
    cluster.status.phase = status::ClusterPhase::Running;
    cluster.status.nodes_ready = 2;
    cluster
}

pub fn network() -> NetworkView {
    NetworkView::from(&a_network())
}

pub fn cluster() -> ClusterView {
    ClusterView::from(&a_cluster())
}

pub fn instance() -> InstanceView {
    InstanceView::from(&fake::worker(3, &a_cluster(), &"default".parse().unwrap(), 1))
}

pub fn grant() -> ClusterGrantView {
    ClusterGrantView {
        id: "grant-0123456789abcdef".to_owned(),
        who: "ana@acme.example".to_owned(),
        principal: "user-0123456789abcdef".to_owned(),
        role: "viewer".to_owned(),
        namespace: Some("web".to_owned()),
        state: GrantState::Waiting,
        by: "bob@acme.example".to_owned(),
        created: cluster().created,
    }
}

pub fn share() -> ClusterShareView {
    ClusterShareView {
        project: "blog".to_owned(),
        project_id: "proj-0123456789abcdef".to_owned(),
        namespace: "project-proj-0123456789abcdef".to_owned(),
        by: "boss@acme.example".to_owned(),
        created: cluster().created,
        remove_after: None,
    }
}

pub fn event() -> EventView {
    let id = a_cluster().id;
    EventView::from(&fake::event(
        4,
        SubjectKind::Cluster,
        id.as_str(),
        "dev",
        "Ready",
        "the cluster is RUNNING",
    ))
}

fn an_operation() -> types::operation::Operation {
    let subject = Subject {
        kind: SubjectKind::Cluster,
        id: a_cluster().id.to_string(),
    };
    fake::operation(5, OperationKind::Create, subject, "dev")
}

pub fn operation() -> OperationView {
    OperationView::from(&an_operation())
}

pub fn failed_operation() -> OperationView {
    let fault = Fault::new(
        FaultKind::Exhausted,
        "disk-full",
        "the disk is full",
        "free some space and apply again",
    );
    let step = |key: &str, state, began_ms, ended_ms, fault: Option<Fault>| StepRecord {
        key: key.to_owned(),
        title: format!("machine {key}"),
        state,
        attempts: if fault.is_some() { 3 } else { 1 },
        began_ms,
        ended_ms,
        fault,
    };
    let mut operation = an_operation();
    operation.steps = vec![
        step("dev-default-1", StepState::Done, 0, Some(1250), None),
        step(
            "dev-default-2",
            StepState::Failed,
            1300,
            Some(62_700),
            Some(fault.clone()),
        ),
    ];
    operation.state = OperationState::Failed;
    operation.fault = Some(fault);
    operation.report = vec!["kept: 1 machine, for another try".to_owned()];
    operation.finished = Some(fake::NOW.plus(63));
    OperationView::from(&operation)
}
