//! A veth, a namespace and a cgroup that carry the instance's mark and stand in no book.

use std::{fs, path::PathBuf, process::Command, time::Duration};

use e2e::{Cluster, Platform, run};

struct Planted {
    veth: String,
    namespace: String,
    cgroup: PathBuf,
}

impl Planted {
    fn new(mark: &str) -> Self {
        let hierarchies = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"];
        let root = hierarchies
            .iter()
            .map(PathBuf::from)
            .find(|dir| dir.join("cgroup.procs").exists());
        Self {
            veth: format!("{mark}-planted"),
            namespace: format!("pc-{mark}-planted"),
            cgroup: root
                .expect("a hierarchy")
                .join(format!("plasmacloud-{mark}/i-planted")),
        }
    }

    fn plant(&self) {
        ip(&[
            "link",
            "add",
            &self.veth,
            "type",
            "veth",
            "peer",
            "name",
            "planted-peer",
        ]);
        ip(&["netns", "add", &self.namespace]);
        fs::create_dir_all(&self.cgroup).expect("cgroups are writable");
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        let quiet = Duration::from_secs(10);
        run(Command::new("ip").args(["link", "delete", &self.veth]), quiet);
        run(
            Command::new("ip").args(["netns", "delete", &self.namespace]),
            quiet,
        );
        let _ = fs::remove_dir(&self.cgroup);
    }
}

fn ip(words: &[&str]) {
    run(Command::new("ip").args(words), Duration::from_secs(10)).ok();
}

pub fn reported(platform: &Platform, cluster: &Cluster<'_>) {
    let planted = Planted::new(platform.mark());
    planted.plant();
    let report = cluster.delete();
    assert!(report.contains("nothing left of it"), "{report}");
    for name in [
        &planted.veth,
        &planted.namespace,
        &planted.cgroup.display().to_string(),
    ] {
        assert!(report.contains(name.as_str()), "{name} is not reported: {report}");
    }
    // And nothing else is: what serves the other clusters is known.
    let strays = report
        .lines()
        .skip_while(|line| !line.contains("nothing known"))
        .skip(1)
        .count();
    assert_eq!(strays, 3, "{report}");
}
