//! The images of a bundle, under the names and tags that the line's kubeadm and end-to-end tests ask for.
//! Entry points, users and paths are those of upstream's images, because manifests in the world rely on them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::parts::TEST_FILES;
use super::{Build, BuildError, Parts, command, debian, recipe_key};
use crate::cache::{Descriptor, io_error};
use crate::embedded;
use crate::manifest::Image;
use crate::oci::{ImageSpec, Layer};

const K8S: &str = "registry.k8s.io";
const E2E: &str = "registry.k8s.io/e2e-test-images";
const HUB: &str = "docker.io/library";

/// `cap_net_bind_service=+ep` as the kernel stores it (revision 2).
const NET_BIND_SERVICE: &[u8] = &[1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

const USERS: &str = "root:x:0:0:root:/root:/sbin/nologin\n\
     nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n\
     nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n";
const GROUPS: &str = "root:x:0:\nnogroup:x:65534:\nnonroot:x:65532:\n";
const SHELL_USERS: &str = "root:x:0:0:root:/root:/bin/sh\n\
     daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n\
     www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin\n\
     nginx:x:101:101:nginx:/nonexistent:/bin/false\n\
     user-defined-in-image:x:1000:1000::/home/user-defined-in-image:/bin/sh\n\
     nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n";
const SHELL_GROUPS: &str = "root:x:0:\ndaemon:x:1:\nadm:x:4:\ntty:x:5:\nwww-data:x:33:\nnginx:x:101:\n\
     user-defined-in-image:x:1000:\ngroup-defined-in-image:x:50000:user-defined-in-image\nnogroup:x:65534:\n";
const NSSWITCH: &str = "passwd: files\ngroup: files\nhosts: files dns\n";
const CERTIFICATES: &str = "etc/ssl/certs/ca-certificates.crt";

/// Images by full name.
type Images = BTreeMap<String, Image>;

impl Build<'_> {
    /// The layer under images of static programs, also the base of the control-plane tree.
    pub(super) fn static_base(&self, parts: &Parts) -> Result<Descriptor, BuildError> {
        let certificates = self.read_part(parts, "node", CERTIFICATES)?;
        let mut base = Layer::new();
        base.file("etc/passwd", 0o644, USERS)
            .file("etc/group", 0o644, GROUPS)
            .file("etc/nsswitch.conf", 0o644, NSSWITCH)
            .file(CERTIFICATES, 0o644, certificates)
            .dir("root", 0o700)
            .dir("home/nonroot", 0o700)
            .owned("home/nonroot", 65532)
            .dir("tmp", 0o1777)
            .dir("var/tmp", 0o1777);
        for dir in ["dev", "proc", "run", "sys", "usr/local/bin", "var/lib", "var/log"] {
            base.dir(dir, 0o755);
        }
        self.layer("static base", &base)
    }

    pub(super) fn images(&self, parts: &Parts) -> Result<Images, BuildError> {
        let mut images = Images::new();
        self.kubernetes_images(parts, &mut images)?;
        self.test_images(parts, &mut images)?;
        Ok(images)
    }

    /// What `kubeadm config images list` prints.
    fn kubernetes_images(&self, parts: &Parts, images: &mut Images) -> Result<(), BuildError> {
        let base = self.static_base(parts)?;
        let tags = &self.line.images;
        let patch = &self.line.patch;

        for name in ["kube-apiserver", "kube-controller-manager", "kube-scheduler"] {
            let path = format!("usr/local/bin/{name}");
            let mut layer = Layer::new();
            layer.binary(&path, self.blob(parts, name));
            let layers = vec![base.clone(), self.layer(name, &layer)?];
            let spec = ImageSpec {
                entrypoint: vec![format!("/{path}")],
                layers,
                ..ImageSpec::default()
            };
            self.store(images, [format!("{K8S}/{name}:{patch}")], &spec)?;
        }

        let mut layer = self.root_overlay("proxy", USERS, GROUPS);
        layer.binary("usr/local/bin/kube-proxy", self.blob(parts, "kube-proxy"));
        let layers = vec![parts.tar("proxy"), self.layer("kube-proxy", &layer)?];
        let spec = ImageSpec {
            entrypoint: vec!["/usr/local/bin/kube-proxy".into()],
            layers,
            ..ImageSpec::default()
        };
        self.store(images, [format!("{K8S}/kube-proxy:{patch}")], &spec)?;

        let mut layer = Layer::new();
        for name in ["etcd", "etcdctl", "etcdutl"] {
            layer.binary(&format!("usr/local/bin/{name}"), self.blob(parts, name));
        }
        let layers = vec![base.clone(), self.layer("etcd", &layer)?];
        let ports = ["2379/tcp", "2380/tcp"].map(str::to_owned).to_vec();
        let spec = ImageSpec {
            cmd: vec!["etcd".into()],
            ports,
            layers,
            ..ImageSpec::default()
        };
        self.store(images, [format!("{K8S}/etcd:{}", tags.etcd)], &spec)?;

        let mut layer = Layer::new();
        layer.binary_with_capability("coredns", self.blob(parts, "coredns"), NET_BIND_SERVICE);
        let spec = ImageSpec {
            entrypoint: vec!["/coredns".into()],
            user: "nonroot:nonroot".into(),
            workdir: "/".into(),
            ports: vec!["53/tcp".into(), "53/udp".into()],
            layers: vec![base, self.layer("coredns", &layer)?],
            ..ImageSpec::default()
        };
        self.store(images, [format!("{K8S}/coredns/coredns:{}", tags.coredns)], &spec)?;

        let mut layer = Layer::new();
        layer.binary("pause", self.blob(parts, "pause"));
        let spec = ImageSpec {
            entrypoint: vec!["/pause".into()],
            user: "65535:65535".into(),
            layers: vec![self.layer("pause", &layer)?],
            ..ImageSpec::default()
        };
        self.store(images, [format!("{K8S}/pause:{}", tags.pause)], &spec)
    }

    /// Images for workloads and for upstream's end-to-end tests.
    fn test_images(&self, parts: &Parts, images: &mut Images) -> Result<(), BuildError> {
        let tags = &self.line.images;

        let mut tools = self.root_overlay("tools", SHELL_USERS, SHELL_GROUPS);
        tools.file(CERTIFICATES, 0o644, self.read_part(parts, "node", CERTIFICATES)?);
        let tools = vec![parts.tar("tools"), self.layer("tools", &tools)?];

        let mut layer = Layer::new();
        layer
            .binary("agnhost", self.blob(parts, "agnhost"))
            .symlink("agnhost-2", "agnhost")
            .binary("coredns", self.blob(parts, "coredns"))
            .file(
                "localhost.crt",
                0o644,
                self.read_part(parts, TEST_FILES, "agnhost/porter/localhost.crt")?,
            )
            .file(
                "localhost.key",
                0o644,
                self.read_part(parts, TEST_FILES, "agnhost/porter/localhost.key")?,
            )
            .dir("uploads", 0o755)
            .symlink("usr/local/bin/iperf", "/usr/bin/iperf");
        let mut layers = tools.clone();
        layers.push(self.layer("agnhost", &layer)?);
        let agnhost = ImageSpec {
            entrypoint: vec!["/agnhost".into()],
            cmd: vec!["pause".into()],
            ports: ["80", "8080", "8081", "9376", "5000"]
                .map(|p| format!("{p}/tcp"))
                .to_vec(),
            layers,
            ..ImageSpec::default()
        };
        self.store(
            images,
            tags.agnhost.iter().map(|tag| format!("{E2E}/agnhost:{tag}")),
            &agnhost,
        )?;
        self.update_demo_images(parts, &agnhost, images)?;

        let mut layer = Layer::new();
        layer.binary("coredns", self.blob(parts, "coredns"));
        let mut layers = tools;
        layers.push(self.layer("dns testing", &layer)?);
        let spec = ImageSpec {
            cmd: vec!["bash".into()],
            layers,
            ..ImageSpec::default()
        };
        self.store(images, [format!("{E2E}/{}", tags.dns_testing)], &spec)?;

        let mut spec = ImageSpec {
            cmd: vec!["sh".into()],
            layers: vec![self.layer("busybox", &self.busybox(parts)?)?],
            ..ImageSpec::default()
        };
        self.store(
            images,
            [
                format!("{HUB}/busybox:latest"),
                format!("{E2E}/busybox:{}", tags.busybox),
            ],
            &spec,
        )?;
        spec.user = "1234".into();
        self.store(images, [format!("{E2E}/nonroot:{}", tags.nonroot)], &spec)?;

        let mut layer = Layer::new();
        layer.binary("sample-apiserver", self.blob(parts, "sample-apiserver"));
        let spec = ImageSpec {
            entrypoint: vec!["/sample-apiserver".into()],
            layers: vec![self.static_base(parts)?, self.layer("sample-apiserver", &layer)?],
            ..ImageSpec::default()
        };
        self.store(
            images,
            [format!("{E2E}/sample-apiserver:{}", tags.sample_apiserver)],
            &spec,
        )?;

        let spec = ImageSpec {
            cmd: ["nginx", "-g", "daemon off;"].map(str::to_owned).to_vec(),
            ports: vec!["80/tcp".into()],
            stop_signal: "SIGQUIT".into(),
            layers: vec![parts.tar("nginx"), self.layer("nginx", &self.nginx())?],
            ..ImageSpec::default()
        };
        let e2e = tags.nginx.iter().map(|tag| format!("{E2E}/nginx:{tag}"));
        self.store(images, e2e.chain([format!("{HUB}/nginx:latest")]), &spec)
    }

    /// The two versions of one application that upstream rolls between.
    fn update_demo_images(
        &self,
        parts: &Parts,
        agnhost: &ImageSpec,
        images: &mut Images,
    ) -> Result<(), BuildError> {
        let tags = &self.line.images;
        for (name, tag) in [("kitten", &tags.kitten), ("nautilus", &tags.nautilus)] {
            let mut layer = Layer::new();
            for file in [format!("{name}.jpg"), "data.json".into()] {
                layer.file(
                    &file,
                    0o644,
                    self.read_part(parts, TEST_FILES, &format!("{name}/html/{file}"))?,
                );
            }
            let mut spec = ImageSpec {
                cmd: vec!["test-webserver".into()],
                ..agnhost.clone()
            };
            spec.layers.push(self.layer(name, &layer)?);
            self.store(images, [format!("{E2E}/{name}:{tag}")], &spec)?;
        }
        Ok(())
    }

    /// What makes Debian's nginx behave as the official image: port 80, `/usr/share/nginx/html`, logs on the console.
    fn nginx(&self) -> Layer {
        let text = |name: &str| embedded::file(&format!("nginx/{name}")).unwrap_or_default();
        let mut layer = self.root_overlay("nginx", SHELL_USERS, SHELL_GROUPS);
        layer
            .file("etc/nginx/nginx.conf", 0o644, text("nginx.conf"))
            .file("etc/nginx/conf.d/default.conf", 0o644, text("default.conf"))
            .symlink("var/log/nginx/access.log", "/dev/stdout")
            .symlink("var/log/nginx/error.log", "/dev/stderr")
            .dir("var/cache/nginx", 0o755);
        layer
    }

    /// Debian's static busybox with a link for each of its applets.
    fn busybox(&self, parts: &Parts) -> Result<Layer, BuildError> {
        let program = self.read_part(parts, "busybox", "usr/bin/busybox")?;
        let scratch = self.cache.blobs().scratch()?;
        let path = scratch.path().join("busybox");
        std::fs::write(&path, &program)
            .and_then(|()| std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)))
            .map_err(io_error("write", &path))?;
        let mut list = Command::new(&path);
        list.arg("--list");
        let mut layer = Layer::new();
        for applet in command::output("listing the applets of busybox", list)?
            .lines()
            .filter(|a| *a != "busybox")
        {
            layer.symlink(&format!("bin/{applet}"), "busybox");
        }
        layer
            .file("bin/busybox", 0o755, program)
            .symlink("usr/bin/env", "/bin/env")
            .file("etc/passwd", 0o644, SHELL_USERS)
            .file("etc/group", 0o644, SHELL_GROUPS)
            .file("etc/nsswitch.conf", 0o644, NSSWITCH)
            .dir("home", 0o755)
            .dir("root", 0o700)
            .dir("tmp", 0o1777)
            .dir("usr/sbin", 0o755)
            .dir("var/spool/mail", 0o755)
            .dir("var/www", 0o755);
        Ok(layer)
    }

    /// Users and the links that installation scripts would have made in an extracted root.
    fn root_overlay(&self, root: &str, users: &str, groups: &str) -> Layer {
        let mut layer = Layer::new();
        layer
            .file("etc/passwd", 0o644, users)
            .file("etc/group", 0o644, groups)
            .file("etc/nsswitch.conf", 0o644, NSSWITCH);
        for (path, target) in &debian::root(root).links {
            layer.symlink(path, target);
        }
        layer
    }

    fn blob(&self, parts: &Parts, name: &str) -> std::path::PathBuf {
        self.cache.blob_path(&parts.binary(name).digest)
    }

    /// Writes a layer, unless the same one was written before.
    fn layer(&self, name: &str, layer: &Layer) -> Result<Descriptor, BuildError> {
        let key = recipe_key(&["layer", &layer.fingerprint()]);
        if let Some(blob) = self.cache.recall(&key) {
            return Ok(blob);
        }
        let blob = self.cache.blobs().put(|out| layer.write(out))?;
        self.cache.record(&key, &format!("layer of {name}"), &blob)?;
        Ok(blob)
    }

    fn store(
        &self,
        images: &mut Images,
        names: impl IntoIterator<Item = String>,
        spec: &ImageSpec,
    ) -> Result<(), BuildError> {
        let image = spec.store(self.cache.blobs(), self.arch)?;
        images.extend(names.into_iter().map(|name| (name, image.clone())));
        Ok(())
    }

    fn read_part(&self, parts: &Parts, tar: &str, wanted: &str) -> Result<Vec<u8>, BuildError> {
        let path = self.cache.blob_path(&parts.tar(tar).digest);
        let read = || -> std::io::Result<Option<Vec<u8>>> {
            let mut archive = tar::Archive::new(File::open(&path)?);
            for entry in archive.entries()? {
                let mut entry = entry?;
                let name = entry.path()?.into_owned();
                if name.strip_prefix("./").unwrap_or(&name).as_os_str() == wanted {
                    let mut bytes = Vec::new();
                    entry.read_to_end(&mut bytes)?;
                    return Ok(Some(bytes));
                }
            }
            Ok(None)
        };
        read()
            .map_err(io_error("read", &path))?
            .ok_or_else(|| BuildError::PartMissing {
                step: "assembling images".into(),
                archive: path.clone(),
                path: wanted.to_owned(),
            })
    }
}
