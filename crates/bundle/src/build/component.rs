//! The binaries of a bundle and how each is compiled. Versions and compilers come from the line; this is what does not change
//! from line to line.

use crate::catalogue::Line;

/// A program that is built from a Go module.
#[derive(Clone, Copy, Debug)]
pub(super) struct GoBinary {
    pub name: &'static str,
    /// Family whose version it carries: a key of `[versions]` in the line's file, or `kubernetes`. Also the directory of its
    /// pins below `bundles/go/`.
    pub family: &'static str,
    pub package: &'static str,
    pub tags: &'static str,
    /// Needs a C compiler; linked statically all the same.
    pub cgo: bool,
}

const fn go(family: &'static str, name: &'static str, package: &'static str) -> GoBinary {
    GoBinary {
        name,
        family,
        package,
        tags: "",
        cgo: false,
    }
}

const fn kubernetes(name: &'static str, package: &'static str) -> GoBinary {
    go("kubernetes", name, package)
}

const fn containerd(name: &'static str, package: &'static str) -> GoBinary {
    GoBinary {
        tags: "no_btrfs no_devmapper no_zfs",
        ..go("containerd", name, package)
    }
}

const fn plugin(name: &'static str, package: &'static str) -> GoBinary {
    go("cni-plugins", name, package)
}

/// Slow ones first: what they compile serves those that follow.
pub(super) const GO_BINARIES: &[GoBinary] = &[
    kubernetes("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"),
    kubernetes(
        "kube-controller-manager",
        "k8s.io/kubernetes/cmd/kube-controller-manager",
    ),
    go("coredns", "coredns", "github.com/coredns/coredns"),
    containerd("containerd", "github.com/containerd/containerd/v2/cmd/containerd"),
    go("helm", "helm", "helm.sh/helm/v4/cmd/helm"),
    go("etcd", "etcd", "go.etcd.io/etcd/server/v3"),
    go("crictl", "crictl", "sigs.k8s.io/cri-tools/cmd/crictl"),
    kubernetes("kubelet", "k8s.io/kubernetes/cmd/kubelet"),
    kubernetes("kubectl", "k8s.io/kubernetes/cmd/kubectl"),
    kubernetes("kubeadm", "k8s.io/kubernetes/cmd/kubeadm"),
    kubernetes("kube-proxy", "k8s.io/kubernetes/cmd/kube-proxy"),
    kubernetes("kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler"),
    kubernetes("agnhost", "k8s.io/kubernetes/test/images/agnhost"),
    kubernetes("nonewprivs", "k8s.io/kubernetes/test/images/nonewprivs"),
    kubernetes("sample-apiserver", "k8s.io/sample-apiserver"),
    go("etcd", "etcdctl", "go.etcd.io/etcd/etcdctl/v3"),
    go("etcd", "etcdutl", "go.etcd.io/etcd/etcdutl/v3"),
    containerd("ctr", "github.com/containerd/containerd/v2/cmd/ctr"),
    containerd(
        "containerd-shim-runc-v2",
        "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
    ),
    GoBinary {
        tags: "seccomp netgo osusergo",
        cgo: true,
        ..go("runc", "runc", "github.com/opencontainers/runc")
    },
    plugin(
        "bridge",
        "github.com/containernetworking/plugins/plugins/main/bridge",
    ),
    plugin(
        "host-device",
        "github.com/containernetworking/plugins/plugins/main/host-device",
    ),
    plugin(
        "ipvlan",
        "github.com/containernetworking/plugins/plugins/main/ipvlan",
    ),
    plugin(
        "loopback",
        "github.com/containernetworking/plugins/plugins/main/loopback",
    ),
    plugin(
        "macvlan",
        "github.com/containernetworking/plugins/plugins/main/macvlan",
    ),
    plugin("ptp", "github.com/containernetworking/plugins/plugins/main/ptp"),
    plugin(
        "host-local",
        "github.com/containernetworking/plugins/plugins/ipam/host-local",
    ),
    plugin(
        "static",
        "github.com/containernetworking/plugins/plugins/ipam/static",
    ),
    plugin(
        "bandwidth",
        "github.com/containernetworking/plugins/plugins/meta/bandwidth",
    ),
    plugin(
        "firewall",
        "github.com/containernetworking/plugins/plugins/meta/firewall",
    ),
    plugin(
        "portmap",
        "github.com/containernetworking/plugins/plugins/meta/portmap",
    ),
    plugin(
        "tuning",
        "github.com/containernetworking/plugins/plugins/meta/tuning",
    ),
];

