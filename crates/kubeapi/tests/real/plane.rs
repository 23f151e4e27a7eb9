//! A real etcd and kube-apiserver on loopback for one test, with an authority made for it. Both die with the value.

use std::{
    env, fs,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{SystemTime, UNIX_EPOCH},
};

use cluster::pki::{Authority, Leaf, LeafRequest, Names};
use ports::cluster_api::ApiTarget;
use serde_json::Value;
use tempfile::TempDir;
use types::{Secret, Timestamp};

/// The server's certificate has this name and no address: only who asks for the name is satisfied.
pub const SERVER_NAME: &str = "api.kubeapi.test";

pub struct Plane {
    bin: PathBuf,
    dir: TempDir,
    ca: Authority,
    admin: Leaf,
    endpoint: SocketAddr,
    apiserver: Process,
    _etcd: Process,
}

/// Killed by its own handle, whatever way the test ends.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Plane {
    pub fn start() -> Self {
        let bin = binaries();
        let dir = tempfile::tempdir().unwrap();
        let ca = authority();
        let admin = issue(&ca, &LeafRequest::client("test", &["system:masters"]));
        let names = Names {
            dns: vec![SERVER_NAME.to_owned()],
            addresses: Vec::new(),
        };
        let server = issue(&ca, &LeafRequest::server(SERVER_NAME, names));
        let file = |name: &str, text: &str| {
            let path = dir.path().join(name);
            fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let ca_crt = file("ca.crt", &ca.cert_pem);
        let (crt, key) = (
            file("server.crt", &server.cert_pem),
            file("server.key", &server.key_pem),
        );
        file("admin.crt", &admin.cert_pem);
        file("admin.key", &admin.key_pem);

        let [etcd_port, peer_port, api_port] = free_ports();
        let etcd_url = format!("http://127.0.0.1:{etcd_port}");
        let peer_url = format!("http://127.0.0.1:{peer_port}");
        let etcd = run(
            &bin,
            dir.path(),
            "etcd",
            &[
                format!("--data-dir={}", dir.path().join("etcd").display()),
                format!("--listen-client-urls={etcd_url}"),
                format!("--advertise-client-urls={etcd_url}"),
                format!("--listen-peer-urls={peer_url}"),
                format!("--initial-advertise-peer-urls={peer_url}"),
                format!("--initial-cluster=default={peer_url}"),
                "--unsafe-no-fsync".to_owned(),
            ],
        );
        let apiserver = run(
            &bin,
            dir.path(),
            "kube-apiserver",
            &[
                format!("--etcd-servers={etcd_url}"),
                "--bind-address=127.0.0.1".to_owned(),
                "--advertise-address=127.0.0.1".to_owned(),
                "--endpoint-reconciler-type=none".to_owned(),
                format!("--secure-port={api_port}"),
                format!("--tls-cert-file={crt}"),
                format!("--tls-private-key-file={key}"),
                format!("--client-ca-file={ca_crt}"),
                "--authorization-mode=RBAC".to_owned(),
                "--service-cluster-ip-range=10.96.0.0/24".to_owned(),
                "--service-account-issuer=https://kubeapi.test".to_owned(),
                format!("--service-account-key-file={crt}"),
                format!("--service-account-signing-key-file={key}"),
            ],
        );
        let endpoint = SocketAddr::from(([127, 0, 0, 1], api_port));
        Self {
            bin,
            dir,
            ca,
            admin,
            endpoint,
            apiserver,
            _etcd: etcd,
        }
    }

    pub fn target(&self) -> ApiTarget {
        self.target_as(&self.admin)
    }

    /// As somebody whom the cluster's authority vouches for.
    pub fn target_for(&self, user: &str) -> ApiTarget {
        self.target_as(&issue(&self.ca, &LeafRequest::client(user, &[])))
    }

    pub fn target_as(&self, who: &Leaf) -> ApiTarget {
        ApiTarget {
            endpoint: self.endpoint,
            server_name: SERVER_NAME.to_owned(),
            ca_pem: self.ca.cert_pem.clone(),
            client_cert_pem: who.cert_pem.clone(),
            client_key_pem: Secret::new(who.key_pem.clone()),
        }
    }

    pub fn kill_apiserver(&mut self) {
        self.apiserver.0.kill().unwrap();
        self.apiserver.0.wait().unwrap();
    }

    /// An independent witness. Panics if kubectl fails.
    pub fn kubectl(&self, args: &[&str]) -> String {
        let file = |name: &str| self.dir.path().join(name);
        let output = Command::new(self.bin.join("kubectl"))
            .arg(format!("--server=https://{}", self.endpoint))
            .arg(format!("--tls-server-name={SERVER_NAME}"))
            .arg(format!("--certificate-authority={}", file("ca.crt").display()))
            .arg(format!("--client-certificate={}", file("admin.crt").display()))
            .arg(format!("--client-key={}", file("admin.key").display()))
            .arg(format!("--cache-dir={}", file("kubectl-cache").display()))
            .arg("--kubeconfig=/dev/null")
            .arg("--request-timeout=10s")
            .args(args)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "kubectl {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn create(&self, object: &Value) {
        let file = self.dir.path().join("object.json");
        fs::write(&file, object.to_string()).unwrap();
        self.kubectl(&["create", "-f", file.to_str().unwrap()]);
    }

    pub fn get(&self, what: &[&str]) -> Value {
        let args = [&["get", "-o", "json", "--show-managed-fields"], what].concat();
        serde_json::from_str(&self.kubectl(&args)).unwrap()
    }

    /// What the server had to say, for the message of a failing test.
    pub fn log(&self) -> String {
        let log = fs::read_to_string(self.dir.path().join("kube-apiserver.log")).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }
}

