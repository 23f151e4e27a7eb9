//! A machine sees its own size, not its host's: the kubelet reports as capacity what these files say. They are
//! generated once and mounted over the kernel's; pods get the kernel's own view with their own `/proc`.

use std::{
    fmt::Write,
    io,
    path::{Path, PathBuf},
};

use rustix::mount::mount_bind;
use types::keeper::MachineSetup;

use crate::mounts;

const DIR: &str = "/run/plasmacloud/size";

#[derive(Debug, thiserror::Error)]
pub enum SizeError {
    #[error("{path}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error("cannot mount over {at}: {source}")]
    Mount {
        at: &'static str,
        source: rustix::io::Errno,
    },
}

pub fn show(setup: &MachineSetup) -> Result<(), SizeError> {
    let dir = Path::new(DIR);
    let mounted = mounts::read().map_err(|source| SizeError::File {
        path: "/proc/self/mountinfo".into(),
        source,
    })?;
    write(&dir.join("meminfo"), &meminfo(setup.memory.0 / 1024))?;
    let host = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    if !mounted.iter().any(|m| m.at == Path::new("/proc/cpuinfo")) {
        write(&dir.join("cpuinfo"), &cpuinfo(&host, setup.vcpus))?;
    }
    cpu_tree(&dir.join("cpu"), setup.vcpus)?;
    node_tree(&dir.join("node"), setup)?;
    for (made, at) in [
        ("meminfo", "/proc/meminfo"),
        ("cpuinfo", "/proc/cpuinfo"),
        ("cpu", "/sys/devices/system/cpu"),
        ("node", "/sys/devices/system/node"),
    ] {
        if Path::new(at).exists() && !mounted.iter().any(|m| m.at == Path::new(at)) {
            mount_bind(dir.join(made), at).map_err(|source| SizeError::Mount { at, source })?;
        }
    }
    Ok(())
}

fn meminfo(kib: u64) -> String {
    let mut text = String::new();
    for (key, value) in [
        ("MemTotal", kib),
        ("MemFree", kib),
        ("MemAvailable", kib),
        ("Buffers", 0),
        ("Cached", 0),
        ("SwapCached", 0),
        ("Active", 0),
        ("Inactive", 0),
        ("SwapTotal", 0),
        ("SwapFree", 0),
        ("Shmem", 0),
        ("Slab", 0),
        ("SReclaimable", 0),
    ] {
        let _ = writeln!(text, "{:<15} {value:>8} kB", format!("{key}:"));
    }
    text
}

/// The host's first processor, as many times as the machine has.
fn cpuinfo(host: &str, vcpus: u32) -> String {
    let first = host.split("\n\n").next().unwrap_or_default();
    let mut text = String::new();
    for cpu in 0..vcpus {
        for line in first.lines() {
            let key = line.split(':').next().unwrap_or_default();
            let own = match key.trim() {
                "processor" | "core id" | "apicid" | "initial apicid" => Some(cpu),
                "siblings" | "cpu cores" => Some(vcpus),
                "physical id" => Some(0),
                _ => None,
            };
            let _ = match own {
                Some(value) => writeln!(text, "{key}: {value}"),
                None => writeln!(text, "{line}"),
            };
        }
        text.push('\n');
    }
    text
}

fn range(vcpus: u32) -> String {
    if vcpus <= 1 {
        "0\n".to_owned()
    } else {
        format!("0-{}\n", vcpus - 1)
    }
}

fn cpu_tree(dir: &Path, vcpus: u32) -> Result<(), SizeError> {
    let all = range(vcpus);
    for (file, text) in [
        ("online", &*all),
        ("present", &all),
        ("possible", &all),
        ("offline", "\n"),
        ("isolated", "\n"),
    ] {
        write(&dir.join(file), text)?;
    }
    write(&dir.join("kernel_max"), "8191\n")?;
    for cpu in 0..vcpus {
        let own = dir.join(format!("cpu{cpu}"));
        let topology = own.join("topology");
        make(&own.join("cache"))?;
        for (file, text) in [
            ("core_id", format!("{cpu}\n")),
            ("physical_package_id", "0\n".to_owned()),
            ("die_id", "0\n".to_owned()),
            ("thread_siblings_list", format!("{cpu}\n")),
            ("core_cpus_list", format!("{cpu}\n")),
            ("core_siblings_list", all.clone()),
            ("package_cpus_list", all.clone()),
        ] {
            write(&topology.join(file), &text)?;
        }
    }
    Ok(())
}

fn node_tree(dir: &Path, setup: &MachineSetup) -> Result<(), SizeError> {
    for file in ["online", "possible", "has_cpu", "has_memory", "has_normal_memory"] {
        write(&dir.join(file), "0\n")?;
    }
    let node = dir.join("node0");
    make(&node.join("hugepages"))?;
    write(&node.join("cpulist"), &range(setup.vcpus))?;
    write(&node.join("distance"), "10\n")?;
    let memory: String = meminfo(setup.memory.0 / 1024)
        .lines()
        .map(|line| format!("Node 0 {line}\n"))
        .collect();
    write(&node.join("meminfo"), &memory)?;
    for cpu in 0..setup.vcpus {
        let link = node.join(format!("cpu{cpu}"));
        match std::os::unix::fs::symlink(format!("../../cpu/cpu{cpu}"), &link) {
            Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
                return Err(SizeError::File { path: link, source });
            }
            _ => {}
        }
    }
    Ok(())
}

fn make(dir: &Path) -> Result<(), SizeError> {
    std::fs::create_dir_all(dir).map_err(|source| SizeError::File {
        path: dir.to_owned(),
        source,
    })
}

fn write(path: &Path, text: &str) -> Result<(), SizeError> {
    if let Some(parent) = path.parent() {
        make(parent)?;
    }
    std::fs::write(path, text).map_err(|source| SizeError::File {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_processors_than_the_host_has() {
        let host = "processor\t: 0\nmodel name\t: X\ncpu cores\t: 2\n\nprocessor\t: 1\nmodel name\t: X\n\n";
        let shown = cpuinfo(host, 5);
        assert_eq!(shown.matches("model name").count(), 5);
        assert!(shown.contains("processor\t: 4\n") && shown.contains("cpu cores\t: 5\n"));
        assert_eq!(range(5), "0-4\n");
        assert_eq!(range(1), "0\n");
    }

    #[test]
    fn memory_reads_as_the_kernel_writes_it() {
        let text = meminfo(4 << 20);
        assert!(text.starts_with("MemTotal:        4194304 kB\n"), "{text}");
        assert!(text.contains("SwapTotal:             0 kB\n"), "{text}");
    }
}
