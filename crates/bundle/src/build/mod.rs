//! Makes a bundle: compiles what is not in the cache, assembles images and trees, publishes the manifest.
//!
//! Guarantees: every finished part is kept, so a build that was stopped goes on where it was; nothing unfinished is visible;
//! one builder at a time, the next one waits. Parts that are there are checked against their digest before they are used, so
//! building again also repairs.

mod command;
mod component;
mod debian;
mod error;
mod go;
mod images;
mod parts;
mod pause;
mod pin;
mod progress;
mod test_files;
mod trees;

use std::collections::VecDeque;
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use component::GoBinary;
pub use error::BuildError;
use parts::{Job, Parts};
pub use pin::pin;
pub use progress::{Event, Progress};

use crate::bundle::Bundle;
use crate::cache::Cache;
use crate::catalogue::{self, Line};
use crate::manifest::{Component, Manifest, SCHEMA};
use crate::{Descriptor, Digest, Error, verify};

/// Revision of how bundles are put together. Part of every recipe: raising it makes everything anew.
const REVISION: u32 = 1;

/// Where a build finds its tools and sources.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// The `go` command.
    pub go: String,
    /// Debian mirror; `<mirror>/debian` and `<mirror>/debian-security` are read.
    pub mirror: String,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            go: "go".into(),
            mirror: "http://deb.debian.org".into(),
        }
    }
}

/// What the parts of one build share.
struct Build<'a> {
    cache: &'a Cache,
    line: Line,
    arch: &'static str,
    options: &'a BuildOptions,
    progress: &'a dyn Progress,
}

/// Makes the bundle of a version, or finds it finished.
pub fn build(
    cache: &Cache,
    version: &str,
    options: &BuildOptions,
    progress: &dyn Progress,
) -> Result<Bundle, Error> {
    let line = catalogue::resolve(version)?;
    require_pins(&line)?;
    let build = Build {
        cache,
        line,
        arch: arch()?,
        options,
        progress,
    };
    let _lock = cache.lock(|| {
        let reason = format!(
            "another process is building or importing into {}",
            cache.root().display()
        );
        progress.on(Event::Waiting { reason });
    })?;
    Ok(build.run()?)
}

