//! A host that lacks something: room on its disk, or the port that clusters are to be reached at. What cannot be is
//! refused, and nothing half-made stays.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::PathBuf,
    time::Duration,
};

use e2e::{Platform, eventually, run};

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

/// The first thing that is published fails with the reason, and is mended by itself when the port is free.
fn endpoint_in_use(platform: &mut Platform) {
    let create = ["vpc", "create", "--name", "lab", "--cidr", "10.20.0.0/16"];
    let held = TcpListener::bind(platform.endpoint()).expect("nobody was there first");
    platform.boot();
    let port = platform.endpoint().port().to_string();
    refused(platform.cloud(&create), 1, "edge-port-in-use", &[&port]);
    drop(held);
    eventually(
        "the endpoint is served after all",
        Duration::from_secs(60),
        || {
            TcpStream::connect(platform.endpoint())
                .map(|_| ())
                .map_err(|error| error.to_string())
        },
    );
}

pub fn full() {
    let cramped = Cramped::new("96m");
    let dir = cramped.0.join("p");
    fs::create_dir(&dir).expect("writable");
    let mut platform = Platform::laid_out(dir);
    endpoint_in_use(&mut platform);
    let before = everything(&platform);
    let create = ["k8s", "create", "--name", "dev", "--vpc", "lab", "--workers", "1"];
    refused(platform.cloud(&create), 4, "host-full", &["disk"]);
    assert_eq!(everything(&platform), before);
    platform.finish();
}
