//! `cloud k8s load-image`

use std::path::PathBuf;

use api::client::Client;
use clap::Args;

use crate::{
    commands::Reference,
    failure::{Exit, Failure},
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct LoadImage {
    #[command(flatten)]
    of: Reference,
    /// OCI or docker archive (tar)
    archive: PathBuf,
}

impl LoadImage {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let unreadable = |cause: String| {
            Failure::new(
                Exit::Usage,
                "archive-unreadable",
                format!("{}: {cause}", self.archive.display()),
                "give a tar file made by `docker save` or in OCI layout",
            )
        };
        let found = std::fs::metadata(&self.archive).map_err(|error| unreadable(error.to_string()))?;
        if !found.is_file() {
            return Err(unreadable("it is not a file".to_owned()));
        }
        // Said before the upload rather than in the middle of it.
        client.get_cluster(&self.of.reference).await?;
        let loaded = client.load_images(&self.of.reference, &self.archive).await?;
        let lines: String = loaded
            .images
            .iter()
            .map(|image| format!("loaded {image}\n"))
            .collect();
        print(&lines)
    }
}
