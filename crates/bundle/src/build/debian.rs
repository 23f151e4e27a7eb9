//! Debian roots made with mmdebstrap: the node's, and those that a few images stand on. What is in each is data under
//! `bundles/debian/`.
//!
//! mmdebstrap runs in mount and process namespaces of its own: whatever it mounts or starts dies with it, and cleaning up
//! after a kill can never reach the host's `/proc` or `/sys`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;

use serde::Deserialize;

use super::{BuildError, BuildOptions, command, recipe_key};
use crate::cache::{Cache, Descriptor, io_error, require_free};
use crate::catalogue::Line;
use crate::{Digest, embedded};

/// Roots a bundle needs.
pub(super) const ROOTS: &[&str] = &["node", "tools", "nginx", "proxy", "busybox"];

/// Space for a root, its packages and its tar.
const NEED: u64 = 1 << 30;

/// Raised when what this file does to a root changes.
const METHOD: &str = "2";

/// Files no machine and no container reads.
const EXCLUDED: &[&str] = &[
    "/usr/share/man/*",
    "/usr/share/doc/*",
    "/usr/share/info/*",
    "/usr/share/locale/*",
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Root {
    variant: String,
    packages: Vec<String>,
    /// Script below `bundles/debian/` that is given the root directory.
    customize: String,
    /// Links that installation scripts would have made, path → target.
    #[serde(default)]
    pub links: BTreeMap<String, String>,
}

pub(super) fn root(name: &str) -> Root {
    let path = format!("debian/{name}.toml");
    let text = embedded::file(&path).unwrap_or_default();
    toml::from_str(text).unwrap_or_else(|e| panic!("embedded file {path} is malformed: {e}"))
}

fn script(root: &Root) -> &'static str {
    embedded::file(&format!("debian/{}", root.customize)).unwrap_or_default()
}

pub(super) fn key(name: &str, line: &Line, arch: &str) -> Digest {
    let root = root(name);
    let packages = root.packages.join(" ");
    let excluded = EXCLUDED.join(" ");
    let parts = [
        "debian",
        METHOD,
        arch,
        name,
        &line.debian.suite,
        &root.variant,
        &packages,
        script(&root),
        &excluded,
    ];
    recipe_key(&parts)
}

/// Makes the root as one uncompressed tar.
pub(super) fn build(
    name: &str,
    line: &Line,
    arch: &str,
    options: &BuildOptions,
    cache: &Cache,
) -> Result<Descriptor, BuildError> {
    require_free(cache.root(), NEED)?;
    let root = root(name);
    let scratch = cache.blobs().scratch()?;
    let hook = scratch.path().join("customize.sh");
    std::fs::write(&hook, script(&root))
        .and_then(|()| std::fs::set_permissions(&hook, PermissionsExt::from_mode(0o755)))
        .map_err(io_error("write", &hook))?;

    let out = scratch.path().join("root.tar");
    let suite = &line.debian.suite;
    let mut make = command::tied("unshare");
    make.args([
        "--mount",
        "--propagation=private",
        "--pid",
        "--mount-proc",
        "--kill-child",
    ])
    .args(["mmdebstrap", "--format=tar"])
    .arg(format!("--architectures={arch}"))
    .arg(format!("--variant={}", root.variant))
    .arg(format!("--include={}", root.packages.join(",")))
    .args(
        EXCLUDED
            .iter()
            .map(|path| format!("--dpkgopt=path-exclude={path}")),
    )
    .arg(format!("--customize-hook={}", hook.display()))
    .arg(suite)
    .arg(&out)
    .arg(format!("deb {}/debian {suite} main", options.mirror))
    .arg(format!(
        "deb {}/debian-security {suite}-security main",
        options.mirror
    ))
    .env("TMPDIR", scratch.path())
    .env("SOURCE_DATE_EPOCH", "0")
    .env("LC_ALL", "C.UTF-8");
    command::run(&format!("making the Debian root {name}"), make, &scratch)?;
    Ok(cache.blobs().put(|to| without_devices(File::open(&out)?, to))?)
}

/// Copies a tar, leaving out device nodes: whoever runs a root brings its own `/dev`.
fn without_devices(from: impl Read, to: &mut dyn Write) -> io::Result<()> {
    let mut archive = tar::Archive::new(BufReader::with_capacity(256 * 1024, from));
    let mut kept = tar::Builder::new(to);
    // Extended headers come before the entry they speak of and go or stay with it.
    let mut extensions: Vec<(tar::Header, Vec<u8>)> = Vec::new();
    for entry in archive.entries()?.raw(true) {
        let mut entry = entry?;
        let header = entry.header().clone();
        let kind = header.entry_type();
        if kind.is_pax_local_extensions() || kind.is_gnu_longname() || kind.is_gnu_longlink() {
            let mut data = Vec::new();
            entry.read_to_end(&mut data)?;
            extensions.push((header, data));
        } else if kind.is_character_special() || kind.is_block_special() {
            extensions.clear();
        } else {
            for (header, data) in extensions.drain(..) {
                kept.append(&header, data.as_slice())?;
            }
            kept.append(&header, &mut entry)?;
        }
    }
    kept.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn devices_are_left_out_with_their_extended_headers() {
        let mut tar = tar::Builder::new(Vec::new());
        let entry = |kind: tar::EntryType| {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(kind);
            header.set_size(0);
            header
        };
        tar.append_data(&mut entry(tar::EntryType::Regular), "etc/hosts", io::empty())
            .unwrap();
        tar.append_pax_extensions([("comment", &b"about null"[..])])
            .unwrap();
        tar.append_data(&mut entry(tar::EntryType::Char), "dev/null", io::empty())
            .unwrap();
        let long = "a/".repeat(150);
        tar.append_data(&mut entry(tar::EntryType::Directory), &long, io::empty())
            .unwrap();
        let mut out = Vec::new();
        without_devices(tar.into_inner().unwrap().as_slice(), &mut out).unwrap();

        let mut archive = tar::Archive::new(out.as_slice());
        let mut seen = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            assert!(
                entry
                    .pax_extensions()
                    .unwrap()
                    .is_none_or(|e| e.flatten().all(|e| e.key() != Ok("comment")))
            );
            seen.push(entry.path().unwrap().display().to_string());
        }
        assert_eq!(seen, ["etc/hosts", &long]);
    }

    #[test]
    fn every_root_is_described_with_its_script() {
        let line = catalogue::resolve("v1.36").unwrap();
        let mut keys = std::collections::BTreeSet::new();
        for name in ROOTS {
            let described = root(name);
            assert!(!described.packages.is_empty(), "{name}");
            assert!(script(&described).starts_with("#!/bin/sh"), "{name}");
            assert!(
                keys.insert(key(name, &line, "amd64")),
                "{name} has the key of another"
            );
        }
    }
}
