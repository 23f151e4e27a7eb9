//! `cloud-controllers`: the controllers of one cluster, in one process beside its API server. They go on while the
//! platform's daemon is dead: all they need is on the machine.

mod connection;
mod file;
mod tenancy;

use std::{error::Error, path::PathBuf, process::ExitCode};

use connection::Access;
use file::FileChanges;
use tenancy::{Controller, chain};

const USAGE: &str = "usage: cloud-controllers --kubeconfig=FILE --tenancy=FILE";

struct Options {
    kubeconfig: PathBuf,
    tenancy: PathBuf,
}

fn main() -> ExitCode {
    tracing_subscriber::fmt().with_target(false).init();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(options) = Options::parse(&args) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    // One thread is plenty for what little happens, and small.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = match runtime {
        Ok(runtime) => runtime.block_on(run(&options)),
        Err(error) => Err(error.into()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(reason = %chain(&*error), "cannot go on");
            ExitCode::FAILURE
        }
    }
}

/// Returns when our certificate was renewed: whoever started us starts us again, and the new one is read.
async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let access = Access::read(&options.kubeconfig)?;
    let mut renewed = FileChanges::of(&access.certificate)?;
    let tenancy = Controller::new(access.client()?, options.tenancy.clone())?;
    tokio::select! {
        () = tenancy.run() => {}
        () = renewed.next() => tracing::info!("our certificate was renewed"),
    }
    Ok(())
}

impl Options {
    fn parse(args: &[String]) -> Option<Self> {
        let (mut kubeconfig, mut tenancy) = (None, None);
        for arg in args {
            let (flag, value) = arg.split_once('=')?;
            let slot = match flag {
                "--kubeconfig" => &mut kubeconfig,
                "--tenancy" => &mut tenancy,
                _ => return None,
            };
            *slot = Some(PathBuf::from(value));
        }
        Some(Self {
            kubeconfig: kubeconfig?,
            tenancy: tenancy?,
        })
    }
}
