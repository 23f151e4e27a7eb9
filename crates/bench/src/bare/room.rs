//! A room on the host in which a cluster runs bare: namespaces and cgroups of its own, so that it meets nobody's
//! addresses, mounts or pods, and everything in it ends with it. No root file system, no init, no user namespace: the
//! programs are the host's own processes.
//!
//! The room's first process is a shell that starts every line it reads. When we die its input ends, and so does all.

use std::{
    fs,
    io::Write,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use e2e::{Process, eventually};

/// Options of a mount that say nothing about which hierarchy it is.
const GENERAL: [&str; 8] = [
    "rw", "ro", "relatime", "noatime", "nosuid", "nodev", "noexec", "seclabel",
];

/// What a kubelet wants of the kernel.
const SETTINGS: [(&str, u32); 6] = [
    ("vm/overcommit_memory", 1),
    ("vm/panic_on_oom", 0),
    ("kernel/panic", 10),
    ("kernel/panic_on_oops", 1),
    ("kernel/keys/root_maxkeys", 1_000_000),
    ("kernel/keys/root_maxbytes", 25_000_000),
];

pub struct Room {
    name: String,
    dir: PathBuf,
    cgroups: Vec<PathBuf>,
    shell: Child,
}

impl Room {
    /// `dir` is on a real file system and becomes the room's `/var/lib` and `/var/log`; `programs` comes first where
    /// programs look for each other.
    pub fn open(dir: &Path, programs: &Path, address: Ipv4Addr) -> Self {
        let name = format!("pcbare-{}", std::process::id());
        let hierarchies = hierarchies();
        let cgroups: Vec<PathBuf> = hierarchies.iter().map(|h| h.at.join(&name)).collect();
        cgroups.iter().for_each(|cgroup| make_cgroup(cgroup));
        for part in ["lib", "log"] {
            fs::create_dir_all(dir.join(part)).expect("our own directory");
        }
        let inside = dir.join("inside.sh");
        fs::write(&inside, script(dir, address, &hierarchies)).expect("our own directory");
        let path = std::env::var("PATH").unwrap_or_default();
        let enter: String = cgroups
            .iter()
            .map(|cgroup| format!("echo $$ >{}/cgroup.procs\n", cgroup.display()))
            .collect();
        // Mounts of the host that go away go away in here too, but none of ours shows outside.
        let unshare = "exec unshare --mount --propagation=slave --pid --net --uts --ipc --cgroup --fork --mount-proc \
                       --kill-child sh";
        let log = fs::File::create(dir.join("room.log")).expect("our own directory");
        let shell = Command::new("sh")
            .arg("-c")
            .arg(format!("set -e\n{enter}{unshare} {}", inside.display()))
            .env("PATH", format!("{}:{path}", programs.display()))
            .stdin(Stdio::piped())
            .stdout(log.try_clone().expect("a descriptor"))
            .stderr(log)
            .spawn()
            .expect("a shell starts");
        Self {
            name,
            dir: dir.to_owned(),
            cgroups,
            shell,
        }
    }

    /// The name of its cgroups.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it has of its own accord; not part of what runs in it.
    pub fn is_wall(process: &Process) -> bool {
        let words = process.words();
        matches!(words.first().map(String::as_str), Some("sh" | "unshare"))
    }

    pub fn start(&mut self, program: &Path, words: &[String]) {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let log = self.dir.join(format!("{name}.log"));
        let line = format!(
            "{} {} >>{} 2>&1\n",
            program.display(),
            words.join(" "),
            log.display()
        );
        let stdin = self.shell.stdin.as_mut().expect("piped");
        stdin
            .write_all(line.as_bytes())
            .and_then(|()| stdin.flush())
            .unwrap_or_else(|error| panic!("the room is shut: {error}\n{}", self.log("room")));
    }

    /// A command seen from inside, without being one of its processes.
    pub fn look(&self, program: &Path) -> Command {
        let first = eventually("the room has a first process", Duration::from_secs(10), || {
            let inside = |p: &Process| p.in_cgroup(&self.name) && matches!(p.numbers()[..], [_, 1]);
            let found = Process::all().into_iter().find(inside);
            found.ok_or_else(|| self.log("room"))
        });
        let mut command = Command::new("nsenter");
        command
            .arg(format!("--target={}", first.pid))
            .args(["--net", "--mount", "--"])
            .arg(program);
        command
    }

    pub fn log(&self, name: &str) -> String {
        let text = fs::read_to_string(self.dir.join(format!("{name}.log"))).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        format!(
            "end of {name}'s log:\n{}",
            lines[lines.len().saturating_sub(15)..].join("\n")
        )
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
        eventually("the room's cgroups are empty", Duration::from_secs(30), || {
            self.cgroups.iter().for_each(|cgroup| remove_cgroup(cgroup));
            let left: Vec<_> = self.cgroups.iter().filter(|cgroup| cgroup.exists()).collect();
            if left.is_empty() {
                Ok(())
            } else {
                Err(format!("{left:?}"))
            }
        });
    }
}

struct Hierarchy {
    at: PathBuf,
    kind: String,
    options: String,
}

fn hierarchies() -> Vec<Hierarchy> {
    let table = fs::read_to_string("/proc/mounts").expect("proc is mounted");
    let found = table.lines().filter_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let (at, kind, options) = (fields.next()?, fields.next()?, fields.next()?);
        let options: Vec<&str> = options.split(',').filter(|o| !GENERAL.contains(o)).collect();
        matches!(kind, "cgroup" | "cgroup2").then(|| Hierarchy {
            at: at.into(),
            kind: kind.to_owned(),
            options: options.join(","),
        })
    });
    found.collect()
}

