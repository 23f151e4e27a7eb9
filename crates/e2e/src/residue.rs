//! Everything on the host that carries an instance's mark, found without asking the platform or reading its state:
//! processes, namespaces, mounts, loop devices, cgroups, nftables tables, interfaces, files.

use std::{fs, path::Path, process::Command, time::Duration};

use crate::{command::run, process::Process};

const QUICK: Duration = Duration::from_secs(20);

/// `dir` is the directory of the instance: all its files, logs and sockets are below it.
pub fn residue(mark: &str, dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let machine = format!("pc-{mark}-");
    for process in Process::all() {
        let words = process.words();
        let named = words.iter().any(|word| word.contains(&machine));
        if named || process.speaks_of(dir) || process.in_cgroup(&format!("plasmacloud-{mark}")) {
            found.push(format!("process {} {}", process.pid, words.join(" ")));
        }
    }
    found.extend(named_in("/run/netns", &machine).map(|name| format!("namespace {name}")));
    for place in ["/run/systemd/nspawn/propagate", "/run/systemd/nspawn/unix-export"] {
        found.extend(named_in(place, &machine).map(|name| format!("file {place}/{name}")));
    }
    found.extend(mounts(dir));
    found.extend(loop_devices(dir));
    cgroups(
        Path::new("/sys/fs/cgroup"),
        &format!("plasmacloud-{mark}"),
        3,
        &mut found,
    );
    let tables = run(Command::new("nft").args(["list", "tables"]), QUICK).ok();
    found.extend(
        tables
            .lines()
            .filter(|line| line.ends_with(&format!(" pc-{mark}")))
            .map(str::to_owned),
    );
    let links = run(Command::new("ip").args(["-o", "link", "show"]), QUICK).ok();
    let ours =
        |line: &&str| line.contains(&format!(": {mark}-")) || line.contains(&format!("plasmacloud/{mark}/"));
    found.extend(links.lines().filter(ours).map(|line| format!("interface {line}")));
    found.extend(claims(mark));
    let keys = edge::keys_file(&dir.join("state/edge")).filter(|file| file.exists());
    found.extend(keys.map(|file| format!("file {}", file.display())));
    found
}

fn named_in(dir: &str, prefix: &str) -> impl Iterator<Item = String> {
    let names = fs::read_dir(dir).into_iter().flatten().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(move |name| name.starts_with(prefix))
}

fn mounts(dir: &Path) -> Vec<String> {
    let table = fs::read_to_string("/proc/self/mountinfo").expect("proc is mounted");
    let at = |line: &str| line.split_whitespace().nth(4).map(str::to_owned);
    let below = table
        .lines()
        .filter_map(at)
        .filter(|at| Path::new(at).starts_with(dir));
    below.map(|at| format!("mount {at}")).collect()
}

fn loop_devices(dir: &Path) -> Vec<String> {
    let devices = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let backed = devices.filter_map(|device| {
        let file = fs::read_to_string(device.path().join("loop/backing_file")).ok()?;
        Path::new(file.trim())
            .starts_with(dir)
            .then(|| format!("loop device {:?} of {}", device.file_name(), file.trim()))
    });
    backed.collect()
}

fn cgroups(dir: &Path, name: &str, depth: usize, found: &mut Vec<String>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let own = entry.file_name().to_string_lossy().into_owned();
        if own == name || own.starts_with(&format!("{name}.")) || own.starts_with(&format!("{name}-")) {
            found.push(format!("cgroup {}", entry.path().display()));
        } else if depth > 0 && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            cgroups(&entry.path(), name, depth - 1, found);
        }
    }
}

/// Claims of user id ranges.
fn claims(mark: &str) -> Vec<String> {
    let files = fs::read_dir("/run/plasmacloud/ids")
        .into_iter()
        .flatten()
        .flatten();
    let ours = |path: &std::path::PathBuf| {
        fs::read_to_string(path).is_ok_and(|owner| owner.starts_with(&format!("{mark}/")))
    };
    files
        .map(|entry| entry.path())
        .filter(ours)
        .map(|path| format!("file {}", path.display()))
        .collect()
}
