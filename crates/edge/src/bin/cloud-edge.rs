//! The edge process. It is in the data path: supervised from outside, small, and independent of `cloudd`.

use std::path::PathBuf;

use clap::Parser;
use edge::{Options, Service};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};

/// Routes TLS connections to clusters by name; serves images and forwards names inside networks.
#[derive(Parser)]
#[command(name = "cloud-edge", version)]
struct Arguments {
    /// Directory that keeps the last configuration
    #[arg(long, value_name = "DIR")]
    state: PathBuf,
    /// Unix socket through which configurations come
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,
    /// How many connections are open at once; further ones wait
    #[arg(long, value_name = "N", default_value_t = 8192)]
    connections: usize,
    /// File that names the host's resolvers, to which networks' queries are forwarded
    #[arg(long, value_name = "PATH", default_value = "/etc/resolv.conf")]
    resolv_conf: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "info".into()),
        )
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .init();
    // Two descriptors a connection: the soft limit of a shell is soon used up.
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(
        Resource::Nofile,
        rustix::process::Rlimit {
            current: limit.maximum,
            ..limit
        },
    );
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(8)
        .thread_stack_size(512 * 1024)
        .enable_all()
        .build()?
        .block_on(run(arguments))
}

async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let Arguments {
        state,
        socket,
        connections,
        resolv_conf,
    } = arguments;
    let path = socket.clone();
    let service = match Service::start(Options {
        state,
        socket,
        connections,
        resolv_conf,
    })
    .await
    {
        Ok(service) => service,
        Err(fault) => anyhow::bail!("{fault}; {}", fault.remedy),
    };
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let ended = tokio::select! {
        ended = service.run() => ended,
        _ = term.recv() => Ok(()),
        _ = int.recv() => Ok(()),
    };
    let _ = std::fs::remove_file(path);
    Ok(ended?)
}
