//! How the platform's nouns are stored: which kind, under which name, belonging to what.

use types::{ProjectId, cluster::Cluster, machine::Machine, network::Network, operation::Operation};

use crate::store::Entity;

macro_rules! entity {
    ($type:ty, $kind:literal, name: $name:expr, parent: $parent:expr) => {
        impl Entity for $type {
            const KIND: &'static str = $kind;

            fn id(&self) -> &str {
                self.id.as_str()
            }

            fn project(&self) -> &ProjectId {
                &self.project
            }

            fn name(&self) -> Option<&str> {
                let name: fn(&Self) -> Option<&str> = $name;
                name(self)
            }

            fn parent(&self) -> Option<&str> {
                let parent: fn(&Self) -> Option<&str> = $parent;
                parent(self)
            }
        }
    };
}

entity!(Network, "network", name: |n| Some(n.name.as_str()), parent: |_| None);
entity!(Cluster, "cluster", name: |c| Some(c.name.as_str()), parent: |c| Some(c.network.as_str()));
// Host names repeat over clusters of different networks: an instance is named by its id or, where it is unique, so.
entity!(Machine, "machine", name: |_| None, parent: |m| Some(m.cluster.as_str()));
entity!(Operation, "operation", name: |_| None, parent: |o| Some(&o.subject.id));
