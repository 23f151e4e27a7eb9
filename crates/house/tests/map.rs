//! ARCHITECTURE.md is a map: every file it names exists.

use std::{fs, path::Path};

#[test]
fn every_file_on_the_map_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let map = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let named: Vec<&str> = map
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| {
            word.starts_with("crates/") || word.starts_with("docs/") || word.starts_with("scripts/")
        })
        .collect();
    assert!(named.len() > 20, "the map names only {} files", named.len());
    let missing: Vec<&str> = named
        .into_iter()
        .filter(|path| !root.join(path).exists())
        .collect();
    assert!(missing.is_empty(), "not there: {}", missing.join(", "));
}
