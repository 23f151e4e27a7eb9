//! The peer: the same etcd and apiserver started bare on the host, with certificates and encryption as ours have, on a
//! plain directory. What they need is made before the clock starts.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use bundle::{Bundle, Cache};
use cluster::pki::{Authority, LeafRequest, Names, Usage};
use types::Timestamp;

use crate::figures::median;

pub fn bundle() -> Bundle {
    let cache =
        std::env::var("PLASMACLOUD_CACHE_DIR").unwrap_or_else(|_| "/var/cache/plasmacloud".to_owned());
    let found = Cache::open(cache).and_then(|cache| cache.resolve("v1.36"));
    found
        .expect("the cache opens")
        .expect("the default bundle is there")
}

/// Median time from start to a ready API.
pub fn starts(rounds: usize) -> Duration {
    let bundle = bundle();
    let times = (0..rounds).map(|_| start(&bundle)).collect();
    median(times)
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
    let dir = std::env::temp_dir().join(format!("plasmacloud-bench-{}", std::process::id()));
    fs::create_dir_all(&dir).expect("a directory");
    let mut plane = Plane {
        children: Vec::new(),
        dir: dir.clone(),
    };
    write_keys(&dir);
    let (client, peer, api) = (free_port(), free_port(), free_port());
    let file = |name: &str| dir.join(name).display().to_string();
    let began = Instant::now();
    let etcd = [
        format!("--data-dir={}", file("etcd")),
        format!("--listen-client-urls=https://127.0.0.1:{client}"),
        format!("--advertise-client-urls=https://127.0.0.1:{client}"),
        format!("--listen-peer-urls=http://127.0.0.1:{peer}"),
        format!("--initial-advertise-peer-urls=http://127.0.0.1:{peer}"),
        format!("--initial-cluster=default=http://127.0.0.1:{peer}"),
        format!("--cert-file={}", file("server.crt")),
        format!("--key-file={}", file("server.key")),
        format!("--trusted-ca-file={}", file("ca.crt")),
        "--client-cert-auth=true".to_owned(),
        "--log-level=warn".to_owned(),
    ];
    plane.children.push(spawn(bundle, "etcd", &etcd));
    let apiserver = [
        format!("--etcd-servers=https://127.0.0.1:{client}"),
        format!("--etcd-cafile={}", file("ca.crt")),
        format!("--etcd-certfile={}", file("client.crt")),
        format!("--etcd-keyfile={}", file("client.key")),
        format!("--secure-port={api}"),
        "--bind-address=127.0.0.1".to_owned(),
        format!("--tls-cert-file={}", file("server.crt")),
        format!("--tls-private-key-file={}", file("server.key")),
        format!("--client-ca-file={}", file("ca.crt")),
        "--service-cluster-ip-range=10.96.0.0/12".to_owned(),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        format!("--service-account-signing-key-file={}", file("server.key")),
        format!("--service-account-key-file={}", file("server.crt")),
        "--authorization-mode=Node,RBAC".to_owned(),
    ];
    plane.children.push(spawn(bundle, "kube-apiserver", &apiserver));
    let kubectl = bundle.bin("kubectl").expect("kubectl is in the bundle");
    loop {
        let ready = Command::new(&kubectl)
            .args(["get", "--raw", "/readyz"])
            .arg(format!("--server=https://127.0.0.1:{api}"))
            .arg(format!("--certificate-authority={}", file("ca.crt")))
            .arg(format!("--client-certificate={}", file("client.crt")))
            .arg(format!("--client-key={}", file("client.key")))
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

#[expect(
    clippy::disallowed_methods,
    reason = "asking a process that is starting; there is nothing to wait on"
)]
pub fn pause() {
    std::thread::sleep(Duration::from_millis(50));
}

fn spawn(bundle: &Bundle, name: &str, arguments: &[String]) -> Child {
    Command::new(bundle.bin(name).expect("a component of the bundle"))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a component starts")
}

fn write_keys(dir: &Path) {
    let now = Timestamp(
        std::time::UNIX_EPOCH
            .elapsed()
            .map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(0)),
    );
    let ca = Authority::generate("bench", now).expect("an authority");
    let local = Names {
        dns: vec!["localhost".to_owned()],
        addresses: vec!["127.0.0.1".parse().expect("an address")],
    };
    let server = ca
        .issue(&LeafRequest::server("server", local).usage(Usage::Peer), now)
        .expect("a certificate");
    let client = ca
        .issue(&LeafRequest::client("bench", &["system:masters"]), now)
        .expect("a certificate");
    for (name, content) in [
        ("ca.crt", &ca.cert_pem),
        ("server.crt", &server.cert_pem),
        ("server.key", &server.key_pem),
        ("client.crt", &client.cert_pem),
        ("client.key", &client.key_pem),
    ] {
        fs::write(dir.join(name), content).expect("a file");
    }
}
