//! Workers that leave a cluster which goes on: emptied, removed, and taken off the books, in that order.

use types::{machine::Machine, status::Observed};

use crate::{
    Action, ClusterDesired, ClusterObserved, Step,
    hosted::{MACHINE_PATIENCE_S, machine_key},
};

/// Pods end in their own time, and disruption budgets may let them go one by one only.
const DRAIN_PATIENCE_S: u64 = 600;

/// `api`: steps after which the cluster's API answers.
pub(crate) fn steps(desired: &ClusterDesired<'_>, seen: &ClusterObserved, api: &[String]) -> Vec<Step> {
    let leaving = desired.machines.iter().filter(|machine| machine.deleting);
    leaving.flat_map(|machine| of(machine, seen, api)).collect()
}

fn of(machine: &Machine, seen: &ClusterObserved, api: &[String]) -> Vec<Step> {
    let host = &machine.hostname;
    let forget = Step::new(
        format!("forget/{host}"),
        format!("take {host} off the books"),
        Action::ForgetMachine(machine.id.clone()),
    )
    .after(api);
    if seen.machines.get(&machine.id).is_none_or(Observed::is_absent) {
        return vec![forget];
    }
    let drain = Step::new(
        format!("drain/{host}"),
        format!("move pods off {host}"),
        Action::DrainNode(machine.id.clone()),
    )
    .after(api)
    .patience_s(DRAIN_PATIENCE_S);
    let remove = Step::new(
        machine_key(machine),
        format!("remove {host}"),
        Action::RemoveMachine(machine.id.clone()),
    )
    .on(&machine.host)
    .after([&drain.key])
    .patience_s(MACHINE_PATIENCE_S);
    let forget = forget.after([&remove.key]);
    vec![drain, remove, forget]
}
