//! Operations and events through the client.

use super::{Client, ClientError, OperationWatch, Pages, Select, Watch, connection::Payload};
use crate::{
    event::EventList,
    operation::{OperationList, OperationView},
    routes::{self, Method},
};

impl Client {
    /// Newest first.
    pub fn operations(&self, select: &Select) -> Pages<OperationList> {
        self.pages(routes::OPERATIONS, select.parameters())
    }

    pub async fn watch_operations(
        &self,
        select: &Select,
        resume: Option<String>,
    ) -> Result<Watch<OperationView>, ClientError> {
        self.watch(routes::OPERATIONS, select, resume).await
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

    /// Newest first; of one cluster or network, or of all.
    pub fn events(&self, subject: Option<&str>) -> Pages<EventList> {
        let subject = subject.map(|subject| ("subject", subject.to_owned()));
        self.pages(routes::EVENTS, subject.into_iter().collect())
    }
}
