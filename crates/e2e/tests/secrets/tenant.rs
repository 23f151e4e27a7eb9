//! A tenant's own secret: where it can be read, and everywhere it must not be.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use e2e::{Platform, Process, run_with_input};

const NAME: &str = "database-password";
const CALL: Duration = Duration::from_secs(60);
/// Nothing else on a host has these bytes.
pub const OLD: &str = "planted-8c1f0d52-the-first-value";
pub const NEW: &str = "planted-8c1f0d52-the-second-value";

fn given(platform: &Platform, words: &[&str], value: &str) {
    run_with_input(&mut platform.cloud_command(words), value, CALL).ok();
}

pub fn kept(platform: &Platform) {
    given(platform, &["secret", "create", NAME, "--from-file", "-"], OLD);
    given(platform, &["secret", "update", NAME, "--from-file", "-"], NEW);
    opens(platform);
    let list = platform.cloud(&["secret", "list"]).ok();
    assert!(list.contains(NAME) && !list.contains("planted"), "{list}");
    let audit = platform
        .cloud(&["audit", "list", "--since", "1h", "-o", "json"])
        .ok();
    assert!(audit.contains("revealSecret") && audit.contains(NAME), "{audit}");
    let passphrase = platform.dir().join("passphrase");
    fs::write(&passphrase, "correct horse battery staple\n").expect("writable");
    let backup = platform.dir().join("backup");
    let words = [
        "admin",
        "backup",
        "--out",
        backup.to_str().expect("plain"),
        "--passphrase-file",
    ];
    platform
        .cloud(&[&words[..], &[passphrase.to_str().expect("plain")]].concat())
        .ok();
    nowhere_in_clear(platform.dir());
    for process in Process::all() {
        let words = process.words().join(" ");
        assert!(!words.contains("planted-8c1f0d52"), "{words}");
    }
}

/// As it is after whatever was done to the platform.
pub fn opens(platform: &Platform) {
    assert_eq!(platform.cloud(&["secret", "get", NAME]).ok(), NEW);
    assert_eq!(
        platform.cloud(&["secret", "get", NAME, "--version", "1"]).ok(),
        OLD
    );
}

pub fn gone(platform: &Platform) {
    opens(platform);
    assert_eq!(platform.cloud(&["secret", "delete", NAME]).code, Some(4));
    platform.cloud(&["secret", "delete", NAME, "--yes"]).ok();
    assert_eq!(platform.cloud(&["secret", "get", NAME]).code, Some(3));
}

fn nowhere_in_clear(dir: &Path) {
    let needles: Vec<Vec<u8>> = [OLD, NEW]
        .iter()
        // Cut, because what stands around it decides how base 64 ends.
        .flat_map(|value| {
            [
                value.as_bytes().to_vec(),
                STANDARD.encode(value).into_bytes()[..32].to_vec(),
            ]
        })
        .collect();
    let mut looked = 0;
    let mut open: Vec<PathBuf> = vec![dir.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(kind) = fs::symlink_metadata(&path).map(|found| found.file_type()) else {
            continue;
        };
        if kind.is_dir() {
            open.extend(
                fs::read_dir(&path)
                    .expect("readable")
                    .filter_map(|entry| Some(entry.ok()?.path())),
            );
        } else if kind.is_file() {
            let bytes = fs::read(&path).unwrap_or_default();
            for needle in &needles {
                let found = bytes.windows(needle.len()).any(|window| window == needle);
                assert!(
                    !found,
                    "{} is in {}",
                    String::from_utf8_lossy(needle),
                    path.display()
                );
            }
            looked += 1;
        }
    }
    // The database, its log, the backup, the logs of the programs.
    assert!(looked > 5, "only {looked} files were looked at");
}
