//! Where things are inside a control-plane machine.

pub const PKI: &str = "/etc/kubernetes/pki";
pub const BIN: &str = "/usr/local/bin";
pub const ETCD_DATA: &str = "/var/lib/etcd";
pub const AUDIT_DIR: &str = "/var/log/k8shost";
pub const ETCD_PORT: u16 = 2379;

pub fn pki(name: &str) -> String {
    format!("{PKI}/{name}")
}

pub fn bin(name: &str) -> String {
    format!("{BIN}/{name}")
}
