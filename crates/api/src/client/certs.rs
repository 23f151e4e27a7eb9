//! Certificates through the client.

use super::{Client, ClientError};
use crate::{
    certs::{CaView, CertificateList, RotateCertificates, RotationView},
    routes::{self, Method},
};

impl Client {
    pub async fn list_certificates(&self) -> Result<CertificateList, ClientError> {
        self.get(routes::CERTS).await
    }

    pub async fn rotate_certificates(
        &self,
        request: &RotateCertificates,
    ) -> Result<RotationView, ClientError> {
        self.send(Method::Post, routes::CERTS_ROTATE, request).await
    }

    pub async fn ca(&self) -> Result<CaView, ClientError> {
        self.get(routes::CA).await
    }
}
