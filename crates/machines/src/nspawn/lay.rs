//! Laying files into a machine: what every machine has, and what its configuration says. The same in a machine that is
//! about to boot and in one that runs; only what differs is written.

use std::path::{Path, PathBuf};

use ports::compute::{Content, Init, MachineConfig, MachineDesired};
use sha2::{Digest, Sha256};
use types::{
    MachineId,
    keeper::{BINARY_PATH, CONFIG_PATH, MACHINE_PATH, MachineSetup},
};

use super::{layout::MachineDir, record::Laid, root::own_disk_full};
use crate::{
    error::{MachineError, Result},
    host::{
        identity::{UidRange, as_root_of},
        tree::Tree,
    },
};

const UNITS: &str = "/etc/systemd/system";
const HOSTS: &str = "/etc/hosts";
const PREPARE_UNIT: &str = "plasmacloud-prepare.service";

/// Units that cannot work in a machine and would only be reported as failed, or that cost memory for nothing.
const MASKED: [&str; 5] = [
    "sys-kernel-debug.mount",
    "sys-kernel-tracing.mount",
    "systemd-networkd-wait-online.service",
    "console-getty.service",
    "systemd-udevd.service",
];

/// Whether the machine's first process has something to read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    Nothing,
    FilesOnly,
    FirstProcessMustReload,
}

pub fn digest(config: &MachineConfig) -> String {
    config.digest(|bytes| hex(&Sha256::digest(bytes)))
}

/// Everything, before the machine boots.
pub fn lay_all(
    place: &MachineDir,
    desired: &MachineDesired,
    keeper: &Path,
    range: UidRange,
    before: &Laid,
) -> Result<Laid> {
    in_the_root(place, desired, range, |tree| {
        lay_skeleton(tree)?;
        tree.copy(Path::new(BINARY_PATH), 0o755, keeper)?;
        lay(tree, desired, before).map(|(laid, _)| laid)
    })
}

/// What changed, in a machine that runs.
pub fn refresh(
    place: &MachineDir,
    desired: &MachineDesired,
    range: UidRange,
    before: &Laid,
) -> Result<(Laid, Changed)> {
    in_the_root(place, desired, range, |tree| lay(tree, desired, before))
}

fn in_the_root<T: Send>(
    place: &MachineDir,
    desired: &MachineDesired,
    range: UidRange,
    work: impl FnOnce(&Tree) -> Result<T> + Send,
) -> Result<T> {
    as_root_of(range, || work(&Tree::open(&place.root())?))
        .map_err(|error| own_disk_full(error, place, desired))
}

fn lay(tree: &Tree, desired: &MachineDesired, before: &Laid) -> Result<(Laid, Changed)> {
    if desired.init == Init::Keeper && !desired.config.units.is_empty() {
        return Err(MachineError::UnitsWithoutSystemd);
    }
    lay_identity(tree, desired)?;
    let mut changed = Changed::Nothing;
    let mut paths = Vec::new();
    for file in &desired.config.files {
        let written = match &file.content {
            Content::Text(text) => tree.write(&file.path, file.mode, text.as_bytes()),
            Content::Secret(secret) => tree.write(&file.path, file.mode, secret.expose()),
            Content::HostFile(path) => tree.copy(&file.path, file.mode, path),
        };
        if written? {
            let reload = file.path == Path::new(CONFIG_PATH) || changed == Changed::FirstProcessMustReload;
            changed = if reload {
                Changed::FirstProcessMustReload
            } else {
                Changed::FilesOnly
            };
        }
        paths.push(file.path.clone());
    }
    for unit in &desired.config.units {
        let path = Path::new(UNITS).join(&unit.name);
        if tree.write(&path, 0o644, unit.text.as_bytes())? {
            changed = Changed::FirstProcessMustReload;
        }
        paths.push(path);
        if unit.enabled {
            let link = wanted_by("multi-user.target", &unit.name);
            tree.link(&link, &format!("../{}", unit.name))?;
            paths.push(link);
        }
    }
    for gone in before.paths.iter().filter(|path| !paths.contains(path)) {
        tree.remove(gone)?;
        changed = Changed::FirstProcessMustReload;
    }
    Ok((
        Laid {
            digest: digest(&desired.config),
            paths,
        },
        changed,
    ))
}

