//! A few files of upstream's test images that are not Go code: the certificate of the `porter` server and the pages of the
//! update demo. They come out of the pinned Kubernetes module, so `go.sum` vouches for them.

use std::path::PathBuf;
use std::process::Command;

use serde::Deserialize;

use super::{BuildError, BuildOptions, command, recipe_key};
use crate::Digest;
use crate::cache::{Cache, Descriptor, io_error};
use crate::catalogue::Line;
use crate::oci::Layer;

/// Below `test/images/` of Kubernetes.
const FILES: &[&str] = &[
    "agnhost/porter/localhost.crt",
    "agnhost/porter/localhost.key",
    "kitten/html/data.json",
    "kitten/html/kitten.jpg",
    "nautilus/html/data.json",
    "nautilus/html/nautilus.jpg",
];

/// What `go mod download -json` prints.
#[derive(Deserialize)]
struct Downloaded {
    #[serde(rename = "Dir")]
    dir: PathBuf,
}

fn pin(line: &Line, name: &str) -> &'static str {
    line.pin("kubernetes", name).unwrap_or_default()
}

pub(super) fn key(line: &Line) -> Digest {
    recipe_key(&["test files", &FILES.join(" "), &line.patch, pin(line, "go.sum")])
}

/// Gathers the files into one tar.
pub(super) fn collect(line: &Line, options: &BuildOptions, cache: &Cache) -> Result<Descriptor, BuildError> {
    let scratch = cache.blobs().scratch()?;
    for name in ["go.mod", "go.sum"] {
        let path = scratch.path().join(name);
        std::fs::write(&path, pin(line, name)).map_err(io_error("write", &path))?;
    }
    let mut go = Command::new(&options.go);
    go.args(["mod", "download", "-json", "k8s.io/kubernetes"])
        .current_dir(scratch.path())
        .env("GOTOOLCHAIN", &line.toolchain.kubernetes)
        .env("GOFLAGS", "-mod=readonly")
        .env("GOWORK", "off");
    let step = "collecting test files";
    let printed = command::output(step, go)?;
    let Downloaded { dir } = serde_json::from_str(&printed).map_err(|e| BuildError::Command {
        step: step.into(),
        status: e.to_string(),
        tail: printed,
    })?;
    let mut tar = Layer::new();
    for file in FILES {
        tar.binary(file, dir.join("test/images").join(file));
    }
    Ok(cache.blobs().put(|out| tar.write(out))?)
}
