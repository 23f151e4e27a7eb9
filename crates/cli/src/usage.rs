//! Mistakes on the command line, in the same form as every other error.

use std::process::ExitCode;

use clap::error::{Error, ErrorKind};

use crate::failure::{Exit, Failure};

/// Prints what clap has to say: help and version as they are, a mistake as a failure.
pub fn report(error: &Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            Exit::Usage.into()
        }
        _ => {
            let failure = failure(error);
            eprintln!("{failure}");
            failure.exit.into()
        }
    }
}

pub fn failure(error: &Error) -> Failure {
    let text = error.render().to_string();
    let mut cause = Vec::new();
    let mut tips = Vec::new();
    let mut usage = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(line) = line.strip_prefix("Usage: ") {
            usage = Some(
                line.split_whitespace()
                    .take_while(|word| !word.starts_with(['-', '<', '[']))
                    .collect(),
            );
        } else if let Some(tip) = line.strip_prefix("tip: ") {
            tips.push(tip.to_owned());
        } else if usage.is_none() && !line.starts_with("For more information") {
            cause.push(line.trim_start_matches("error: "));
        }
    }
    let command: Vec<&str> = usage.unwrap_or_else(|| vec!["cloud"]);
    tips.push(format!("see `{} --help`", command.join(" ")));
    Failure::new(Exit::Usage, "usage", cause.join(" "), tips.join("; "))
}
