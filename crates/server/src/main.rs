//! `cloudd`: reads its settings and starts.

use std::process::ExitCode;

use clap::Parser;
use server::{
    check,
    config::Config,
    daemon, master_key,
    options::{Command, Options},
    teardown,
};
use types::Fault;

fn main() -> ExitCode {
    let options = Options::parse();
    match options.command {
        Some(Command::Check) => check_host(),
        Some(Command::Teardown) => told(teardown(&options)),
        None => told(start(&options)),
    }
}

fn told(result: Result<(), Fault>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("error[{}]: {}\n  help: {}", fault.code, fault.cause, fault.remedy);
            ExitCode::FAILURE
        }
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, Fault> {
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    built.map_err(|error| Fault::internal("runtime", error.to_string()))
}

fn start(options: &Options) -> Result<(), Fault> {
    let config = Config::load(options.config.as_deref(), &options.overrides)?;
    let source = master_key::source(&config)?;
    runtime()?.block_on(daemon::run(config, source))
}

fn teardown(options: &Options) -> Result<(), Fault> {
    let config = Config::load(options.config.as_deref(), &options.overrides)?;
    let left = runtime()?.block_on(teardown::run(&config))?;
    if left.is_empty() {
        println!("nothing of this platform is left on the host");
        return Ok(());
    }
    let left: Vec<String> = left
        .iter()
        .map(|found| format!("{:?} {}", found.what, found.name))
        .collect();
    Err(Fault::unavailable(
        "leftovers",
        format!("still there: {}", left.join(", ")),
        "run it again, or remove them by hand",
    ))
}

fn check_host() -> ExitCode {
    let findings = check::run();
    for finding in &findings {
        println!("{finding}");
    }
    if findings.iter().all(|finding| finding.present) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
