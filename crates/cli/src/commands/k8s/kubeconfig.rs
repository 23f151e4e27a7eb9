//! `cloud k8s kubeconfig`

use std::path::Path;

use api::client::Client;
use clap::Args;

use crate::{
    commands::Reference,
    failure::{Exit, Failure},
    kubeconfig,
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Kubeconfig {
    #[command(flatten)]
    of: Reference,
    /// Merge into the first file of $KUBECONFIG, or ~/.kube/config, and make it the current context
    #[arg(long)]
    merge: bool,
}

impl Kubeconfig {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let secret = client.kubeconfig(&self.of.reference).await?;
        let text = secret.expose_str().map_err(|error| {
            Failure::new(
                Exit::Failed,
                "answer-unexpected",
                error.to_string(),
                "report this: a kubeconfig is text",
            )
        })?;
        if !self.merge {
            return print(text);
        }
        let (paths, home) = (std::env::var("KUBECONFIG").ok(), std::env::var_os("HOME"));
        let path = kubeconfig::default_path(paths.as_deref(), home.as_deref().map(Path::new))?;
        kubeconfig::merge_into(&path, text)?;
        print(&format!(
            "merged into {}; it is the current context now\n",
            path.display()
        ))
    }
}
