//! A step is data: what to do, to what, by whom, after what. A newer platform can run a step that an older one planned.

use serde::{Deserialize, Serialize};
use types::{ClusterId, MachineId, NetworkId, VolumeId};

/// Version of the actions below as they are written; raised when the meaning of an input changes.
pub const VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "input", rename_all = "kebab-case")]
pub enum Action {
    /// Makes and seals the keys and certificates that are missing or near their end.
    IssueKeys(ClusterId),
    /// Hands the network its whole desired state.
    ApplyNetwork(NetworkId),
    RemoveNetwork(NetworkId),
    /// Hands the edge its whole configuration: what is published follows from what is stored.
    PublishEdge,
    MakeVolume(VolumeId),
    RemoveVolume(VolumeId),
    /// Boots the machine, or attaches it again, or refreshes its files.
    StartMachine(MachineId),
    RemoveMachine(MachineId),
    AwaitApi(ClusterId),
    InstallServices(ClusterId),
    /// Waits until the controllers on the control plane have made the project's namespace with all that is in it.
    AwaitTenancy(ClusterId),
    /// Waits for the node to register, gives it its range and labels, and waits until it is ready.
    AdmitNode(MachineId),
    /// Takes the node out of scheduling and waits until its pods have left.
    DrainNode(MachineId),
    /// Takes a machine that is gone off the books: its node, its keys, its port.
    ForgetMachine(MachineId),
    /// Forgets keys, loaded images and whatever else is kept for the cluster.
    ForgetKeys(ClusterId),
    /// Looks whether anything is left, says so, and takes the thing itself off the books.
    FinishDelete,
}

/// Who may run a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Executor {
    Any,
    Node(String),
    Deployer(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Unique in its plan and the same in every plan for the same work.
    pub key: String,
    pub title: String,
    pub version: u32,
    #[serde(flatten)]
    pub action: Action,
    pub executor: Executor,
    /// Keys of steps of the same plan that must be done before.
    pub after: Vec<String>,
    /// How long the step may go on answering "not yet" before that is a failure.
    pub patience_ms: u64,
}

/// Enough for anything that only talks to this host.
const LOCAL_PATIENCE_MS: u64 = 30_000;

impl Step {
    pub(crate) fn new(key: impl Into<String>, title: impl Into<String>, action: Action) -> Self {
        Self {
            key: key.into(),
            title: title.into(),
            version: VERSION,
            action,
            executor: Executor::Any,
            after: Vec::new(),
            patience_ms: LOCAL_PATIENCE_MS,
        }
    }

    pub(crate) fn on(mut self, host: &str) -> Self {
        self.executor = Executor::Node(host.to_owned());
        self
    }

    pub(crate) fn after<'a>(mut self, keys: impl IntoIterator<Item = &'a String>) -> Self {
        self.after.extend(keys.into_iter().cloned());
        self
    }

    pub(crate) fn patience_s(mut self, seconds: u64) -> Self {
        self.patience_ms = seconds * 1000;
        self
    }
}
