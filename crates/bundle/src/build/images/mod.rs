//! The images of a bundle, under the names and tags that the line's kubeadm and end-to-end tests ask for.
//! Entry points, users and paths are those of upstream's images, because manifests in the world rely on them.

mod kubernetes;
mod workload;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;

use super::{Build, BuildError, Parts, debian, recipe_key};
use crate::cache::{Descriptor, io_error};
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
        self.workload_images(parts, &mut images)?;
        Ok(images)
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
