//! `cloud secret get`: the value as it is, so that it can be piped; on a terminal only if that is meant.

use std::io::{self, IsTerminal};

use api::client::Client;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use clap::{Args, ValueEnum};
use types::Secret;

use crate::{
    ask,
    commands::Reference,
    failure::{Exit, Failure},
    output::{Format, Output},
    surroundings::print_bytes,
};

#[derive(Debug, Args)]
pub struct Get {
    #[command(flatten)]
    of: Reference,
    /// An earlier version, see `cloud secret versions`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    version: Option<u32>,
    /// Show it on a terminal without asking
    #[arg(long)]
    reveal: bool,
    /// Form of the output; json and yaml have the value in base 64
    #[arg(short, long, value_enum, default_value_t = Form::Raw, value_name = "FORMAT")]
    output: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Raw,
    Json,
    Yaml,
}

impl Get {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let on_screen = io::stdout().is_terminal();
        if on_screen && !self.reveal {
            consent(&self.of.reference)?;
        }
        let answer = client.reveal_secret(&self.of.reference, self.version).await?;
        let format = match self.output {
            Form::Raw => {
                let value = STANDARD.decode(&answer.value).map_err(|error| {
                    Failure::new(
                        Exit::Failed,
                        "answer-unexpected",
                        error.to_string(),
                        "check that `cloud` and the platform have the same version: `cloud version`",
                    )
                })?;
                let value = Secret::new(value);
                print_bytes(value.expose())?;
                // So that the prompt does not stand behind it.
                return if on_screen { print_bytes(b"\n") } else { Ok(()) };
            }
            Form::Json => Format::Json,
            Form::Yaml => Format::Yaml,
        };
        Output { output: format }.show(&answer, |_| String::new())
    }
}

fn consent(name: &str) -> Result<(), Failure> {
    let agreed = ask::is_somebody_there()
        && matches!(
            ask::line(&format!("Show the value of '{name}' on this screen? [y/N]"))?.as_str(),
            "y" | "Y" | "yes"
        );
    if agreed {
        return Ok(());
    }
    Err(Failure::new(
        Exit::Refused,
        "secret-not-shown",
        "the value would be seen on this screen",
        "give --reveal, or send the output to a file or a program",
    ))
}
