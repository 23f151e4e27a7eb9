//! `cloud k8s images`

use api::client::Client;
use clap::Args;
use types::Timestamp;

use crate::{
    commands::Reference,
    failure::Failure,
    output::{Output, Row},
};

#[derive(Debug, Args)]
pub struct Images {
    #[command(flatten)]
    of: Reference,
    #[command(flatten)]
    output: Output,
}

struct Image<'a>(&'a str);

impl Row for Image<'_> {
    const TITLES: &'static [&'static str] = &["IMAGE"];

    fn cells(&self, _: Timestamp) -> Vec<String> {
        vec![self.0.to_owned()]
    }
}

impl Images {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let list = client.list_images(&self.of.reference).await?;
        let rows: Vec<Image<'_>> = list.images.iter().map(|image| Image(image)).collect();
        self.output.list(&list, &rows)
    }
}
