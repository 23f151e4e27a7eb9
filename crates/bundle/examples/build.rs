//! Builds the bundle of a version by hand: `cargo run --release -p bundle --example build -- v1.36 [cache directory]`.

use std::process::ExitCode;

use bundle::{BuildOptions, Cache, Event};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let version = args.next().unwrap_or_else(|| bundle::DEFAULT_LINE.to_owned());
    let root = args.next().unwrap_or_else(|| "/var/cache/plasmacloud".to_owned());
    match run(&version, &root) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error[{}]: {error}", error.code());
            let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(&error);
            while let Some(next) = cause {
                eprintln!("  because: {next}");
                cause = next.source();
            }
            eprintln!("  remedy: {}", error.remedy());
            ExitCode::FAILURE
        }
    }
}

fn run(version: &str, root: &str) -> Result<(), bundle::Error> {
    let cache = Cache::open(root)?;
    let progress = |event: Event| match event {
        Event::Waiting { reason } => eprintln!("waiting: {reason}"),
        Event::Planned { steps, cached } => eprintln!("{steps} steps, {cached} of them done before"),
        Event::Started { step } => eprintln!("  … {step}"),
        Event::Cached { step } => eprintln!("  = {step}"),
        Event::Finished { step, took } => eprintln!("  ✓ {step} ({:.1} s)", took.as_secs_f64()),
    };
    let bundle = bundle::build(&cache, version, &BuildOptions::default(), &progress)?;
    println!("{} {}", bundle.version(), bundle.digest());
    println!("bin            {}", bundle.bin_dir().display());
    println!("node           {}", bundle.node_tree().display());
    println!("control plane  {}", bundle.control_plane_tree().display());
    for name in bundle.images().keys() {
        println!("image          {name}");
    }
    let faults = bundle::verify(&bundle);
    for fault in &faults {
        println!("fault          {fault}");
    }
    println!("verified       {} faults", faults.len());
    Ok(())
}
