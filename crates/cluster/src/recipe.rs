//! A recipe: the flags, templates and manifests that clusters are rendered from, as plain text files. A cluster records
//! the digest of the recipe it was made with and the store keeps that recipe whole, so a newer platform with other
//! defaults renders it as before, byte for byte, until its owner upgrades it.
//!
//! `{{name}}` in a file stands for a value of the cluster or machine. Which names there are is up to the renderer of
//! the file; a name it does not know is an error, never left as it is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use types::Fault;

use crate::{node, services};

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum RecipeError {
    #[error("the recipe has no file {0}")]
    Missing(String),
    #[error("{file} names {{{{{name}}}}}, which nothing fills in; known there: {known}")]
    Unknown {
        file: String,
        name: String,
        known: String,
    },
    #[error("{0} needs keys that are not made")]
    Unfilled(String),
    #[error("{0} has {{{{ without }}}}")]
    Unclosed(String),
    #[error("{file} is not valid YAML: {cause}")]
    Yaml { file: String, cause: String },
}

impl From<RecipeError> for Fault {
    fn from(error: RecipeError) -> Self {
        Self::internal("recipe-broken", error.to_string())
    }
}

/// What the placeholders of a file stand for.
pub type Values = BTreeMap<&'static str, String>;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    files: BTreeMap<String, String>,
}

impl Recipe {
    /// The part every engine shares, and the engine's own files.
    pub fn new(of_engine: &[(&str, &str)]) -> Self {
        let files = node::RECIPE.iter().chain(services::RECIPE).chain(of_engine);
        Self {
            files: files
                .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
                .collect(),
        }
    }

    /// The same with one file replaced. Only what is there can be: a misspelt name would do nothing.
    pub fn replace(&mut self, name: &str, text: String) -> Result<(), RecipeError> {
        match self.files.get_mut(name) {
            Some(file) => {
                *file = text;
                Ok(())
            }
            None => Err(RecipeError::Missing(name.to_owned())),
        }
    }

    /// Recipes of older releases lack what came later.
    pub fn has(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Names the content: two recipes with the same digest render the same.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for (name, text) in &self.files {
            for part in [name, text] {
                hash.update((part.len() as u64).to_le_bytes());
                hash.update(part);
            }
        }
        let hex: String = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
        format!("sha256:{hex}")
    }

    pub fn text(&self, name: &str, values: &Values) -> Result<String, RecipeError> {
        let file = self
            .files
            .get(name)
            .ok_or_else(|| RecipeError::Missing(name.to_owned()))?;
        fill(name, file, values)
    }

    /// The lines that say something: not blank, not a comment.
    pub fn lines(&self, name: &str, values: &Values) -> Result<Vec<String>, RecipeError> {
        let text = self.text(name, values)?;
        let lines = text.lines().map(str::trim);
        Ok(lines
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(str::to_owned)
            .collect())
    }

    /// The documents of a YAML file, one after the other.
    pub fn documents(&self, name: &str, values: &Values) -> Result<Vec<serde_json::Value>, RecipeError> {
        let text = self.text(name, values)?;
        text.split("\n---\n")
            .map(|document| {
                serde_saphyr::from_str(document).map_err(|error| RecipeError::Yaml {
                    file: name.to_owned(),
                    cause: error.to_string(),
                })
            })
            .collect()
    }

    /// Whether every placeholder is one that its renderer fills in.
    pub fn check(&self, of_engine: (&str, &[&str])) -> Result<(), RecipeError> {
        for (directory, known) in [("node/", node::NAMES), ("services/", services::NAMES), of_engine] {
            self.check_directory(directory, known)?;
        }
        Ok(())
    }

    fn check_directory(&self, directory: &str, known: &[&str]) -> Result<(), RecipeError> {
        for (name, text) in self.files.iter().filter(|(name, _)| name.starts_with(directory)) {
            for part in pieces(name, text)? {
                if let Piece::Name(placeholder) = part
                    && !known.contains(&placeholder)
                {
                    return Err(unknown(name, placeholder, known.iter().copied()));
                }
            }
        }
        Ok(())
    }
}

enum Piece<'a> {
    Text(&'a str),
    Name(&'a str),
}

fn pieces<'a>(file: &str, text: &'a str) -> Result<Vec<Piece<'a>>, RecipeError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after
            .split_once("}}")
            .ok_or_else(|| RecipeError::Unclosed(file.to_owned()))?;
        pieces.push(Piece::Text(before));
        pieces.push(Piece::Name(name.trim()));
        rest = after;
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

fn fill(file: &str, text: &str, values: &Values) -> Result<String, RecipeError> {
    pieces(file, text)?
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => Ok(text),
            Piece::Name(name) => values
                .get(name)
                .map(String::as_str)
                .ok_or_else(|| unknown(file, name, values.keys().copied())),
        })
        .collect()
}

fn unknown<'a>(file: &str, name: &str, known: impl Iterator<Item = &'a str>) -> RecipeError {
    RecipeError::Unknown {
        file: file.to_owned(),
        name: name.to_owned(),
        known: known.collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(text: &str) -> Recipe {
        Recipe::new(&[("plane/x.flags", text)])
    }

    #[test]
    fn placeholders_are_filled_in_and_comments_left_out() {
        let values = Values::from([("pods", "10.244.0.0/16".to_owned())]);
        let recipe = recipe("# why\n--cidr={{pods}}\n\n--on\n");
        assert_eq!(
            recipe.lines("plane/x.flags", &values).unwrap(),
            ["--cidr=10.244.0.0/16", "--on"]
        );
    }

    #[test]
    fn what_nothing_fills_in_is_an_error_that_says_what_is_known() {
        let recipe = recipe("--cidr={{podz}}");
        let values = Values::from([("pods", String::new())]);
        let error = recipe.text("plane/x.flags", &values).unwrap_err().to_string();
        assert!(error.contains("{{podz}}") && error.contains("pods"), "{error}");
        assert!(recipe.check(("plane/", &["pods"])).is_err());
        assert!(recipe.check(("plane/", &["podz"])).is_ok());
        assert!(super::Recipe::new(&[("a", "{{b")]).text("a", &values).is_err());
    }

    #[test]
    fn any_difference_is_another_digest() {
        let mut other = recipe("--a");
        assert_eq!(recipe("--a").digest(), other.digest());
        other.replace("plane/x.flags", "--b".to_owned()).unwrap();
        assert_ne!(recipe("--a").digest(), other.digest());
        assert_eq!(
            other.replace("plane/y.flags", String::new()),
            Err(RecipeError::Missing("plane/y.flags".to_owned()))
        );
    }
}
