//! Compiles one Go program from pinned modules. The pins are written into a scratch directory, so that an installed
//! platform builds without its source tree; `-mod=readonly` refuses anything the committed `go.sum` does not name.

use std::path::PathBuf;
use std::process::Command;

use super::component::GoBinary;
use super::{BuildError, BuildOptions, command, recipe_key};
use crate::Digest;
use crate::cache::{Cache, Descriptor, Scratch, io_error, require_free};
use crate::catalogue::Line;

/// Space one program may take in the cache and in Go's own caches while it is built.
const NEED: u64 = 1 << 30;

/// Everything that decides the result; two builds with the same key give the same program.
pub(super) fn key(binary: &GoBinary, line: &Line, arch: &str) -> Digest {
    let (module, sums) = pins(binary, line);
    let ldflags = binary.ldflags(line);
    let parts = [
        "go",
        arch,
        binary.name,
        binary.package,
        binary.tags,
        if binary.cgo { "cgo" } else { "" },
        binary.toolchain(line),
        &ldflags,
        module,
        sums,
    ];
    recipe_key(&parts)
}

fn pins(binary: &GoBinary, line: &Line) -> (&'static str, &'static str) {
    let file = |name: &str| line.pin(binary.family, name).unwrap_or_default();
    (file("go.mod"), file("go.sum"))
}

pub(super) fn build(
    binary: &GoBinary,
    line: &Line,
    arch: &str,
    options: &BuildOptions,
    cache: &Cache,
) -> Result<Descriptor, BuildError> {
    let scratch = cache.blobs().scratch()?;
    require_free(cache.root(), NEED)?;
    for dir in go_caches(options)? {
        require_free(&dir, NEED)?;
    }
    let out = scratch.path().join(binary.name);
    let mut go = prepare(binary, line, arch, options, &scratch)?;
    go.arg("-o").arg(&out).arg(binary.package);
    command::run(&format!("building {}", binary.name), go, &scratch)?;
    Ok(cache.blobs().adopt(&out, true)?)
}

fn prepare(
    binary: &GoBinary,
    line: &Line,
    arch: &str,
    options: &BuildOptions,
    scratch: &Scratch,
) -> Result<Command, BuildError> {
    let (module, sums) = pins(binary, line);
    let dir = scratch.path().join("module");
    let tmp = scratch.path().join("tmp");
    for path in [&dir, &tmp] {
        std::fs::create_dir(path).map_err(io_error("create", path))?;
    }
    for (name, text) in [("go.mod", module), ("go.sum", sums)] {
        let path = dir.join(name);
        std::fs::write(&path, text).map_err(io_error("write", &path))?;
    }
    let mut go = command::tied(&options.go);
    go.arg("build")
        .arg("-tags")
        .arg(binary.tags)
        .arg("-ldflags")
        .arg(binary.ldflags(line));
    go.current_dir(&dir)
        .env("CGO_ENABLED", if binary.cgo { "1" } else { "0" })
        .env("GOTOOLCHAIN", binary.toolchain(line))
        .env("GOFLAGS", "-buildvcs=false -mod=readonly -trimpath")
        .env("GO111MODULE", "on")
        .env("GOWORK", "off")
        .env("GOOS", "linux")
        .env("GOARCH", arch)
        .env("GOTMPDIR", &tmp)
        .env_remove("GOEXPERIMENT")
        .env_remove("GOAMD64");
    Ok(go)
}

fn go_caches(options: &BuildOptions) -> Result<Vec<PathBuf>, BuildError> {
    let mut go = Command::new(&options.go);
    go.args(["env", "GOCACHE", "GOMODCACHE"]);
    Ok(command::output("go env", go)?
        .lines()
        .filter(|l| !l.is_empty())
        .map(PathBuf::from)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::component::GO_BINARIES;
    use crate::catalogue;

    #[test]
    fn the_key_changes_with_what_decides_the_result() {
        let line = catalogue::resolve("v1.36").unwrap();
        let base = key(&GO_BINARIES[0], &line, "amd64");
        assert_eq!(base, key(&GO_BINARIES[0], &line, "amd64"));
        assert_ne!(base, key(&GO_BINARIES[1], &line, "amd64"));
        assert_ne!(base, key(&GO_BINARIES[0], &line, "arm64"));
        let mut newer = line.clone();
        newer.toolchain.kubernetes = "go1.99.0".into();
        assert_ne!(base, key(&GO_BINARIES[0], &newer, "amd64"));
    }
}
