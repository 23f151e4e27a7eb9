//! Handlers, one file for each group of routes. Each parses, calls the surface, and shows; none decides anything.

pub mod audit;
pub mod backup;
pub mod clusters;
pub mod events;
pub mod images;
pub mod instances;
pub mod invitations;
pub mod keys;
pub mod login;
pub mod members;
pub mod networks;
pub mod operations;
pub mod orgs;
pub mod platform;
pub mod projects;
pub mod tokens;
pub mod users;

use api::operation::{OperationAccepted, OperationView};
use axum::response::Response;
use serde_json::json;
use types::{Fault, operation::Operation};

use crate::{answer::accepted, audit::Note};

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
