//! Embeds `bundles/` (release lines, Go pins, Debian roots) into the crate, so that an installed binary needs no source tree.
//! A generated list of `include_str!` is used instead of a directory macro because cargo then notices files that are added.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../bundles");
    println!("cargo:rerun-if-changed={}", root.display());
    println!("cargo:rerun-if-changed=embed.rs");
    let mut files = Vec::new();
    walk(&root, &mut files);
    files.sort();

    let mut code = String::from("pub(crate) static FILES: &[(&str, &str)] = &[\n");
    for file in files {
        let name = file
            .strip_prefix(&root)
            .expect("below the root")
            .display()
            .to_string();
        let path = file.canonicalize().expect("exists");
        writeln!(
            code,
            "    ({name:?}, include_str!({:?})),",
            path.display().to_string()
        )
        .expect("string");
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("set by cargo")).join("embedded.rs");
    fs::write(out, code).expect("write the list of embedded files");
}

fn walk(dir: &Path, files: &mut Vec<PathBuf>) {
    println!("cargo:rerun-if-changed={}", dir.display());
    for entry in fs::read_dir(dir).expect("bundles/ is part of the source tree") {
        let path = entry.expect("readable entry").path();
        if path.is_dir() {
            walk(&path, files);
        } else if !path
            .file_name()
            .is_some_and(|n| n.to_string_lossy().starts_with('.'))
        {
            files.push(path);
        }
    }
}
