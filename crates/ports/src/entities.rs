//! How the platform's nouns are stored: which kind, under which name, belonging to what.

use types::{ProjectId, cluster::Cluster, machine::Machine, network::Network, operation::Operation};

use crate::store::Entity;

impl Entity for Network {
    const KIND: &'static str = "network";
    fn id(&self) -> &str {
        self.id.as_str()
    }
    fn project(&self) -> &ProjectId {
        &self.project
    }
    fn name(&self) -> Option<&str> {
        Some(self.name.as_str())
    }
    fn parent(&self) -> Option<&str> {
        None
    }
}

impl Entity for Cluster {
    const KIND: &'static str = "cluster";
    fn id(&self) -> &str {
        self.id.as_str()
    }
    fn project(&self) -> &ProjectId {
        &self.project
    }
    fn name(&self) -> Option<&str> {
        Some(self.name.as_str())
    }
    fn parent(&self) -> Option<&str> {
        Some(self.network.as_str())
    }
}

impl Entity for Machine {
    const KIND: &'static str = "machine";
    fn id(&self) -> &str {
        self.id.as_str()
    }
    fn project(&self) -> &ProjectId {
        &self.project
    }
    /// Host names repeat over clusters of different networks; an instance is named by its id or, if unique, so.
    fn name(&self) -> Option<&str> {
        None
    }
    fn parent(&self) -> Option<&str> {
        Some(self.cluster.as_str())
    }
}

impl Entity for Operation {
    const KIND: &'static str = "operation";
    fn id(&self) -> &str {
        self.id.as_str()
    }
    fn project(&self) -> &ProjectId {
        &self.project
    }
    fn name(&self) -> Option<&str> {
        None
    }
    fn parent(&self) -> Option<&str> {
        Some(&self.subject.id)
    }
}
