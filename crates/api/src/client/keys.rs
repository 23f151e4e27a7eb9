//! Master keys through the client.

use super::{Client, ClientError};
use crate::{keys::KeyList, routes};

impl Client {
    pub async fn list_keys(&self) -> Result<KeyList, ClientError> {
        self.get(routes::KEYS).await
    }

    /// Begins to replace the master key, or says how far it is.
    pub async fn rotate_key(&self) -> Result<KeyList, ClientError> {
        self.post(routes::KEYS_ROTATE).await
    }
}
