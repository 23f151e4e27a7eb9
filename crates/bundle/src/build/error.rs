//! Why a build stops.

use std::path::PathBuf;

use crate::cache::CacheError;

#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("{patch} is known, but no Go pins for line {line} are part of this release; buildable lines: {}", buildable.join(", "))]
    NoPins {
        line: String,
        patch: String,
        buildable: Vec<String>,
    },
    #[error("this machine's architecture {arch:?} is not supported")]
    Architecture { arch: String },
    #[error("tools are missing: {}", tools.join(", "))]
    ToolsMissing {
        tools: Vec<String>,
        packages: Vec<String>,
    },
    #[error("cannot start {program}")]
    Start { program: String, source: std::io::Error },
    #[error("{step} failed ({status}); it said:\n{tail}")]
    Command {
        step: String,
        status: String,
        tail: String,
    },
    #[error("{step}: {} has no {path}", archive.display())]
    PartMissing {
        step: String,
        archive: PathBuf,
        path: String,
    },
    #[error("kubeadm {version} wants images this build does not make: {}", images.join(", "))]
    ImagesMissing { version: String, images: Vec<String> },
    #[error(transparent)]
    Cache(#[from] CacheError),
}

impl BuildError {
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoPins { .. } => "line_not_pinned",
            Self::Architecture { .. } => "architecture_unsupported",
            Self::ToolsMissing { .. } => "tools_missing",
            Self::Start { .. } => "tool_start",
            Self::Command { .. } => "build_failed",
            Self::PartMissing { .. } => "part_missing",
            Self::ImagesMissing { .. } => "images_missing",
            Self::Cache(e) => e.code(),
        }
    }

    pub fn remedy(&self) -> String {
        match self {
            Self::NoPins { line, .. } => format!(
                "build one of the buildable lines, import a bundle of {line} made elsewhere, or add its pins under bundles/go"
            ),
            Self::Architecture { .. } => "use an amd64 or arm64 machine".into(),
            Self::ToolsMissing { packages, .. } => format!("install them: apt-get install {}", packages.join(" ")),
            Self::Start { program, .. } => format!("check that {program} is installed and executable"),
            Self::Command { .. } => {
                "see the message above; if a download failed, check the network or GOPROXY and run it again: finished parts are kept".into()
            }
            Self::PartMissing { .. } => "the package no longer contains the file: report it as a bug".into(),
            Self::ImagesMissing { .. } => "correct the image tags in the line's file under bundles/lines".into(),
            Self::Cache(e) => e.remedy(),
        }
    }
}
