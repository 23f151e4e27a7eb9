//! The parts of a bundle that take time to make, one job each.

use std::collections::BTreeMap;

use super::component::{GO_BINARIES, GoBinary};
use super::{Build, BuildError, debian, go, pause, test_files};
use crate::Digest;
use crate::cache::Descriptor;

#[derive(Clone, Copy, Debug)]
pub(super) enum Job {
    Go(&'static GoBinary),
    Pause,
    Root(&'static str),
    TestFiles,
}

impl Job {
    /// In the order in which they are started.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let roots = debian::ROOTS.iter().copied().map(Self::Root);
        GO_BINARIES
            .iter()
            .map(Self::Go)
            .chain([Self::Pause, Self::TestFiles])
            .chain(roots)
    }

    pub(super) fn step(self) -> String {
        match self {
            Self::Go(binary) => format!("build {}", binary.name),
            Self::Pause => "build pause".into(),
            Self::Root(name) => format!("make Debian root {name}"),
            Self::TestFiles => "collect test files".into(),
        }
    }

    pub(super) fn key(self, build: &Build<'_>) -> Digest {
        match self {
            Self::Go(binary) => go::key(binary, &build.line, build.arch),
            Self::Pause => pause::key(build.arch),
            Self::Root(name) => debian::key(name, &build.line, build.arch),
            Self::TestFiles => test_files::key(&build.line),
        }
    }

    pub(super) fn make(self, build: &Build<'_>) -> Result<Descriptor, BuildError> {
        match self {
            Self::Go(binary) => go::build(binary, &build.line, build.arch, build.options, build.cache),
            Self::Pause => pause::build(build.arch, build.cache),
            Self::Root(name) => debian::build(name, &build.line, build.arch, build.options, build.cache),
            Self::TestFiles => test_files::collect(&build.line, build.options, build.cache),
        }
    }
}

/// Name of the tar with upstream's test files.
pub(super) const TEST_FILES: &str = "test-files";

/// What the jobs gave. Complete once [`Build::parts`] has returned it.
#[derive(Debug, Default)]
pub(super) struct Parts {
    binaries: BTreeMap<&'static str, (&'static str, Descriptor)>,
    tars: BTreeMap<&'static str, Descriptor>,
}

impl Parts {
    pub(super) fn insert(&mut self, job: Job, blob: Descriptor) {
        match job {
            Job::Go(binary) => drop(self.binaries.insert(binary.name, (binary.family, blob))),
            Job::Pause => drop(self.binaries.insert("pause", ("pause", blob))),
            Job::Root(name) => drop(self.tars.insert(name, blob)),
            Job::TestFiles => drop(self.tars.insert(TEST_FILES, blob)),
        }
    }

    /// Name, family and blob of every program.
    pub(super) fn binaries(&self) -> impl Iterator<Item = (&'static str, &'static str, &Descriptor)> {
        self.binaries
            .iter()
            .map(|(name, (family, blob))| (*name, *family, blob))
    }

    pub(super) fn binary(&self, name: &str) -> &Descriptor {
        &self.binaries[name].1
    }

    /// A Debian root or [`TEST_FILES`].
    pub(super) fn tar(&self, name: &str) -> Descriptor {
        self.tars[name].clone()
    }
}
