//! Writes the Go pins of a line: for each family a module that requires upstream's, with upstream's own requirements and its
//! local replacements turned into published versions, and the `go.sum` of what the build needs. For maintainers; the result
//! is reviewed and committed under `bundles/go/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use super::component::GO_BINARIES;
use super::{BuildError, BuildOptions, command};
use crate::cache::io_error;
use crate::catalogue::{self, Line};
use crate::{CacheError, Error};

/// Modules that a family's wrapper requires.
fn modules(family: &str) -> &'static [&'static str] {
    match family {
        "kubernetes" => &["k8s.io/kubernetes"],
        "etcd" => &[
            "go.etcd.io/etcd/server/v3",
            "go.etcd.io/etcd/etcdctl/v3",
            "go.etcd.io/etcd/etcdutl/v3",
        ],
        "containerd" => &["github.com/containerd/containerd/v2"],
        "runc" => &["github.com/opencontainers/runc"],
        "cni-plugins" => &["github.com/containernetworking/plugins"],
        "coredns" => &["github.com/coredns/coredns"],
        "crictl" => &["sigs.k8s.io/cri-tools"],
        "helm" => &["helm.sh/helm/v4"],
        _ => &[],
    }
}

/// What `go mod download -json` prints.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Download {
    go_mod: std::path::PathBuf,
}

/// What `go mod edit -json` prints.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GoMod {
    go: String,
    #[serde(default, alias = "Godebug")]
    go_debug: Option<Vec<GoDebug>>,
    #[serde(default)]
    require: Option<Vec<Module>>,
    #[serde(default)]
    replace: Option<Vec<Replace>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GoDebug {
    key: String,
    value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Module {
    path: String,
    #[serde(default)]
    version: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Replace {
    old: Module,
    new: Module,
}

/// Writes the pins a version lacks below `bundles`, and returns the directories it made.
pub fn pin(version: &str, bundles: &Path, options: &BuildOptions) -> Result<Vec<String>, Error> {
    let line = catalogue::resolve(version)?;
    let families: BTreeSet<_> = GO_BINARIES.iter().map(|b| b.family).collect();
    let mut made = Vec::new();
    for family in families {
        let name = format!("go/{family}/v{}", line.version_of(family));
        let dir = bundles.join(&name);
        if dir.join("go.sum").exists() {
            continue;
        }
        let pinner = Pinner {
            line: &line,
            family,
            dir: &dir,
            options,
        };
        if let Err(error) = pinner.run() {
            let _ = std::fs::remove_dir_all(&dir);
            return Err(error.into());
        }
        made.push(name);
    }
    Ok(made)
}

struct Pinner<'a> {
    line: &'a Line,
    family: &'a str,
    dir: &'a Path,
    options: &'a BuildOptions,
}

impl Pinner<'_> {
    fn run(&self) -> Result<(), BuildError> {
        std::fs::create_dir_all(self.dir).map_err(io_error("create", self.dir))?;
        let path = self.dir.join("go.mod");
        std::fs::write(&path, self.module()?).map_err(io_error("write", &path))?;
        for mode in ["-mod=mod", "-mod=readonly"] {
            let mut list = self.go(mode);
            let binaries = || GO_BINARIES.iter().filter(|b| b.family == self.family);
            let tags = binaries().map(|b| b.tags).next().unwrap_or_default();
            list.args(["list", "-deps", "-tags", tags])
                .args(binaries().map(|b| b.package));
            let cgo = binaries().any(|b| b.cgo);
            list.env("CGO_ENABLED", if cgo { "1" } else { "0" });
            command::output(&format!("pinning {}", self.family), list)?;
        }
        Ok(())
    }

    fn module(&self) -> Result<String, BuildError> {
        let version = format!("v{}", self.line.version_of(self.family));
        let mut text = String::new();
        let mut requires: BTreeSet<(String, String)> = BTreeSet::new();
        let mut replaces: BTreeMap<String, (String, String)> = BTreeMap::new();
        let mut go = String::new();
        let mut debug = Vec::new();
        for module in modules(self.family) {
            let upstream = self.upstream(module, &version)?;
            go = go.max(upstream.go);
            debug.extend(upstream.go_debug.unwrap_or_default());
            requires.insert(((*module).to_owned(), version.clone()));
            requires.extend(
                upstream
                    .require
                    .unwrap_or_default()
                    .into_iter()
                    .map(|m| (m.path, m.version)),
            );
            for Replace { old, new } in upstream.replace.unwrap_or_default() {
                match (new.path.starts_with('.'), self.family) {
                    (false, _) => drop(replaces.insert(old.path, (new.path, new.version))),
                    (true, "kubernetes") => {
                        let staging = self.staging(&old.path)?;
                        replaces.insert(old.path.clone(), (old.path, staging));
                    }
                    // Elsewhere the requirement itself names a published version.
                    (true, _) => {}
                }
            }
        }
        let _ = write!(
            text,
            "module plasmacloud.io/bundle/{}\n\ngo {go}\n\n",
            self.family
        );
        for GoDebug { key, value } in debug {
            let _ = writeln!(text, "godebug {key}={value}");
        }
        text.push_str("\nrequire (\n");
        for (path, version) in requires {
            let _ = writeln!(text, "\t{path} {version}");
        }
        text.push_str(")\n\nreplace (\n");
        for (old, (new, version)) in replaces {
            let _ = writeln!(text, "\t{old} => {new} {version}");
        }
        text.push_str(")\n");
        Ok(text)
    }

    /// Version of a staging module: the release's, or an earlier patch where that one was not published.
    fn staging(&self, module: &str) -> Result<String, BuildError> {
        let version = self.line.version_of("kubernetes").replacen("1.", "0.", 1);
        let (minor, patch) = version.rsplit_once('.').unwrap_or((&version, "0"));
        let mut last = None;
        for patch in (0..=patch.parse().unwrap_or(0)).rev() {
            let version = format!("v{minor}.{patch}");
            match self.upstream(module, &version) {
                Ok(_) => return Ok(version),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or(BuildError::PartMissing {
            step: "pinning".into(),
            archive: module.into(),
            path: version.clone(),
        }))
    }

    fn upstream(&self, module: &str, version: &str) -> Result<GoMod, BuildError> {
        let step = format!("reading {module} {version}");
        let mut download = self.go("");
        download
            .args(["mod", "download", "-json", &format!("{module}@{version}")])
            .current_dir("/");
        let Download { go_mod } = parse(&step, &command::output(&step, download)?)?;
        let mut edit = self.go("");
        edit.args(["mod", "edit", "-json"]).arg(go_mod).current_dir("/");
        parse(&step, &command::output(&step, edit)?)
    }

    fn go(&self, flags: &str) -> Command {
        let toolchain = if self.family == "kubernetes" {
            &self.line.toolchain.kubernetes
        } else {
            &self.line.toolchain.rest
        };
        let mut go = Command::new(&self.options.go);
        go.current_dir(self.dir)
            .env("GOTOOLCHAIN", toolchain)
            .env("GOFLAGS", flags)
            .env("GOWORK", "off");
        go
    }
}

fn parse<T: serde::de::DeserializeOwned>(step: &str, text: &str) -> Result<T, BuildError> {
    serde_json::from_str(text)
        .map_err(|e| CacheError::Corrupt {
            path: step.into(),
            found: e.to_string(),
        })
        .map_err(BuildError::from)
}
