//! Writes the Go pins a release line lacks: `cargo run -p bundle --example pin -- v1.35 bundles`. Review and commit them.

use std::path::Path;

fn main() {
    let mut args = std::env::args().skip(1);
    let version = args.next().unwrap_or_else(|| bundle::DEFAULT_LINE.to_owned());
    let bundles = args.next().unwrap_or_else(|| "bundles".to_owned());
    match bundle::build::pin(&version, Path::new(&bundles), &bundle::BuildOptions::default()) {
        Ok(made) => made.iter().for_each(|dir| println!("{dir}")),
        Err(error) => {
            eprintln!("error[{}]: {error}\n  remedy: {}", error.code(), error.remedy());
            std::process::exit(1);
        }
    }
}
