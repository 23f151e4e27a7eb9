//! The images of Kubernetes itself: what the line's `kubeadm config images list` prints.

use super::{GROUPS, Images, K8S, NET_BIND_SERVICE, USERS};
use crate::build::{Build, BuildError, Parts};
use crate::oci::{ImageSpec, Layer};

impl Build<'_> {
    pub(super) fn kubernetes_images(&self, parts: &Parts, images: &mut Images) -> Result<(), BuildError> {
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
}