pub fn authority() -> Authority {
    Authority::generate("kubeapi test", now()).unwrap()
}

pub fn issue(ca: &Authority, request: &LeafRequest) -> Leaf {
    ca.issue(request, now()).unwrap()
}

fn now() -> Timestamp {
    Timestamp(
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs()
            .try_into()
            .unwrap(),
    )
}

fn run(bin: &Path, dir: &Path, program: &str, args: &[String]) -> Process {
    let log = fs::File::create(dir.join(format!("{program}.log"))).unwrap();
    let child = Command::new(bin.join(program))
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap_or_else(|e| panic!("{program} in {} does not start: {e}", bin.display()));
    Process(child)
}

/// Held together until all are known, so that they differ.
pub fn free_ports<const N: usize>() -> [u16; N] {
    let held: [_; N] = std::array::from_fn(|_| TcpListener::bind("127.0.0.1:0").unwrap());
    held.map(|listener| listener.local_addr().unwrap().port())
}

/// From `PLASMACLOUD_TEST_BIN`, else from the current v1.36 bundle.
fn binaries() -> PathBuf {
    let dir = match env::var_os("PLASMACLOUD_TEST_BIN") {
        Some(dir) => PathBuf::from(dir),
        None => bundled(),
    };
    for program in ["etcd", "kube-apiserver", "kubectl"] {
        let path = dir.join(program);
        assert!(
            path.is_file(),
            "this test needs {}; set PLASMACLOUD_TEST_BIN to a directory that has it",
            path.display()
        );
    }
    dir
}

fn bundled() -> PathBuf {
    let cache = env::var_os("PLASMACLOUD_CACHE_DIR").unwrap_or_else(|| "/var/cache/plasmacloud".into());
    let cache = Path::new(&cache);
    let hint = "this test needs etcd, kube-apiserver and kubectl: set PLASMACLOUD_TEST_BIN to a directory that has them, \
                or PLASMACLOUD_CACHE_DIR to a cache with a v1.36 bundle";
    assert!(cache.is_dir(), "{hint}; there is no {}", cache.display());
    let found = bundle::Cache::open(cache).and_then(|cache| cache.resolve("v1.36"));
    match found {
        Ok(Some(bundle)) => bundle.bin_dir(),
        Ok(None) => panic!("{hint}; there is no such bundle in {}", cache.display()),
        Err(error) => panic!("{hint}; {}: {error}", cache.display()),
    }
}
