//! How the platform's nouns are stored: which kind, named uniquely in what, belonging to what.

use types::{
    cluster::Cluster,
    machine::Machine,
    network::Network,
    operation::Operation,
    tenant::{Invitation, IssuedToken, Organisation, PasswordReset, Project, ServiceAccount, Session, User},
};

use crate::store::{Entity, PLATFORM};

macro_rules! entity {
    ($type:ty, $kind:literal, scope: $scope:expr, name: $name:expr, parent: $parent:expr) => {
        impl Entity for $type {
            const KIND: &'static str = $kind;

            fn id(&self) -> &str {
                self.id.as_str()
            }

            fn scope(&self) -> &str {
                let scope: fn(&Self) -> &str = $scope;
                scope(self)
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

entity!(Network, "network", scope: |n| n.project.as_str(), name: |n| Some(n.name.as_str()), parent: |_| None);
entity!(Cluster, "cluster", scope: |c| c.project.as_str(), name: |c| Some(c.name.as_str()), parent: |c| Some(c.network.as_str()));
// Host names repeat over clusters of different networks: an instance is named by its id or, where it is unique, so.
entity!(Machine, "machine", scope: |m| m.project.as_str(), name: |_| None, parent: |m| Some(m.cluster.as_str()));
entity!(Operation, "operation", scope: |o| o.project.as_str(), name: |_| None, parent: |o| Some(&o.subject.id));

entity!(Organisation, "org", scope: |_| PLATFORM, name: |o| Some(o.name.as_str()), parent: |_| None);
entity!(Project, "project", scope: |p| p.org.as_str(), name: |p| Some(p.name.as_str()), parent: |_| None);
entity!(User, "user", scope: |_| PLATFORM, name: |u| Some(u.email.as_str()), parent: |_| None);
entity!(ServiceAccount, "service-account", scope: |s| s.project.as_str(), name: |s| Some(s.name.as_str()), parent: |_| None);
entity!(IssuedToken, "token", scope: |t| t.project.as_str(), name: |_| None, parent: |t| Some(&t.holder));
entity!(Invitation, "invitation", scope: |_| PLATFORM, name: |i| Some(&i.code), parent: |i| i.grant.place.org().map(|org| org.as_str()));
entity!(PasswordReset, "password-reset", scope: |_| PLATFORM, name: |r| Some(&r.code), parent: |_| None);
entity!(Session, "session", scope: |_| PLATFORM, name: |_| None, parent: |s| Some(s.user.as_str()));
