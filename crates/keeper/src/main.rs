//! `cloud-keeper`: one small static program with no library to find, because it is the first thing that runs in a
//! root that may hold nothing else.

mod cgroup;
mod child;
mod config;
mod confine;
mod gate;
mod init;
mod launch;
mod links;
mod log;
mod mounts;
mod network;
mod prepare;
mod restart;
mod run;
mod signals;
mod status;
mod supervisor;

use std::{path::PathBuf, process::ExitCode};

const USAGE: &str = "usage: cloud-keeper init
       cloud-keeper prepare
       cloud-keeper network --machine FILE
       cloud-keeper run --config FILE [--pidfile FILE] [--status FILE]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((verb, rest)) = args.split_first() else {
        return usage();
    };
    let Some(options) = Options::parse(rest) else {
        return usage();
    };
    let result = match (verb.as_str(), options) {
        ("init", options) if options.is_empty() => init::init(),
        ("prepare", options) if options.is_empty() => prepare::prepare(),
        (
            "network",
            Options {
                machine: Some(machine),
                ..
            },
        ) => prepare::network_of(&machine),
        (
            "run",
            Options {
                config: Some(config),
                pidfile,
                status,
                machine: None,
            },
        ) => run::run(&run::Options {
            config,
            pidfile,
            status,
        }),
        _ => return usage(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cloud-keeper: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

#[derive(Default, PartialEq)]
struct Options {
    config: Option<PathBuf>,
    pidfile: Option<PathBuf>,
    status: Option<PathBuf>,
    machine: Option<PathBuf>,
}

impl Options {
    fn parse(args: &[String]) -> Option<Self> {
        let mut options = Self::default();
        for pair in args.chunks(2) {
            let [flag, value] = pair else { return None };
            let slot = match flag.as_str() {
                "--config" => &mut options.config,
                "--pidfile" => &mut options.pidfile,
                "--status" => &mut options.status,
                "--machine" => &mut options.machine,
                _ => return None,
            };
            *slot = Some(PathBuf::from(value));
        }
        Some(options)
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
