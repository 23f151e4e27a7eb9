//! A tenant with a privileged pod owns its node and nothing beyond: not the host's clock, kernel, devices or power, not
//! another machine's processes or memory or disk.

mod isolation {
    pub mod limits;
    pub mod privileged;
}

use e2e::{Cluster, Platform, Stages};

#[test]
fn a_machine_holds_its_tenant() {
    let platform = Platform::start();
    let mut stages = Stages::new();
    platform
        .cloud(&["vpc", "create", "--name", "lab", "--cidr", "10.20.0.0/16"])
        .ok();
    let words = ["--instance-type", "u1.small", "--disk", "4Gi"];
    let cluster = Cluster::create(&platform, "dev", "lab", 2, &words);
    isolation::privileged::start(&cluster);
    for (name, line) in isolation::privileged::attempts() {
        stages.run(&format!("out of a privileged pod's reach: {name}"), || {
            isolation::privileged::fails(&cluster, name, &line);
        });
    }
    stages.run("a privileged pod sees no foreign cgroup or process", || {
        isolation::privileged::sees_only_its_own(&cluster, &platform);
    });
    stages.run("a privileged pod cannot use the host's disks", || {
        isolation::privileged::disks(&cluster)
    });
    stages.run("a memory hog dies inside its machine", || {
        isolation::limits::memory(&cluster, &platform)
    });
    stages.run("a full disk is full only there", || {
        isolation::limits::disk(&cluster, &platform)
    });
    platform.finish();
    stages.end();
}
