//! A driver of an instance of its own, a tiny image, and machines that are removed whatever the test does.

use std::{
    collections::BTreeMap,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        LazyLock, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use machines::{FileVolumes, NspawnDriver, NspawnOptions, Overcommit};
use ports::{
    Compute, Volumes,
    compute::{Attachment, Content, FileEntry, Init, Leader, MachineConfig, MachineDesired, Nic},
    volumes::VolumeDesired,
};
use tokio::runtime::Runtime;
use types::{
    Bytes, MachineId, PortId, VolumeId,
    keeper::{CONFIG_PATH, KeeperConfig, KeeperStatus, Limits, Process, STATUS_PATH},
    machine::{Mac, Power, Size},
};

use crate::image;

/// Built static, as it is shipped: the tiny root has no C library for it.
pub static KEEPER: LazyLock<PathBuf> = LazyLock::new(|| {
    if let Some(given) = std::env::var_os("CLOUD_KEEPER") {
        return PathBuf::from(given);
    }
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let done = Command::new(env!("CARGO"))
        .args([
            "build",
            "--quiet",
            "--release",
            "--package",
            "keeper",
            "--target",
            &triple,
        ])
        .env("RUSTFLAGS", "-C target-feature=+crt-static")
        .status()
        .unwrap();
    assert!(done.success());
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"),
        PathBuf::from,
    );
    target.join(triple).join("release/cloud-keeper")
});

/// For all worlds: one may be dropped inside it, where a runtime of its own could not be.
pub static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).enable_all().build().unwrap()
});

static COUNTER: AtomicU32 = AtomicU32::new(0);

pub struct World {
    pub instance: String,
    pub state: tempfile::TempDir,
    pub driver: NspawnDriver,
    pub volumes: FileVolumes,
    interfaces: Mutex<Vec<String>>,
}

impl World {
    pub fn new() -> Self {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let instance = format!("t{:x}{number:x}", std::process::id() & 0xf_ffff);
        let state = tempfile::Builder::new()
            .prefix("pc-machines-")
            .tempdir_in("/var/tmp")
            .unwrap();
        let driver = driver(&instance, state.path());
        let volumes = FileVolumes::new(state.path());
        Self {
            instance,
            state,
            driver,
            volumes,
            interfaces: Mutex::default(),
        }
    }

    pub fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        RUNTIME.block_on(future)
    }

    /// As after a restart of the platform: nothing remembered but what is on disk.
    pub fn restarted(&self) -> NspawnDriver {
        driver(&self.instance, self.state.path())
    }

    pub fn volume(&self) -> VolumeDesired {
        VolumeDesired {
            id: VolumeId::generate(),
            size: Bytes::mib(64),
        }
    }

    /// A system machine that keeps `script` running.
    pub fn machine(&self, script: &str) -> MachineDesired {
        let port = PortId::generate();
        let interface = format!("t{}", &port.tail()[..12]);
        self.interfaces.lock().unwrap().push(interface.clone());
        MachineDesired {
            id: MachineId::generate(),
            hostname: "tiny".to_owned(),
            image: image::TINY.clone(),
            init: Init::Keeper,
            size: Size {
                vcpus: 3,
                memory: Bytes::mib(128),
                disk: None,
            },
            nic: Nic {
                interface,
                mac: Mac::for_port(&port),
                address: Ipv4Addr::new(10, 77, 0, 2),
                prefix_len: 24,
                gateway: Ipv4Addr::new(10, 77, 0, 1),
                mtu: 1400,
            },
            volumes: Vec::new(),
            config: MachineConfig {
                files: vec![keeper_config(script)],
                units: Vec::new(),
            },
            power: Power::On,
        }
    }

    pub fn attach(&self, machine: &mut MachineDesired, volume: &VolumeDesired, at: &str) {
        let made = self.wait(self.volumes.ensure(volume)).unwrap();
        machine.volumes.push(Attachment {
            volume: volume.id.clone(),
            source: made.source,
            mount_at: PathBuf::from(at),
        });
    }

    pub fn apply(&self, machine: &MachineDesired) -> Leader {
        self.apply_with(&self.driver, machine)
    }

    pub fn apply_with(&self, driver: &NspawnDriver, machine: &MachineDesired) -> Leader {
        let observed = self
            .wait(driver.apply(machine))
            .unwrap_or_else(|fault| panic!("{fault:?}"));
        observed.leader.expect("it runs")
    }

    /// Makes the interface the network driver would have left, and boots the machine.
    pub fn boot(&self, machine: &MachineDesired) -> Leader {
        plug(&machine.nic);
        self.apply(machine)
    }

    pub fn scan(&self) -> Vec<String> {
        let found = self.wait(self.driver.scan()).unwrap();
        found
            .into_iter()
            .map(|f| format!("{:?} {} {}", f.what, f.name, f.owner))
            .collect()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let machines = std::fs::read_dir(self.state.path().join("machines"))
            .into_iter()
            .flatten();
        let ids = machines
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let (driver, ids) = (self.driver.clone(), ids.collect::<Vec<MachineId>>());
        let removal = async move {
            for id in ids {
                let _ = driver.remove(&id).await;
            }
        };
        let _ = std::thread::spawn(move || RUNTIME.block_on(removal)).join();
        for interface in self.interfaces.lock().unwrap().iter() {
            let _ = Command::new("ip")
                .args(["link", "del", interface])
                .stderr(Stdio::null())
                .status();
        }
    }
}

pub fn driver(instance: &str, state: &Path) -> NspawnDriver {
    let options = NspawnOptions::new(instance, state, &KEEPER, Overcommit::default()).unwrap();
    NspawnDriver::new(options).unwrap()
}

/// Both ends stay on this host; the far one is never brought up. The ends of a machine that died are taken away by the
/// kernel a little later, so the name may be taken at first.
pub fn plug(nic: &Nic) {
    let far = format!("{}p", nic.interface);
    let words = [
        "link",
        "add",
        &nic.interface,
        "type",
        "veth",
        "peer",
        "name",
        &far,
    ];
    eventually("the interface is made", || {
        let output = Command::new("ip").args(words).output().unwrap();
        output.status.success().then_some(())
    });
}

pub fn run(program: &str, args: &[&str]) {
    let output = Command::new(program).args(args).output().unwrap();
    assert!(
        output.status.success(),
        "{program} {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

pub fn keeper_config(script: &str) -> FileEntry {
    let process = Process {
        name: "work".to_owned(),
        argv: vec!["sh".to_owned(), "-c".to_owned(), script.to_owned()],
        env: BTreeMap::new(),
        after: Vec::new(),
        limits: Limits::default(),
    };
    let config = KeeperConfig {
        log_dir: "/var/log/keeper".to_owned(),
        links: Vec::new(),
        processes: vec![process],
    };
    FileEntry {
        path: PathBuf::from(CONFIG_PATH),
        mode: 0o600,
        content: Content::Text(serde_json::to_string(&config).unwrap()),
    }
}

pub fn inside(leader: Leader, path: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{}/root{path}", leader.pid))
}

pub fn read_inside(leader: Leader, path: &str) -> Option<String> {
    std::fs::read_to_string(inside(leader, path)).ok()
}

pub fn status(leader: Leader) -> Option<KeeperStatus> {
    serde_json::from_str(&read_inside(leader, STATUS_PATH)?).ok()
}

#[expect(
    clippy::disallowed_methods,
    reason = "polls a machine's own state, with a deadline"
)]
pub fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(Instant::now() < deadline, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}
