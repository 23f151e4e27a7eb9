//! What can go wrong with a machine, and what a person can do about each.

use std::{
    io,
    path::{Path, PathBuf},
};

use rustix::io::Errno;
use types::{Fault, FaultKind};

#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    #[error("machines are run by root only")]
    NotRoot,
    #[error("'{tool}' was not found on this host")]
    Tool {
        tool: &'static str,
        package: &'static str,
    },
    #[error("the kernel refuses {feature}: {source}")]
    Kernel { feature: &'static str, source: Errno },
    #[error("no space is left for {path}")]
    HostFull { path: PathBuf },
    #[error("the machine's own disk is full: {path} cannot be written")]
    MachineFull { path: PathBuf },
    #[error("cannot {what} {path}: {source}")]
    Io {
        what: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("making a file system in {path} failed: {said}")]
    Format { path: PathBuf, said: String },
    #[error("the volume {0} is not there")]
    VolumeMissing(PathBuf),
    #[error("{path} is in use by {holder}")]
    VolumeBusy { path: PathBuf, holder: String },
    #[error("the machine did not start; its console says: {console}")]
    Boot { console: String },
    #[error("interface {0} is not on the host")]
    InterfaceMissing(String),
    #[error("interface {name} could not be moved into the machine: {source}")]
    Attach { name: String, source: io::Error },
    #[error("eth0 could not be set up in the machine: {0}")]
    Setup(String),
    #[error("'{0}' is not an absolute path inside the machine")]
    Path(PathBuf),
    #[error("units were given for a machine that has no systemd")]
    UnitsWithoutSystemd,
    #[error("the image {0} is not there")]
    ImageMissing(PathBuf),
    #[error("all ranges of user ids for machines on this host are taken")]
    NoRange,
    #[error("processes of the machine are still there after it was killed: {0}")]
    WontDie(String),
    #[error("{0} is not a file of this platform's: it cannot be read")]
    Record(PathBuf),
}

pub type Result<T> = std::result::Result<T, MachineError>;

/// Names the operation and the file an error belongs to.
pub trait Context<T> {
    fn doing(self, what: &'static str, path: &Path) -> Result<T>;
}

impl<T> Context<T> for io::Result<T> {
    fn doing(self, what: &'static str, path: &Path) -> Result<T> {
        self.map_err(|source| match source.raw_os_error() {
            Some(libc::ENOSPC | libc::EDQUOT) => MachineError::HostFull {
                path: path.to_owned(),
            },
            _ => MachineError::Io {
                what,
                path: path.to_owned(),
                source,
            },
        })
    }
}

impl<T> Context<T> for std::result::Result<T, Errno> {
    fn doing(self, what: &'static str, path: &Path) -> Result<T> {
        self.map_err(io::Error::from).doing(what, path)
    }
}

impl From<MachineError> for Fault {
    fn from(error: MachineError) -> Self {
        use MachineError as E;
        let cause = error.to_string();
        let (kind, code, remedy) = match &error {
            E::NotRoot => (
                FaultKind::Exhausted,
                "not-root",
                "start the platform as root".to_owned(),
            ),
            E::Tool { package, .. } => (
                FaultKind::Exhausted,
                "tool-missing",
                format!("install the package {package}"),
            ),
            E::Kernel { .. } => (
                FaultKind::Exhausted,
                "kernel-feature-missing",
                "use a kernel of 5.19 or newer with overlay, loop and user namespaces".to_owned(),
            ),
            E::HostFull { .. } => (
                FaultKind::Exhausted,
                "host-disk-full",
                "free space below the platform's state directory, or move it to a larger file system"
                    .to_owned(),
            ),
            E::MachineFull { .. } => (
                FaultKind::Exhausted,
                "machine-disk-full",
                "free space inside the machine, or replace it by one of a larger instance type".to_owned(),
            ),
            E::Format { .. } => (
                FaultKind::Exhausted,
                "format-failed",
                "check that mkfs.ext4 works and that the state directory is on a healthy file system"
                    .to_owned(),
            ),
            E::VolumeMissing(_) => (
                FaultKind::Unavailable,
                "volume-missing",
                "it is tried again; if its file was lost, restore it or delete the cluster".to_owned(),
            ),
            E::VolumeBusy { .. } => (
                FaultKind::Conflict,
                "volume-in-use",
                "remove or power off the machine that uses it first".to_owned(),
            ),
            E::Boot { .. } => (
                FaultKind::Unavailable,
                "machine-boot-failed",
                "read the machine's console; it is tried again".to_owned(),
            ),
            E::InterfaceMissing(_) => (
                FaultKind::Unavailable,
                "interface-missing",
                "apply the machine's network first; it makes the interface".to_owned(),
            ),
            E::Attach { .. } | E::Setup(_) => (
                FaultKind::Unavailable,
                "interface-not-attached",
                "it is tried again; if it stays so, replace the machine".to_owned(),
            ),
            E::Path(_) | E::UnitsWithoutSystemd => (
                FaultKind::Invalid,
                "machine-config-invalid",
                "this configuration was rendered wrongly; please report it".to_owned(),
            ),
            E::ImageMissing(_) => (
                FaultKind::Exhausted,
                "image-missing",
                "build or import the bundle the cluster is pinned to".to_owned(),
            ),
            E::NoRange => (
                FaultKind::Exhausted,
                "uid-ranges-exhausted",
                "remove machines, or add another host".to_owned(),
            ),
            E::WontDie(_) => (
                FaultKind::Unavailable,
                "machine-will-not-die",
                "a process hangs in the kernel; it is tried again, and a reboot of the host ends it"
                    .to_owned(),
            ),
            E::Record(_) => (
                FaultKind::Unavailable,
                "machine-record-unreadable",
                "remove the file; it is written again".to_owned(),
            ),
            E::Io { .. } => (
                FaultKind::Unavailable,
                "machine-io-failed",
                "it is tried again; if it stays so, the host's log has the reason".to_owned(),
            ),
        };
        Fault::new(kind, code, cause, remedy)
    }
}
