//! A whole cluster bare: control plane, one node, cluster DNS.

use std::{
    fs,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use bundle::{Bundle, Image};
use cluster::recipe::Recipe;
use e2e::{eventually, is_true, run, run_with_input};
use serde_json::{Value, json};
use types::cluster::Ranges;

use super::{bundle, keys, node::SOCKET, plane::Place, room::Room};

const ADDRESS: Ipv4Addr = Ipv4Addr::new(192, 168, 99, 2);
const LONG: Duration = Duration::from_secs(120);

pub struct BareCluster {
    // Dropped before the directory is removed.
    room: Option<Room>,
    bundle: Bundle,
    place: Place,
}

impl BareCluster {
    /// Starts it and waits until its node and all its pods are ready.
    pub fn start() -> Self {
        let bundle = bundle();
        // Not the temporary directory: the node's layers want a file system that can be below an overlay.
        let place = Place {
            dir: PathBuf::from(format!("/var/tmp/pcbare-{}", std::process::id())),
            address: ADDRESS,
            etcd_client: 2379,
            etcd_peer: 2380,
            api: 6443,
        };
        fs::create_dir_all(&place.dir).expect("a directory");
        keys::write(&place.dir, ADDRESS);
        place.kubeconfig("client");
        let room = Some(Room::open(&place.dir, &bundle.bin_dir(), ADDRESS));
        let mut cluster = Self { room, bundle, place };
        cluster.start_plane();
        cluster.start_node();
        cluster
    }

    pub fn cgroup(&self) -> &str {
        self.room().name()
    }

    fn room(&self) -> &Room {
        self.room.as_ref().expect("open until the end")
    }

    fn launch(&mut self, name: &str, words: &[String]) {
        let program = self.bundle.bin(name).expect("a component of the bundle");
        let room = self.room.as_mut().expect("open until the end");
        room.start(&program, words);
    }

    fn start_plane(&mut self) {
        self.launch("etcd", &self.place.etcd());
        self.launch("kube-apiserver", &self.place.apiserver());
        eventually("the bare API is ready", LONG, || {
            self.kubectl(&["get", "--raw", "/readyz"])
                .map_err(|seen| format!("{seen}{}", self.room().log("kube-apiserver")))
        });
        self.launch("kube-controller-manager", &self.place.controller_manager());
        self.launch("kube-scheduler", &self.place.scheduler());
    }

    fn start_node(&mut self) {
        let (pause, _) = self.image("/pause:");
        let (coredns, _) = self.image("/coredns:");
        let containerd = self.place.containerd(&self.bundle, &pause);
        self.launch("containerd", &containerd);
        for part in ["/pause:", "/coredns:"] {
            self.load(part);
        }
        self.launch("kubelet", &self.place.kubelet());
        self.launch("kube-proxy", &self.place.proxy());
        let services = cluster::services::objects(&Recipe::new(&[]), &Ranges::default(), &coredns);
        for object in services.expect("the recipe is whole") {
            let mut apply = self.kubectl_command(&["apply", "-f", "-"]);
            run_with_input(&mut apply, &object.to_string(), LONG).ok();
        }
        eventually("the bare node is ready, and its pods", LONG, || self.is_ready());
    }

    fn is_ready(&self) -> Result<(), String> {
        for (what, wanted) in [("nodes", 1), ("pods", 2)] {
            let text = self.kubectl(&["get", what, "--all-namespaces", "-o", "json"])?;
            let all: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            let items = all["items"].as_array().map(Vec::as_slice).unwrap_or_default();
            let ready = items
                .iter()
                .filter(|item| is_true(&item["status"]["conditions"], "Ready"));
            if ready.count() != wanted {
                let log = self.room().log("kubelet");
                return Err(format!("{what}: {text}\n{log}"));
            }
        }
        Ok(())
    }

    fn kubectl_command(&self, words: &[&str]) -> Command {
        let mut command = self
            .room()
            .look(&self.bundle.bin("kubectl").expect("in the bundle"));
        command
            .arg("--kubeconfig")
            .arg(self.place.file("client.conf"))
            .args(words);
        command
    }

    fn kubectl(&self, words: &[&str]) -> Result<String, String> {
        run(&mut self.kubectl_command(words), LONG).try_ok()
    }

    fn image(&self, part: &str) -> (String, Image) {
        let all = self.bundle.images().iter();
        let found = all.clone().find(|(name, _)| name.contains(part));
        let (name, image) = found.expect("an image of the bundle");
        (name.clone(), image.clone())
    }

    /// Puts an image of the bundle into the node's store.
    fn load(&self, part: &str) {
        let (name, image) = self.image(part);
        let layout = self.place.dir.join("image");
        lay_image(&self.bundle, &name, &image, &layout);
        let archive = self.place.file("image.tar");
        run(
            Command::new("tar")
                .arg("-cf")
                .arg(&archive)
                .arg("-C")
                .arg(&layout)
                .arg("."),
            LONG,
        )
        .ok();
        eventually("containerd takes an image", LONG, || {
            let mut ctr = self.room().look(&self.bundle.bin("ctr").expect("in the bundle"));
            ctr.args([
                "--address",
                SOCKET,
                "--namespace",
                "k8s.io",
                "images",
                "import",
                &archive,
            ]);
            run(&mut ctr, LONG)
                .try_ok()
                .map_err(|seen| format!("{seen}{}", self.room().log("containerd")))
        });
        let _ = fs::remove_file(&archive);
        let _ = fs::remove_dir_all(&layout);
    }
}

impl Drop for BareCluster {
    fn drop(&mut self) {
        drop(self.room.take());
        if std::thread::panicking() {
            eprintln!("what the bare cluster said is in {}", self.place.dir.display());
        } else {
            let _ = fs::remove_dir_all(&self.place.dir);
        }
    }
}

/// An OCI layout of one image.
fn lay_image(bundle: &Bundle, name: &str, image: &Image, dir: &Path) {
    let blobs = dir.join("blobs/sha256");
    fs::create_dir_all(&blobs).expect("our own directory");
    for blob in [&image.manifest, &image.config].into_iter().chain(&image.layers) {
        let from = bundle.cache().blob_path(&blob.digest);
        let to = blobs.join(from.file_name().expect("a blob has a name"));
        fs::copy(&from, &to).expect("a blob of the bundle");
    }
    let index = json!({
        "schemaVersion": 2,
        "manifests": [{
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "digest": image.manifest.digest.to_string(),
            "size": image.manifest.size,
            "annotations": {"io.containerd.image.name": name},
        }],
    });
    fs::write(dir.join("index.json"), index.to_string()).expect("our own directory");
    fs::write(dir.join("oci-layout"), r#"{"imageLayoutVersion": "1.0.0"}"#).expect("our own directory");
}
