//! A file is one noun or one verb. Past 500 lines it is looked at hard; past 800 it is split.

use std::{fs, path::Path};

const LIMIT: usize = 800;

fn walk(dir: &Path, found: &mut Vec<(usize, String)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push((
                fs::read_to_string(&path).unwrap().lines().count(),
                path.display().to_string(),
            ));
        }
    }
}

#[test]
fn no_file_is_a_heap() {
    let mut found = Vec::new();
    walk(
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap(),
        &mut found,
    );
    let heaps: Vec<_> = found.into_iter().filter(|(lines, _)| *lines > LIMIT).collect();
    assert!(heaps.is_empty(), "{heaps:?}");
}

#[test]
fn every_source_file_says_why_it_exists() {
    let mut found = Vec::new();
    walk(
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap(),
        &mut found,
    );
    let silent: Vec<_> = found
        .into_iter()
        .map(|(_, path)| path)
        .filter(|path| !fs::read_to_string(path).unwrap().trim_start().starts_with("//!"))
        .collect();
    assert!(silent.is_empty(), "no `//!` at the top of: {}", silent.join(", "));
}
