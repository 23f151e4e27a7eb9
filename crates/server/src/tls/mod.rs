//! The API over TLS: what certificate is shown (`serving`) and how connections come in (`connections`).

mod connections;
mod serving;
mod settings;

pub use connections::{Bounds, serve};
pub use serving::{Serving, keep};
pub use settings::{Own, TlsSettings};

use std::{fs, sync::Arc};

use types::Fault;

use crate::surface::{Surface, Trust};

/// What handlers know of it; cheap to clone.
pub struct Tls {
    /// Where clients reach it.
    pub endpoint: String,
    pub serving: Arc<Serving>,
    /// The operator's own certificate, where there is one.
    pub own: Option<Own>,
}

impl Tls {
    /// With a certificate that can be shown, or not at all.
    pub async fn open(settings: &TlsSettings, surface: &dyn Surface) -> Result<Self, Fault> {
        let own = settings.own();
        let shown = serving::wanted(surface, own.as_ref()).await?;
        Ok(Self {
            endpoint: settings.endpoint(),
            serving: Arc::new(Serving::new(&shown)?),
            own,
        })
    }

    /// What clients check it by: the platform's roots, or what the operator says.
    pub async fn trust(&self, surface: &dyn Surface) -> Result<Trust, Fault> {
        let Some(own) = &self.own else {
            return surface.trust().await;
        };
        let bundle = match &own.ca {
            Some(file) => fs::read_to_string(file).map_err(|error| serving::unreadable(file, &error))?,
            None => String::new(),
        };
        Trust::of(bundle)
    }
}
