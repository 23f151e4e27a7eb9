//! Handlers, one file for each group of routes. Each parses, calls the surface, and shows; none decides anything.

pub mod audit;
pub mod backup;
pub mod certs;
pub mod clusters;
pub mod events;
pub mod external;
pub mod grants;
pub mod images;
pub mod instances;
pub mod invitations;
pub mod keys;
pub mod listing;
pub mod login;
pub mod members;
pub mod networks;
pub mod operations;
pub mod orgs;
pub mod platform;
pub mod projects;
pub mod secrets;
pub mod shares;
pub mod ssh;
pub mod tokens;
pub mod users;

use std::collections::BTreeMap;

use api::{
    operation::{OperationAccepted, OperationView},
    spec::{parse_labels, parse_name},
};
use app::ops::Called;
use axum::response::Response;
use serde_json::json;
use types::{Fault, Findings, operation::Operation};

use crate::{answer::accepted, audit::Note};

/// A name, and labels where they are given.
/// Nothing when something of it was found wrong.
fn called(name: &str, labels: Option<BTreeMap<String, String>>, found: &mut Findings) -> Option<Called> {
    let name = found.keep(parse_name(name, "name"));
    let labels = labels.map(|labels| parse_labels(labels, "labels")).transpose();
    let labels = found.keep(labels)?;
    Some(Called { name: name?, labels })
}

/// An operation was begun on something that has a name and an id already.
fn begun(operation: &Operation) -> Response {
    Note::of(&operation.subject_name, &operation.subject.id)
        .change(json!({"operation": operation.id}))
        .on(accepted(OperationAccepted {
            operation: OperationView::from(operation),
        }))
}

/// A field was neither read nor found wrong.
fn unread() -> Fault {
    Fault::internal("request-unread", "a field was neither read nor found wrong")
}
