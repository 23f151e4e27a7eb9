//! What people see, as it is checked in.

use api::{
    cluster::{ClusterDetailView, ClusterPhase, ClusterView},
    plan::{ChangeView, ImpactView, PlanView, PlannedStepView},
};

use super::samples;
use crate::output::{Described, table};

#[test]
fn clusters() {
    let running = samples::cluster();
    let degraded = ClusterView {
        name: "a-longer-name".to_owned(),
        phase: ClusterPhase::Degraded,
        reason: "worker dev-default-2 does not answer".to_owned(),
        nodes_ready: 1,
        ..samples::cluster()
    };
    let rows = [running, degraded];
    insta::assert_snapshot!("k8s-list", table(&rows, samples::LATER, false));
    insta::assert_snapshot!("k8s-list-wide", table(&rows, samples::LATER, true));
    insta::assert_snapshot!("k8s-list-empty", table::<ClusterView>(&[], samples::LATER, false));
}

#[test]
fn one_cluster() {
    let detail = ClusterDetailView {
        cluster: samples::cluster(),
        endpoint: "https://127.0.0.1:6443".to_owned(),
        instances: vec![samples::instance()],
        events: vec![samples::event()],
        grants: vec![samples::grant()],
        shares: vec![samples::share()],
    };
    insta::assert_snapshot!("k8s-get", detail.describe(samples::LATER, false));
    insta::assert_snapshot!("k8s-get-wide", detail.describe(samples::LATER, true));
    insta::assert_snapshot!("k8s-get-yaml", crate::yaml::to_string(&detail).unwrap());
}

#[test]
fn the_rest() {
    let (network, instance, operation) = (
        samples::network(),
        samples::instance(),
        samples::failed_operation(),
    );
    insta::assert_snapshot!("vpc-get", network.describe(samples::LATER, false));
    insta::assert_snapshot!("vpc-list", table(&[network], samples::LATER, false));
    insta::assert_snapshot!("instance-get", instance.describe(samples::LATER, false));
    insta::assert_snapshot!("instance-list", table(&[instance], samples::LATER, true));
    insta::assert_snapshot!("operation-get", operation.describe(samples::LATER, false));
    insta::assert_snapshot!("operation-list", table(&[operation], samples::LATER, false));
    insta::assert_snapshot!("events", table(&[samples::event()], samples::LATER, false));
}

#[test]
fn a_plan() {
    let step = |title: &str, detail: &str| PlannedStepView {
        title: title.to_owned(),
        detail: detail.to_owned(),
    };
    let plan = PlanView {
        changes: ChangeView::Update,
        steps: vec![
            step("drain dev-default-1", ""),
            step("replace the machine", "dev-default-1"),
        ],
        impact: ImpactView {
            nodes_replaced: vec!["dev-default-1".to_owned()],
            api_downtime: false,
        },
        notes: vec!["pods without a controller are lost".to_owned()],
    };
    insta::assert_snapshot!("k8s-plan", super::plan::show("dev", &plan));
}
