//! What a look at the world found that carries this instance's mark. It reads no ledger.

use serde::{Deserialize, Serialize};

/// One thing on the host: a process, namespace, interface, mount, cgroup, table, or file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Found {
    pub what: FoundKind,
    /// Name or path, as the tool that removes it by hand would take it.
    pub name: String,
    /// The id of the machine, network or volume it belongs to, as far as its name tells.
    pub owner: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FoundKind {
    Process,
    Namespace,
    Interface,
    Mount,
    Cgroup,
    Table,
    LoopDevice,
    File,
}
