//! The recipe that new clusters are made with: the built-in one, with the operator's files in place of its own.

use std::{fs, path::Path};

use cluster::recipe::Recipe;
use types::Fault;

const REMEDY: &str = "correct the file, or remove it and the built-in one is used; clusters that exist keep the recipe they were made with";

pub fn load(dir: Option<&Path>) -> Result<Recipe, Fault> {
    let mut recipe = engine_hosted::recipe();
    let Some(dir) = dir else { return Ok(recipe) };
    for name in files(dir, dir)? {
        let path = dir.join(&name);
        let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
        recipe.replace(&name, text).map_err(|error| {
            let known: Vec<&str> = recipe.names().collect();
            let remedy = format!("name one of the files it has: {}", known.join(", "));
            Fault::invalid("recipe-invalid", format!("{}: {error}", path.display()), remedy)
        })?;
    }
    engine_hosted::check(&recipe)
        .map_err(|error| Fault::invalid("recipe-invalid", format!("{}: {error}", dir.display()), REMEDY))?;
    Ok(recipe)
}

/// Names of all files below a directory, relative to it.
fn files(root: &Path, dir: &Path) -> Result<Vec<String>, Fault> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(|error| unreadable(dir, &error))? {
        let path = entry.map_err(|error| unreadable(dir, &error))?.path();
        if path.is_dir() {
            found.extend(files(root, &path)?);
        } else if let Ok(name) = path.strip_prefix(root) {
            found.push(name.to_string_lossy().into_owned());
        }
    }
    found.sort();
    Ok(found)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::invalid(
        "recipe-unreadable",
        format!("{} cannot be read: {error}", path.display()),
        "give a directory that exists and is readable as recipe_dir, or leave it out",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, text: &str) -> Result<Recipe, Fault> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        load(Some(dir.path()))
    }

    #[test]
    fn the_operators_files_stand_in_for_the_built_in_ones() {
        let changed = with("plane/kubernetes.env", "GOGC=77\n").unwrap();
        assert_ne!(changed.digest(), load(None).unwrap().digest());
    }

    #[test]
    fn files_that_would_do_nothing_or_break_are_refused_by_name() {
        let fault = with("plane/kubernets.env", "").unwrap_err();
        assert!(fault.cause.contains("kubernets.env") && fault.remedy.contains("plane/kubernetes.env"));
        let fault = with("plane/etcd.flags", "--name={{nobody}}").unwrap_err();
        assert!(fault.cause.contains("{{nobody}}"), "{fault}");
        assert_eq!(
            load(Some(Path::new("/nonexistent"))).unwrap_err().code,
            "recipe-unreadable"
        );
    }
}
