//! The program in every pod's sandbox: a page of C without a library, see `bundles/pause/pause.c`.

use std::process::Command;

use super::{BuildError, command, recipe_key};
use crate::cache::{Cache, Descriptor, io_error};
use crate::{Digest, embedded};

const FLAGS: &[&str] = &[
    "-Os",
    "-static",
    "-nostdlib",
    "-ffreestanding",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fcf-protection=none",
    "-Wl,--build-id=none",
    "-Wl,-z,noseparate-code",
    "-s",
];

fn source() -> &'static str {
    embedded::file("pause/pause.c").unwrap_or_default()
}

fn flags(arch: &str) -> impl Iterator<Item = &'static str> {
    // Only x86 knows this flag.
    let skip = arch != "amd64";
    FLAGS
        .iter()
        .copied()
        .filter(move |f| !(skip && f.starts_with("-fcf")))
}

pub(super) fn key(arch: &str) -> Digest {
    let flags: Vec<_> = flags(arch).collect();
    recipe_key(&["pause", arch, &flags.join(" "), source()])
}

pub(super) fn build(arch: &str, cache: &Cache) -> Result<Descriptor, BuildError> {
    let scratch = cache.blobs().scratch()?;
    let code = scratch.path().join("pause.c");
    std::fs::write(&code, source()).map_err(io_error("write", &code))?;
    let out = scratch.path().join("pause");
    let mut gcc = Command::new("gcc");
    gcc.args(flags(arch)).arg("-o").arg(&out).arg(&code);
    command::run("building pause", gcc, &scratch)?;
    Ok(cache.blobs().adopt(&out, true)?)
}
