//! Which programs go where in the three trees: the node, the hosted control plane, and all of them for the host.

use std::collections::BTreeMap;

use super::component::GO_BINARIES;
use super::{Build, BuildError, Parts};
use crate::bundle::{BIN, CONTROL_PLANE, NODE};
use crate::tree::{TreeFile, TreeSpec};

const ON_NODES: &[&str] = &[
    "containerd",
    "containerd-shim-runc-v2",
    "crictl",
    "ctr",
    "kube-proxy",
    "kubeadm",
    "kubectl",
    "kubelet",
    "runc",
];

const ON_CONTROL_PLANES: &[&str] = &[
    "etcd",
    "etcdctl",
    "etcdutl",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubectl",
];

impl Build<'_> {
    pub(super) fn trees(&self, parts: &Parts) -> Result<BTreeMap<String, TreeSpec>, BuildError> {
        let place = |dir: &str, name: &str| TreeFile {
            path: format!("{dir}/{name}"),
            blob: parts.binary(name).clone(),
        };
        let plugins = || GO_BINARIES.iter().filter(|b| b.is_cni_plugin()).map(|b| b.name);
        let programs = || GO_BINARIES.iter().filter(|b| !b.is_cni_plugin()).map(|b| b.name);

        let local = |names: &[&str]| {
            names
                .iter()
                .map(|n| place("usr/local/bin", n))
                .collect::<Vec<_>>()
        };
        let mut node = local(ON_NODES);
        node.extend(plugins().map(|n| place("opt/cni/bin", n)));
        let mut bin: Vec<_> = programs().map(|n| place("bin", n)).collect();
        bin.extend(plugins().map(|n| place("cni", n)));

        let base = self.static_base(parts)?;
        let trees = [
            (NODE, Some(parts.tar("node")), node),
            (CONTROL_PLANE, Some(base), local(ON_CONTROL_PLANES)),
            (BIN, None, bin),
        ];
        Ok(trees
            .into_iter()
            .map(|(name, base, mut files)| {
                files.sort_by(|a, b| a.path.cmp(&b.path));
                (name.to_owned(), TreeSpec { base, files })
            })
            .collect())
    }
}
