//! `cloud context list`

use clap::Args;

use crate::{
    client_file,
    credentials::{self, LOCAL},
    failure::Failure,
    output::Output,
    views::context::{ContextList, ContextView},
};

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    output: Output,
}

impl List {
    pub fn run(self) -> Result<(), Failure> {
        let credentials = credentials::read()?;
        let current = credentials.current.as_deref().unwrap_or(LOCAL);
        let mut contexts: Vec<ContextView> = credentials
            .contexts
            .iter()
            .map(|context| ContextView::of(context, current))
            .collect();
        if let Ok(file) = client_file::read()
            && let Ok(endpoint) = file.endpoint()
        {
            contexts.push(ContextView {
                name: LOCAL.to_owned(),
                current: current == LOCAL,
                endpoint: endpoint.to_owned(),
                email: None,
                project: credentials.local_project.clone(),
            });
        }
        let list = ContextList { contexts };
        self.output.list(&list, &list.contexts)
    }
}