impl Build<'_> {
    fn run(&self) -> Result<Bundle, BuildError> {
        let parts = self.parts()?;
        let images = self.step("assemble images", || self.images(&parts))?;
        let trees = self.step("lay out machine roots", || self.trees(&parts))?;
        let components = parts
            .binaries()
            .map(|(name, family, blob)| {
                let version = self.line.version_of(family).to_owned();
                (
                    name.to_owned(),
                    Component {
                        version,
                        blob: blob.clone(),
                    },
                )
            })
            .collect();
        let manifest = Manifest {
            schema: SCHEMA,
            version: self.line.patch.clone(),
            line: self.line.line.clone(),
            arch: self.arch.to_owned(),
            recipe_revision: REVISION,
            components,
            images,
            trees,
        };
        self.step("publish", || {
            self.check_images(&manifest, &parts)?;
            let bundle = self.cache.publish(manifest)?;
            for (_, tree) in verify::damaged_trees(&bundle) {
                tree.replace(self.cache)?;
            }
            Ok(bundle)
        })
    }

    /// Everything that is compiled or downloaded: recalled where it is there, made where it is not.
    fn parts(&self) -> Result<Parts, BuildError> {
        let mut parts = Parts::default();
        let mut missing = Vec::new();
        for job in Job::all() {
            match self.cache.recall(&job.key(self)) {
                Some(blob) => {
                    self.progress.on(Event::Cached { step: job.step() });
                    parts.insert(job, blob);
                }
                None => missing.push(job),
            }
        }
        self.progress.on(Event::Planned {
            steps: Job::all().count() + 3,
            cached: Job::all().count() - missing.len(),
        });
        self.require_tools(&missing)?;
        self.make(missing, parts)
    }

    /// Compilers in a few lanes (each is parallel in itself), downloads of Debian packages in a lane of their own.
    fn make(&self, missing: Vec<Job>, parts: Parts) -> Result<Parts, BuildError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (roots, compiled): (VecDeque<_>, VecDeque<_>) =
            missing.into_iter().partition(|j| matches!(j, Job::Root(_)));
        let (roots, compiled) = (Mutex::new(roots), Mutex::new(compiled));
        let parts = Mutex::new(parts);
        let failure = Mutex::new(None);
        let lane = |queue: &Mutex<VecDeque<Job>>| {
            while locked(&failure).is_none() {
                let Some(job) = locked(queue).pop_front() else {
                    return;
                };
                match self.make_one(job) {
                    Ok(blob) => locked(&parts).insert(job, blob),
                    Err(error) => {
                        locked(&failure).get_or_insert(error);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..(cores / 4).clamp(1, 3) {
                scope.spawn(|| lane(&compiled));
            }
            scope.spawn(|| lane(&roots));
        });
        match failure.into_inner().unwrap_or_else(|e| e.into_inner()) {
            Some(error) => Err(error),
            None => Ok(parts.into_inner().unwrap_or_else(|e| e.into_inner())),
        }
    }

    fn make_one(&self, job: Job) -> Result<Descriptor, BuildError> {
        self.step(&job.step(), || {
            let blob = job.make(self)?;
            self.cache.record(&job.key(self), &job.step(), &blob)?;
            Ok(blob)
        })
    }

    fn step<T>(&self, name: &str, work: impl FnOnce() -> Result<T, BuildError>) -> Result<T, BuildError> {
        self.progress.on(Event::Started {
            step: name.to_owned(),
        });
        let start = Instant::now();
        let result = work()?;
        self.progress.on(Event::Finished {
            step: name.to_owned(),
            took: start.elapsed(),
        });
        Ok(result)
    }

    /// Names all missing tools at once, before minutes are spent.
    fn require_tools(&self, missing: &[Job]) -> Result<(), BuildError> {
        let mut wanted = Vec::new();
        if !missing.is_empty() {
            wanted.push((command::exists("setpriv"), "setpriv", "util-linux"));
        }
        if missing.iter().any(|j| matches!(j, Job::Go(_) | Job::TestFiles)) {
            wanted.push((command::exists(&self.options.go), "go", "golang"));
        }
        if missing
            .iter()
            .any(|j| matches!(j, Job::Pause | Job::Go(GoBinary { cgo: true, .. })))
        {
            wanted.push((command::exists("gcc"), "gcc", "gcc libc6-dev"));
        }
        if missing
            .iter()
            .any(|j| matches!(j, Job::Go(GoBinary { cgo: true, .. })))
        {
            let found = Command::new("pkg-config")
                .args(["--exists", "libseccomp"])
                .status()
                .is_ok_and(|s| s.success());
            wanted.push((found, "libseccomp for pkg-config", "libseccomp-dev pkg-config"));
        }
        if missing.iter().any(|j| matches!(j, Job::Root(_))) {
            wanted.push((command::exists("mmdebstrap"), "mmdebstrap", "mmdebstrap"));
            wanted.push((command::exists("unshare"), "unshare", "util-linux"));
        }
        wanted.retain(|(found, ..)| !found);
        if wanted.is_empty() {
            return Ok(());
        }
        let tools = wanted.iter().map(|(_, tool, _)| (*tool).to_owned()).collect();
        let packages = wanted.iter().map(|(.., package)| (*package).to_owned()).collect();
        Err(BuildError::ToolsMissing { tools, packages })
    }

    /// Asks the line's own kubeadm which images it wants.
    fn check_images(&self, manifest: &Manifest, parts: &Parts) -> Result<(), BuildError> {
        let mut kubeadm = Command::new(self.cache.blob_path(&parts.binary("kubeadm").digest));
        kubeadm.args([
            "config",
            "images",
            "list",
            "--kubernetes-version",
            &self.line.patch,
        ]);
        let listed = command::output("kubeadm config images list", kubeadm)?;
        let images: Vec<_> = listed
            .split_whitespace()
            .filter(|name| !manifest.images.contains_key(*name))
            .map(str::to_owned)
            .collect();
        if images.is_empty() {
            return Ok(());
        }
        Err(BuildError::ImagesMissing {
            version: self.line.patch.clone(),
            images,
        })
    }
}

fn require_pins(line: &Line) -> Result<(), BuildError> {
    if line.is_pinned() {
        return Ok(());
    }
    let buildable = catalogue::lines()
        .into_iter()
        .filter(Line::is_pinned)
        .map(|l| l.line)
        .collect();
    Err(BuildError::NoPins {
        line: line.line.clone(),
        patch: line.patch.clone(),
        buildable,
    })
}

/// Names a recipe by everything that decides its result.
fn recipe_key(parts: &[&str]) -> Digest {
    Digest::of(format!("{REVISION}\n{}", parts.join("\n")))
}

fn arch() -> Result<&'static str, BuildError> {
    match std::env::consts::ARCH {
        "x86_64" => Ok("amd64"),
        "aarch64" => Ok("arm64"),
        other => Err(BuildError::Architecture {
            arch: other.to_owned(),
        }),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_pins_is_refused_with_a_remedy() {
        let mut line = catalogue::resolve("v1.36").unwrap();
        require_pins(&line).unwrap();
        line.patch = "v1.36.99".into();
        let error = require_pins(&line).unwrap_err();
        assert_eq!(error.code(), "line_not_pinned");
        assert!(error.to_string().contains("buildable lines: "), "{error}");
        assert!(error.to_string().contains("v1.36"), "{error}");
        assert!(error.remedy().contains("bundles/go"), "{}", error.remedy());
    }

    #[test]
    fn an_unknown_version_is_refused_before_anything_is_touched() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path()).unwrap();
        let error = build(&cache, "v9.9", &BuildOptions::default(), &|_: Event| {}).unwrap_err();
        assert_eq!(error.code(), "unknown_version");
        assert!(cache.list().unwrap().is_empty());
    }
}
