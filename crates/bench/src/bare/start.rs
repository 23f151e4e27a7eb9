//! How long etcd and apiserver take bare, from their start to a ready API, with certificates as ours have, on a plain
//! directory. What they need is made before the clock starts.

use std::{
    fs,
    net::{Ipv4Addr, TcpListener},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use bundle::Bundle;

use super::{bundle, keys, pause, plane::Place};
use crate::figures::median;

/// Median time from start to a ready API.
pub fn starts(rounds: usize) -> Duration {
    let bundle = bundle();
    median((0..rounds).map(|_| start(&bundle)).collect())
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .and_then(|l| l.local_addr())
        .expect("a free port")
        .port()
}

struct Plane {
    children: Vec<Child>,
    dir: PathBuf,
}

impl Drop for Plane {
    fn drop(&mut self) {
        for child in self.children.iter_mut().rev() {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = fs::remove_dir_all(&self.dir);
    }
}

fn start(bundle: &Bundle) -> Duration {
    let place = Place {
        dir: std::env::temp_dir().join(format!("plasmacloud-bench-{}", std::process::id())),
        address: Ipv4Addr::LOCALHOST,
        etcd_client: free_port(),
        etcd_peer: free_port(),
        api: free_port(),
    };
    fs::create_dir_all(&place.dir).expect("a directory");
    let mut plane = Plane {
        children: Vec::new(),
        dir: place.dir.clone(),
    };
    keys::write(&place.dir, place.address);
    let kubeconfig = place.kubeconfig("client");
    let began = Instant::now();
    plane.children.push(spawn(bundle, "etcd", &place.etcd()));
    plane
        .children
        .push(spawn(bundle, "kube-apiserver", &place.apiserver()));
    let kubectl = bundle.bin("kubectl").expect("kubectl is in the bundle");
    loop {
        let ready = Command::new(&kubectl)
            .args(["get", "--raw", "/readyz", "--kubeconfig"])
            .arg(&kubeconfig)
            .output();
        if ready.is_ok_and(|answer| answer.status.success() && answer.stdout == b"ok") {
            return began.elapsed();
        }
        assert!(
            began.elapsed() < Duration::from_secs(120),
            "the bare plane did not become ready"
        );
        pause();
    }
}

fn spawn(bundle: &Bundle, name: &str, arguments: &[String]) -> Child {
    Command::new(bundle.bin(name).expect("a component of the bundle"))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a component starts")
}
