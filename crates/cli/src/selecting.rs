//! Which of a list: the flags that `list` commands have in common, and following a list as it changes.

use api::client::{ClientError, Page, Pages, Seen, Select, Watch};
use clap::Args;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;

use crate::{
    failure::Failure,
    output::{Format, Lines, Output, Row},
    surroundings, yaml,
};

#[derive(Debug, Clone, Args)]
pub struct Selecting {
    /// At most so many [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Only those whose fields are so, as they are called in JSON: phase=RUNNING,name!=dev
    #[arg(long, value_name = "FIELDS")]
    field_selector: Option<String>,
    /// Go on with every change until interrupted
    #[arg(short, long, conflicts_with = "limit")]
    watch: bool,
}

#[derive(Debug, Clone, Args)]
pub struct ByLabel {
    /// Only those with such labels: env=prod,tier in (web,api),!legacy
    #[arg(short = 'l', long = "selector", value_name = "LABELS")]
    labels: Option<String>,
}

impl Selecting {
    /// Of things with labels.
    pub fn with(&self, by: &ByLabel) -> Select {
        Select {
            labels: by.labels.clone(),
            ..self.select()
        }
    }

    pub fn select(&self) -> Select {
        Select {
            labels: None,
            fields: self.field_selector.clone(),
        }
    }

    pub fn watches(&self) -> bool {
        self.watch
    }

    /// How many of it.
    pub fn most(&self) -> u32 {
        self.limit.unwrap_or(u32::MAX)
    }

    /// Shows the list or, as it is wanted, follows it.
    pub async fn show<P, V>(
        &self,
        output: Output,
        pages: Pages<P>,
        watch: impl Future<Output = Result<Watch<V>, ClientError>>,
    ) -> Result<(), Failure>
    where
        P: Page<Item = V> + Serialize,
        V: Row + Serialize + DeserializeOwned,
    {
        if self.watch {
            return follow(output, watch.await?).await;
        }
        let mut list = pages.first(self.most()).await?;
        // For a program the answer as it is, for a person its rows.
        match output.output {
            Format::Table | Format::Wide => output.list(&(), list.items()),
            Format::Json | Format::Yaml => output.show(&list, |_| String::new()),
        }
    }
}

/// One line, or one document, for each change.
async fn follow<V>(output: Output, mut watch: Watch<V>) -> Result<(), Failure>
where
    V: Row + Serialize + DeserializeOwned,
{
    let mut lines = Lines::new(output.output == Format::Wide);
    loop {
        let (event, thing) = match watch.next().await? {
            Seen::Added(thing) => ("added", thing),
            Seen::Modified(thing) => ("modified", thing),
            Seen::Deleted(thing) => ("deleted", thing),
            Seen::Bookmark => continue,
            Seen::Restarted => {
                eprintln!("too much was missed meanwhile; what there is follows anew");
                continue;
            }
        };
        let text = match output.output {
            Format::Table | Format::Wide => lines.line(event, &thing, surroundings::now()),
            Format::Json => format!("{}\n", json!({"event": event, "object": thing})),
            Format::Yaml => format!(
                "---\n{}",
                yaml::to_string(&json!({"event": event, "object": thing}))?
            ),
        };
        surroundings::print(&text)?;
    }
}