impl GoBinary {
    pub(super) fn is_cni_plugin(&self) -> bool {
        self.family == "cni-plugins"
    }

    /// Release of Go that compiles it.
    pub(super) fn toolchain<'a>(&self, line: &'a Line) -> &'a str {
        if self.family == "kubernetes" {
            &line.toolchain.kubernetes
        } else {
            &line.toolchain.rest
        }
    }

    /// Linker flags: no symbol table, the version where the program looks for it.
    pub(super) fn ldflags(&self, line: &Line) -> String {
        let mut flags = "-s -w".to_owned();
        for (variable, value) in self.stamps(line) {
            flags.push_str(&format!(" -X {variable}={value}"));
        }
        if self.cgo {
            flags.push_str(" -extldflags -static");
        }
        flags
    }

    fn stamps(&self, line: &Line) -> Vec<(String, String)> {
        let version = format!("v{}", line.version_of(self.family));
        let stamp = |variable: &str, value: &str| (variable.to_owned(), value.to_owned());
        match self.family {
            "kubernetes" => {
                let (major, minor) = line.major_minor();
                let own = (self.name == "agnhost")
                    .then(|| ("main.Version".to_owned(), line.images.agnhost[0].clone()));
                ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"]
                    .into_iter()
                    .flat_map(|package| {
                        [
                            ("gitVersion", version.as_str()),
                            ("gitMajor", major),
                            ("gitMinor", minor),
                            ("gitTreeState", "clean"),
                        ]
                        .map(|(name, value)| (format!("{package}.{name}"), value.to_owned()))
                    })
                    .chain(own)
                    .collect()
            }
            "containerd" => vec![stamp(
                "github.com/containerd/containerd/v2/version.Version",
                &version,
            )],
            "cni-plugins" => {
                vec![stamp(
                    "github.com/containernetworking/plugins/pkg/utils/buildversion.BuildVersion",
                    &version,
                )]
            }
            "crictl" => vec![stamp("sigs.k8s.io/cri-tools/pkg/version.Version", &version)],
            "helm" => vec![
                stamp("helm.sh/helm/v4/internal/version.version", &version),
                stamp("helm.sh/helm/v4/internal/version.gitTreeState", "clean"),
            ],
            // etcd, runc and CoreDNS carry their version in their source.
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn pins_and_catalogue_name_the_same_versions() {
        for line in catalogue::lines().into_iter().filter(Line::is_pinned) {
            for binary in GO_BINARIES {
                let pins = line.pin(binary.family, "go.mod").unwrap();
                let version = line.version_of(binary.family);
                // A staging module carries v0.36 where Kubernetes carries v1.36, and not every patch of it is published.
                let staging = format!("v0.{}.", line.major_minor().1);
                let found = pins.lines().any(|l| {
                    let mut words = l.split_whitespace();
                    let of_package = words
                        .next()
                        .is_some_and(|module| binary.package.starts_with(module));
                    of_package && words.any(|w| w == format!("v{version}") || w.starts_with(&staging))
                });
                assert!(found, "{} {version} in the pins of {}", binary.package, line.line);
            }
        }
    }

    #[test]
    fn versions_are_stamped() {
        let line = catalogue::resolve("v1.36").unwrap();
        let flags = GO_BINARIES[0].ldflags(&line);
        assert!(
            flags.contains("-X k8s.io/component-base/version.gitVersion=v1.36.4"),
            "{flags}"
        );
        assert!(
            flags.contains("-X k8s.io/client-go/pkg/version.gitMinor=36"),
            "{flags}"
        );
    }
}
