//! One component of a control plane: what it reads and how it is started.

use std::collections::BTreeMap;

use cluster::recipe::RecipeError;
use ports::compute::{Content, FileEntry};
use types::keeper::{Gate, Limits, Process};

use crate::{PlaneInput, paths::bin};

pub(crate) struct Child {
    pub files: Vec<FileEntry>,
    pub process: Process,
}

/// The process of a component with the flags its recipe gives it.
pub(crate) fn process(
    input: &PlaneInput<'_>,
    name: &str,
    after: Vec<Gate>,
    limits: Limits,
) -> Result<Process, RecipeError> {
    let mut argv = vec![bin(name)];
    argv.extend(
        input
            .recipe
            .lines(&format!("plane/{name}.flags"), &input.values())?,
    );
    Ok(Process {
        name: name.to_owned(),
        argv,
        env: BTreeMap::new(),
        after,
        limits,
    })
}

/// What all components made of Kubernetes' own source find in their environment.
pub(crate) fn environment(input: &PlaneInput<'_>) -> Result<BTreeMap<String, String>, RecipeError> {
    let lines = input.recipe.lines("plane/kubernetes.env", &input.values())?;
    let pairs = lines.iter().filter_map(|line| line.split_once('='));
    Ok(pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect())
}

pub(crate) fn text(path: &str, mode: u32, content: impl Into<String>) -> FileEntry {
    FileEntry {
        path: path.into(),
        mode,
        content: Content::Text(content.into()),
    }
}
