//! Arrows point down only: a crate depends on crates of lower layers, or on those beside it that are named here.

use std::{collections::BTreeMap, fs, path::Path};

/// Layer and crates, lowest first.
const LAYERS: &[&[&str]] = &[
    &["types"],
    &["plan", "api", "iam"],
    &["ports"],
    &["workflow"],
    &["cluster"],
    &[
        "store",
        "vault",
        "machines",
        "prismnet",
        "bundle",
        "kubeapi",
        "oidc",
        "engine-hosted",
        "keeper",
        "controllers",
    ],
    // The edge serves images out of bundles.
    &["edge"],
    &["app"],
    &["server", "cli"],
    &["e2e", "house"],
    &["bench"],
];

/// Pure crates know no client, protocol, database or runtime.
const IMPURE: &[&str] = &[
    "tokio",
    "kube",
    "k8s-openapi",
    "sqlx",
    "axum",
    "hyper",
    "rustix",
    "libc",
    "nix",
];
const PURE: &[&str] = &["types", "plan", "iam"];

fn dependencies(crate_dir: &Path, tables: &[&str]) -> Vec<String> {
    let text = fs::read_to_string(crate_dir.join("Cargo.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    let names = |table: &&str| {
        manifest
            .get(*table)
            .and_then(|t| t.as_table())
            .map(|t| t.keys().cloned().collect())
    };
    tables
        .iter()
        .filter_map(names)
        .flat_map(|names: Vec<String>| names)
        .collect()
}

#[test]
fn arrows_point_down() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let layer: BTreeMap<&str, usize> = LAYERS
        .iter()
        .enumerate()
        .flat_map(|(n, names)| names.iter().map(move |name| (*name, n)))
        .collect();
    let mut wrong = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        let dir = entry.unwrap().path();
        let name = dir.file_name().unwrap().to_str().unwrap().to_owned();
        let Some(own) = layer.get(name.as_str()) else {
            wrong.push(format!("{name} is in no layer"));
            continue;
        };
        for dependency in dependencies(&dir, &["dependencies", "build-dependencies"]) {
            if layer.get(dependency.as_str()).is_some_and(|below| below >= own) {
                wrong.push(format!("{name} must not depend on {dependency}"));
            }
        }
        if PURE.contains(&name.as_str()) {
            let impure = dependencies(&dir, &["dependencies"])
                .into_iter()
                .filter(|d| IMPURE.contains(&d.as_str()));
            wrong.extend(impure.map(|d| format!("{name} is pure and must not depend on {d}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
