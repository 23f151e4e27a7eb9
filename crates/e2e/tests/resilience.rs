//! What dies comes back, and says so meanwhile: a worker, etcd, the API server, a whole control plane, the daemon,
//! everything at once.

mod resilience {
    pub mod absence;
    pub mod death;
    pub mod power;
    pub mod release;
}

use e2e::{Cluster, Platform, Stages};

#[test]
fn what_dies_comes_back() {
    let mut platform = Platform::start();
    let mut stages = Stages::new();
    platform
        .cloud(&["vpc", "create", "--name", "lab", "--cidr", "10.20.0.0/16"])
        .ok();
    {
        let cluster = Cluster::create(&platform, "dev", "lab", 1, &["--instance-type", "u1.small"]);
        resilience::power::remember(&cluster);
        stages.run("a killed worker comes back, DEGRADED meanwhile", || {
            resilience::death::worker(&cluster, &platform);
        });
        stages.run("etcd is started again", || {
            resilience::death::component(&cluster, "etcd")
        });
        stages.run("the API server is started again", || {
            resilience::death::component(&cluster, "kube-apiserver")
        });
        stages.run("a killed control plane comes back with its data", || {
            resilience::death::plane(&cluster)
        });
        stages.run("a newer release with other defaults leaves it as it is", || {
            resilience::release::other_defaults(&cluster, &platform)
        });
        stages.run("nobody notices that cloudd is dead", || {
            resilience::absence::unnoticed(&cluster, &platform)
        });
        stages.run(
            "a worker that died while cloudd was dead comes back after it",
            || {
                resilience::absence::late(&cluster, &platform);
            },
        );
    }
    stages.run("everything comes back after a power cut", || {
        resilience::power::cut(&mut platform)
    });
    stages.run("a cluster is deleted though its API is dead", || {
        let cluster = Cluster::open(&platform, "dev");
        resilience::death::delete_with_the_api_dead(&cluster, &platform);
    });
    platform.finish();
    stages.end();
}
