//! `cloudd`: reads its settings and starts.

use std::process::ExitCode;

use clap::Parser;
use server::{
    check,
    config::Config,
    daemon,
    options::{Command, Options},
};
use types::Fault;

fn main() -> ExitCode {
    let options = Options::parse();
    match options.command {
        Some(Command::Check) => check_host(),
        None => match start(&options) {
            Ok(()) => ExitCode::SUCCESS,
            Err(fault) => {
                eprintln!("error[{}]: {}\n  help: {}", fault.code, fault.cause, fault.remedy);
                ExitCode::FAILURE
            }
        },
    }
}

fn start(options: &Options) -> Result<(), Fault> {
    let config = Config::load(options.config.as_deref(), &options.overrides)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Fault::internal("runtime", error.to_string()))?;
    runtime.block_on(daemon::run(config))
}

fn check_host() -> ExitCode {
    let findings = check::run();
    for finding in &findings {
        println!("{finding}");
    }
    if findings.iter().all(|finding| finding.present) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