/// What nspawn makes in a root that lacks it: it would do so as the host's root, whom this root does not know.
fn lay_skeleton(tree: &Tree) -> Result<()> {
    for dir in [
        "usr/bin",
        "usr/sbin",
        "usr/lib",
        "usr/lib64",
        "etc",
        "root",
        "var",
        "run",
        "tmp",
    ] {
        tree.directory(&Path::new("/").join(dir))?;
    }
    for dir in ["bin", "sbin", "lib", "lib64"] {
        let link = Path::new("/").join(dir);
        if !tree.exists(&link)? {
            tree.link(&link, &format!("usr/{dir}"))?;
        }
    }
    Ok(())
}

fn lay_identity(tree: &Tree, desired: &MachineDesired) -> Result<()> {
    let nic = &desired.nic;
    let setup = MachineSetup {
        address: nic.address,
        prefix_len: nic.prefix_len,
        gateway: nic.gateway,
        mtu: nic.mtu,
        vcpus: desired.size.vcpus,
        memory: desired.size.memory,
    };
    let setup = serde_json::to_vec(&setup).map_err(|_| MachineError::Record(MACHINE_PATH.into()))?;
    let name = &desired.hostname;
    let hosts = format!("127.0.0.1 localhost\n::1 localhost\n{} {name}\n", nic.address);
    tree.write(Path::new(MACHINE_PATH), 0o644, &setup)?;
    tree.write(Path::new("/etc/hostname"), 0o644, format!("{name}\n").as_bytes())?;
    tree.write(
        Path::new("/etc/machine-id"),
        0o444,
        format!("{}\n", machine_id(&desired.id)).as_bytes(),
    )?;
    // A configuration may know more names than we do.
    if !desired
        .config
        .files
        .iter()
        .any(|file| file.path == Path::new(HOSTS))
    {
        tree.write(Path::new(HOSTS), 0o644, hosts.as_bytes())?;
    }
    match desired.init {
        Init::Keeper => Ok(()),
        Init::Systemd => {
            tree.write(
                &Path::new(UNITS).join(PREPARE_UNIT),
                0o644,
                prepare_unit().as_bytes(),
            )?;
            tree.link(
                &wanted_by("sysinit.target", PREPARE_UNIT),
                &format!("../{PREPARE_UNIT}"),
            )?;
            MASKED
                .iter()
                .try_for_each(|unit| tree.link(&Path::new(UNITS).join(unit), "/dev/null"))
        }
    }
}

fn wanted_by(target: &str, unit: &str) -> PathBuf {
    Path::new(UNITS).join(format!("{target}.wants")).join(unit)
}

fn prepare_unit() -> String {
    format!(
        "[Unit]\n\
         Description=Network, cgroups and size of this machine\n\
         DefaultDependencies=no\n\
         After=systemd-tmpfiles-setup-dev-early.service\n\
         Before=sysinit.target network-pre.target network.target network-online.target\n\
         Wants=network-pre.target\n\
         Conflicts=shutdown.target\n\
         \n\
         [Service]\n\
         Type=oneshot\n\
         RemainAfterExit=yes\n\
         ExecStart={BINARY_PATH} prepare\n"
    )
}

/// 128 bits of the id's hash, marked as a random UUID as systemd wants it; the same at every boot.
pub fn machine_id(id: &MachineId) -> String {
    let mut bytes: [u8; 32] = Sha256::digest(id.as_str()).into();
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    hex(&bytes[..16])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_id_is_stable_and_well_formed() {
        let id = MachineId::generate();
        assert_eq!(machine_id(&id), machine_id(&id));
        assert_eq!(machine_id(&id).len(), 32);
        assert_eq!(&machine_id(&id)[12..13], "4");
    }
}
