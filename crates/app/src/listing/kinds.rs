//! What can be listed and watched: in which order it comes, and which of its fields it can be selected by. A field has
//! the name and the value that the API shows it with.

use std::borrow::Cow;

use ports::{paging::Order, store::Entity};
use types::{
    Labels,
    cluster::Cluster,
    machine::{Machine, Role},
    network::Network,
    operation::Operation,
};

pub trait Listed: Entity {
    const ORDER: Order;
    const FIELDS: &'static [&'static str];

    /// One of `FIELDS`.
    fn field(&self, name: &str) -> Cow<'_, str>;

    /// Nothing where a kind carries none.
    fn labels(&self) -> Option<&Labels> {
        None
    }

    /// Whether its owner sees it at all.
    fn is_shown(&self) -> bool {
        true
    }
}

impl Listed for Cluster {
    const ORDER: Order = Order::Name;
    const FIELDS: &'static [&'static str] = &["name", "id", "phase", "version", "vpc", "networkId", "engine"];

    fn field(&self, name: &str) -> Cow<'_, str> {
        match name {
            "name" => self.name.as_str().into(),
            "id" => self.id.as_str().into(),
            "phase" if self.deleting => "DELETING".into(),
            "phase" => self.status.phase.as_str().into(),
            "version" => self.pins.version.to_string().into(),
            "vpc" => self.spec.vpc.as_str().into(),
            "networkId" => self.network.as_str().into(),
            "engine" => self.spec.engine.as_str().into(),
            _ => "".into(),
        }
    }

    fn labels(&self) -> Option<&Labels> {
        Some(&self.labels)
    }
}

impl Listed for Network {
    const ORDER: Order = Order::Name;
    const FIELDS: &'static [&'static str] = &["name", "id", "cidr", "deleting"];

    fn field(&self, name: &str) -> Cow<'_, str> {
        match name {
            "name" => self.name.as_str().into(),
            "id" => self.id.as_str().into(),
            "cidr" => self.cidr.to_string().into(),
            "deleting" => self.deleting.to_string().into(),
            _ => "".into(),
        }
    }

    fn labels(&self) -> Option<&Labels> {
        Some(&self.labels)
    }
}

impl Listed for Machine {
    // Host names repeat, and workers of one group are made together: the order they were made in keeps them so.
    const ORDER: Order = Order::Oldest;
    const FIELDS: &'static [&'static str] = &[
        "name",
        "id",
        "phase",
        "clusterId",
        "networkId",
        "nodeGroup",
        "instanceType",
    ];

    fn field(&self, name: &str) -> Cow<'_, str> {
        match name {
            "name" => self.hostname.as_str().into(),
            "id" => self.id.as_str().into(),
            "phase" if self.deleting => "DELETING".into(),
            "phase" => self.phase.as_str().into(),
            "clusterId" => self.cluster.as_str().into(),
            "networkId" => self.network.as_str().into(),
            "nodeGroup" => match &self.role {
                Role::Worker { group, .. } => group.as_str().into(),
                Role::ControlPlane { .. } => "".into(),
            },
            "instanceType" => self.instance_type.as_deref().unwrap_or_default().into(),
            _ => "".into(),
        }
    }

    fn is_shown(&self) -> bool {
        self.is_worker()
    }
}

impl Listed for Operation {
    const ORDER: Order = Order::Newest;
    const FIELDS: &'static [&'static str] =
        &["id", "kind", "state", "subjectKind", "subjectId", "subjectName"];

    fn field(&self, name: &str) -> Cow<'_, str> {
        match name {
            "id" => self.id.as_str().into(),
            "kind" => self.kind.as_str().into(),
            "state" => self.state.as_str().into(),
            "subjectKind" => self.subject.kind.as_str().into(),
            "subjectId" => self.subject.id.as_str().into(),
            "subjectName" => self.subject_name.as_str().into(),
            _ => "".into(),
        }
    }
}
