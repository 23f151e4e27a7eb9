//! `cloudd`: reads its settings and starts.

use std::{path::Path, process::ExitCode};

use clap::Parser;
use server::{
    backup, check,
    config::Config,
    daemon, master_key,
    options::{Command, Options},
    teardown,
};
use types::Fault;

fn main() -> ExitCode {
    let options = Options::parse();
    match &options.command {
        Some(Command::Check) => check_host(),
        Some(Command::Teardown) => told(teardown(&options)),
        Some(Command::Restore {
            from,
            passphrase_file,
        }) => told(restore(&options, from, passphrase_file)),
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

fn restore(options: &Options, from: &Path, passphrase: &Path) -> Result<(), Fault> {
    let config = Config::load(options.config.as_deref(), &options.overrides)?;
    let restored = runtime()?.block_on(backup::restore::run(&config, from, passphrase))?;
    println!(
        "{} is as it was at {} (release {}): {} files; start cloudd now",
        config.state_dir.display(),
        restored.made,
        restored.version,
        restored.files.len()
    );
    Ok(())
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
