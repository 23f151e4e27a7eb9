//! A host whose disk has no room for machines: the cluster is refused, and nothing half-made stays.

use std::{fs, path::PathBuf, time::Duration};

use e2e::{Platform, run};

use super::super::{everything, refused};

/// A file system of its own for a platform's state, unmounted at the end.
struct Cramped(PathBuf);

impl Cramped {
    fn new(size: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("pcd-{:x}", std::process::id()));
        fs::create_dir(&dir).expect("writable");
        let words = ["-t", "tmpfs", "-o", &format!("size={size},mode=0700"), "tmpfs"];
        mount("mount", |command| command.args(words).arg(&dir));
        Self(dir)
    }
}

impl Drop for Cramped {
    fn drop(&mut self) {
        mount("umount", |command| command.arg(&self.0));
        fs::remove_dir(&self.0).expect("our own empty directory");
    }
}

fn mount(program: &str, words: impl FnOnce(&mut std::process::Command) -> &mut std::process::Command) {
    let mut command = std::process::Command::new(program);
    words(&mut command);
    run(&mut command, Duration::from_secs(10)).ok();
}

pub fn full() {
    let cramped = Cramped::new("96m");
    let dir = cramped.0.join("p");
    fs::create_dir(&dir).expect("writable");
    let platform = Platform::start_in(dir);
    platform
        .cloud(&["vpc", "create", "--name", "lab", "--cidr", "10.20.0.0/16"])
        .ok();
    let before = everything(&platform);
    let create = ["k8s", "create", "--name", "dev", "--vpc", "lab", "--workers", "1"];
    refused(platform.cloud(&create), 4, "host-full", &["disk"]);
    assert_eq!(everything(&platform), before);
    platform.finish();
}
