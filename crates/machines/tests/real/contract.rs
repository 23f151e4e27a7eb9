//! Driver and volumes keep their ports' contracts on the real kernel.

use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    process::Command,
};

use async_trait::async_trait;
use machines::{FileVolumes, NspawnDriver};
use ports::{
    Compute,
    compute::{Leader, MachineConfig, MachineDesired},
    conformance::{compute, volumes},
    volumes::{VolumeDesired, VolumeObserved},
};
use sha2::{Digest, Sha256};
use types::{Bytes, MachineId, VolumeId};

use crate::{
    harness::{KEEPER, RUNTIME, World, plug, read_inside, run},
    image::TINY,
};

#[test]
fn volumes_keep_the_contract() {
    RUNTIME.block_on(volumes::suite(async || Disks::new()));
}

#[test]
fn the_driver_keeps_the_contract() {
    // Built before the clock of a case runs.
    assert!(KEEPER.exists() && TINY.exists());
    RUNTIME.block_on(compute::suite(async || Host::new()));
}

/// Puts a file where a directory is: what is below can no longer be looked at.
fn hide(dir: &Path) {
    fs::rename(dir, dir.with_extension("aside")).unwrap();
    fs::write(dir, "").unwrap();
}

fn show(dir: &Path) {
    fs::remove_file(dir).unwrap();
    fs::rename(dir.with_extension("aside"), dir).unwrap();
}

struct Disks {
    state: tempfile::TempDir,
    neighbour: tempfile::TempDir,
    volumes: FileVolumes,
}

impl Disks {
    fn new() -> Self {
        let state = tempfile::tempdir_in("/var/tmp").unwrap();
        Self {
            volumes: FileVolumes::new(state.path()),
            state,
            neighbour: tempfile::tempdir_in("/var/tmp").unwrap(),
        }
    }

    fn dir(&self) -> PathBuf {
        self.state.path().join("volumes")
    }
}

/// In the first block, which the file system leaves alone and formatting clears.
const MARK: &[u8] = b"written by a test";

#[async_trait]
impl volumes::Bench for Disks {
    type Subject = FileVolumes;

    fn volumes(&self) -> FileVolumes {
        self.volumes.clone()
    }

    fn restarted(&self) -> FileVolumes {
        FileVolumes::new(self.state.path())
    }

    fn neighbour(&self) -> FileVolumes {
        FileVolumes::new(self.neighbour.path())
    }

    fn write(&self, volume: &VolumeObserved) {
        let file = File::options().write(true).open(&volume.source).unwrap();
        file.write_all_at(MARK, 0).unwrap();
    }

    fn is_written(&self, volume: &VolumeObserved) -> bool {
        let mut found = [0; MARK.len()];
        File::open(&volume.source)
            .unwrap()
            .read_exact_at(&mut found, 0)
            .unwrap();
        found == MARK
    }

    fn is_whole(&self, volume: &VolumeObserved) -> bool {
        let check = Command::new("e2fsck")
            .arg("-fn")
            .arg(&volume.source)
            .output()
            .unwrap();
        check.status.success()
    }

    async fn half_make(&self, volume: &VolumeDesired) {
        fs::create_dir_all(self.dir()).unwrap();
        fs::write(
            self.dir().join(format!("{}.making", volume.id)),
            "half a file system",
        )
        .unwrap();
    }

    fn blind(&self, _: &VolumeId) {
        hide(&self.dir());
    }

    fn restore(&self, _: &VolumeId) {
        show(&self.dir());
    }
}

struct Host {
    world: World,
    neighbour: World,
}

impl Host {
    fn new() -> Self {
        Self {
            world: World::new(),
            neighbour: World::new(),
        }
    }

    fn machines(&self) -> PathBuf {
        self.world.state.path().join("machines")
    }

    fn dir(&self, machine: &MachineDesired) -> PathBuf {
        self.machines().join(machine.id.as_str())
    }

    async fn leader(&self, machine: &MachineDesired) -> Leader {
        let seen = self.world.driver.observe(&machine.id).await;
        seen.present().and_then(|seen| seen.leader).expect("it runs")
    }
}

#[async_trait]
impl compute::Bench for Host {
    type Subject = NspawnDriver;
    type Volumes = FileVolumes;

    fn compute(&self) -> NspawnDriver {
        self.world.driver.clone()
    }

    fn volumes(&self) -> FileVolumes {
        self.world.volumes.clone()
    }

    fn restarted(&self) -> NspawnDriver {
        self.world.restarted()
    }

    fn neighbour(&self) -> NspawnDriver {
        self.neighbour.driver.clone()
    }

    fn machine(&self) -> MachineDesired {
        let mut machine = self.world.machine("exec sleep 1000");
        machine.size.disk = Some(Bytes::mib(64));
        machine
    }

    async fn plug(&self, machine: &MachineDesired) {
        plug(&machine.nic);
    }

    /// Both are on one host.
    async fn plug_at_neighbour(&self, machine: &MachineDesired) {
        plug(&machine.nic);
    }

    async fn unplug(&self, machine: &MachineDesired) {
        let pid = self.leader(machine).await.pid.to_string();
        run("nsenter", &["-t", &pid, "-n", "ip", "link", "del", "eth0"]);
    }

    async fn cut_power(&self, machine: &MachineDesired) {
        run("kill", &["-9", &self.leader(machine).await.pid.to_string()]);
    }

    fn forget(&self, machine: &MachineDesired) {
        fs::remove_file(self.dir(machine).join("leader.json")).unwrap();
    }

    /// Directories, mounts and half a disk.
    async fn half_make(&self, machine: &MachineDesired) {
        let dir = self.dir(machine);
        for part in ["root", "lower", "data"] {
            fs::create_dir_all(dir.join(part)).unwrap();
        }
        fs::write(dir.join("disk.making"), "half a file system").unwrap();
        run(
            "mount",
            &["-t", "tmpfs", "none", dir.join("root").to_str().unwrap()],
        );
        run("mount", &["--bind", "/etc", dir.join("lower").to_str().unwrap()]);
    }

    async fn read(&self, machine: &MachineDesired, path: &str) -> Option<String> {
        read_inside(self.leader(machine).await, path)
    }

    fn digest(&self, config: &MachineConfig) -> String {
        config.digest(|bytes| Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect())
    }

    fn blind(&self, _: &MachineId) {
        hide(&self.machines());
    }

    fn restore(&self, _: &MachineId) {
        show(&self.machines());
    }
}
