//! Operations and events through the client.

use super::{Client, ClientError, OperationWatch, connection::Payload};
use crate::{
    event::EventList,
    operation::{OperationList, OperationView},
    routes::{self, Method},
};

impl Client {
    pub async fn list_operations(&self) -> Result<OperationList, ClientError> {
        self.get(&self.path(routes::OPERATIONS, &[])).await
    }

    pub async fn get_operation(&self, id: &str) -> Result<OperationView, ClientError> {
        self.get(&self.path(routes::OPERATION, &[("id", id)])).await
    }

    pub async fn cancel_operation(&self, id: &str) -> Result<OperationView, ClientError> {
        self.post(&self.path(routes::OPERATION_CANCEL, &[("id", id)]))
            .await
    }

    /// The operation as it is now and at every change, until it has ended.
    pub async fn watch_operation(&self, id: &str) -> Result<OperationWatch, ClientError> {
        let path = self.path(routes::OPERATION_WATCH, &[("id", id)]);
        let response = self.connection.open(Method::Get, &path, Payload::Empty).await?;
        Ok(OperationWatch::new(self.connection.clone(), response.into_body()))
    }

    pub async fn list_events(&self, subject: Option<&str>, limit: u32) -> Result<EventList, ClientError> {
        let subject = subject
            .map(|subject| format!("&subject={}", routes::escape(subject)))
            .unwrap_or_default();
        self.get(&format!(
            "{}?limit={limit}{subject}",
            self.path(routes::EVENTS, &[])
        ))
        .await
    }
}
