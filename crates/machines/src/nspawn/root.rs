//! A machine's root: the image below, its own disk above, volumes in their places, all with the machine's own ids.
//! Everything is mounted on the host first, so that we can write into it, and nspawn takes it as it is.

use std::path::Path;

use ports::compute::{Init, MachineDesired};

use super::layout::MachineDir;
use crate::{
    error::{Context, MachineError, Result},
    host::{
        ext4,
        identity::{UidRange, UserNamespace, as_root_of},
        loopdev,
        mount::{self, Detached},
        tree::Tree,
    },
};

/// Container runtimes mount overlays of their own in these, which a file system that is one itself cannot carry.
const REAL: [(&str, &str); 2] = [
    ("containerd", "/var/lib/containerd"),
    ("kubelet", "/var/lib/kubelet"),
];

/// Kernels let whoever is in a user namespace have a `/sys` of their own, as every pod does, only where one is in sight of
/// which nothing is hidden, and nspawn hides parts of the machine's. This one is whole. Nothing in it can be written: it
/// belongs to ids the machine does not have.
const WHOLE_SYSFS: &str = "/usr/lib/plasmacloud/sysfs";

pub fn assemble(place: &MachineDir, desired: &MachineDesired, range: UidRange) -> Result<()> {
    if !desired.image.is_dir() {
        return Err(MachineError::ImageMissing(desired.image.clone()));
    }
    if let Some(missing) = desired.volumes.iter().find(|volume| !volume.source.exists()) {
        return Err(MachineError::VolumeMissing(missing.source.clone()));
    }
    let namespace = UserNamespace::new(range)?;
    let (lower, data, root) = (place.lower(), place.data(), place.root());
    for dir in [&lower, &data, &root] {
        std::fs::create_dir_all(dir).doing("make", dir)?;
    }
    mount::share(&place.dir)?;
    Detached::copy(&desired.image)?
        .mapped(&namespace)?
        .attach(&lower)?;
    mount_disk(place, desired, &namespace)?;
    as_root_of(range, || {
        let disk = Tree::open(&data)?;
        for dir in ["/upper", "/work", "/containerd", "/kubelet"] {
            disk.directory(Path::new(dir))?;
        }
        Detached::overlay(&lower, &data.join("upper"), &data.join("work"))?.attach(&root)?;
        let tree = Tree::open(&root)?;
        match desired.init {
            Init::Systemd => {
                for (dir, at) in REAL {
                    let at = Path::new(at);
                    Detached::copy(&data.join(dir))?.attach_to(tree.directory(at)?, at)?;
                }
                let at = Path::new(WHOLE_SYSFS);
                Detached::sysfs()?.attach_to(tree.directory(at)?, at)?;
            }
            Init::Keeper => {}
        }
        for volume in &desired.volumes {
            let mount = mount_file(&volume.source, &namespace)?;
            mount.attach_to(tree.directory(&volume.mount_at)?, &volume.mount_at)?;
        }
        Ok(())
    })
    .map_err(|error| own_disk_full(error, place, desired))
}

/// No space below the machine's own disk is the machine's matter, not the host's.
pub fn own_disk_full(error: MachineError, place: &MachineDir, desired: &MachineDesired) -> MachineError {
    match error {
        MachineError::HostFull { path } if desired.size.disk.is_some() && path.starts_with(&place.dir) => {
            MachineError::MachineFull { path }
        }
        other => other,
    }
}

fn mount_disk(place: &MachineDir, desired: &MachineDesired, namespace: &UserNamespace) -> Result<()> {
    let disk = match desired.size.disk {
        Some(size) => {
            let image = place.disk_image();
            ext4::ensure(&image, size)?;
            mount_file(&image, namespace)?
        }
        None => {
            let dir = place.plain_disk();
            std::fs::create_dir_all(&dir).doing("make", &dir)?;
            Detached::copy(&dir)?.mapped(namespace)?
        }
    };
    disk.attach(&place.data())
}

/// A file system mounted twice through two devices is a file system lost: the file must be free.
fn mount_file(file: &Path, namespace: &UserNamespace) -> Result<Detached> {
    loopdev::wait_until_free(file)?;
    let device = loopdev::attach(file)?;
    Detached::ext4(&device.path)?.mapped(namespace)
}