/// What the room's first process does before it starts anything.
fn script(dir: &Path, address: Ipv4Addr, hierarchies: &[Hierarchy]) -> String {
    let mut lines = vec!["set -e".to_owned(), "mount --make-rshared /".to_owned()];
    for Hierarchy { at, kind, options } in hierarchies {
        let options = match kind.as_str() {
            "cgroup" => format!("-o {options}"),
            _ => String::new(),
        };
        // Mounted anew it shows the room's own part.
        let at = at.display();
        lines.push(format!("umount -l {at}; mount -t {kind} {options} {kind} {at}"));
    }
    if let [Hierarchy { at, .. }] = hierarchies {
        // The only hierarchy: a cgroup with processes has no children with controllers, so they go one down.
        let at = at.display();
        lines.push(format!(
            "mkdir {at}/programs; for p in $(cat {at}/cgroup.procs); do echo $p >{at}/programs/cgroup.procs; done"
        ));
    }
    let dir = dir.display();
    // The kubelet would set the host's kernel to its liking. Here it finds what it wants, and nothing else can be set
    // but the network, which is the room's own.
    for (setting, value) in SETTINGS {
        let file = format!("{dir}/{}", setting.replace('/', "-"));
        lines.push(format!(
            "echo {value} >{file}; mount --bind {file} /proc/sys/{setting}"
        ));
    }
    lines.extend([
        format!("mount --bind {dir}/lib /var/lib"),
        format!("mount --bind {dir}/log /var/log"),
        "mount -t tmpfs tmpfs /run".to_owned(),
        "mount --rbind /proc/sys /proc/sys".to_owned(),
        "mount --bind /proc/sys/net /proc/sys/net".to_owned(),
        "mount -o remount,bind,ro /proc/sys".to_owned(),
        "hostname bare".to_owned(),
        "ip link set lo up".to_owned(),
        // The other end leads nowhere.
        "ip link add eth0 type veth peer name nowhere".to_owned(),
        format!("ip address add {address}/24 dev eth0"),
        "ip link set nowhere up".to_owned(),
        "ip link set eth0 up".to_owned(),
        "ip route add default dev eth0".to_owned(),
        "echo 1 >/proc/sys/net/ipv4/ip_forward".to_owned(),
        "set +e".to_owned(),
        "while read -r line; do sh -c \"exec $line\" & done".to_owned(),
    ]);
    lines.join("\n")
}

fn make_cgroup(cgroup: &Path) {
    fs::create_dir_all(cgroup).expect("cgroups are ours to make");
    let parent = cgroup.parent().expect("below a mount");
    for set in ["cpuset.cpus", "cpuset.mems"] {
        // Only there where the hierarchy has it; a cpuset takes nobody in before it has both.
        if let Ok(value) = fs::read_to_string(parent.join(set)) {
            let _ = fs::write(cgroup.join(set), value);
        }
    }
}

fn remove_cgroup(cgroup: &Path) {
    for entry in fs::read_dir(cgroup).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_cgroup(&entry.path());
        }
    }
    let _ = fs::remove_dir(cgroup);
}
