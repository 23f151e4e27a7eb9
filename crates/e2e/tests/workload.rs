//! What a user runs: a workload over two nodes, reached by name, by logs, exec and port-forward, from other nodes and
//! through the API; and the API calling back into pods.

mod workload {
    pub mod callbacks;
    pub mod files;
    pub mod network;
    pub mod pods;
    pub mod scaling;
    pub mod ssh;
}

use e2e::{Cluster, Platform, Stages};

#[test]
fn a_cluster_carries_a_workload() {
    let platform = Platform::start();
    let mut stages = Stages::new();
    // Word for word as in the guide.
    platform
        .cloud(&["vpc", "create", "--name", "lab", "--cidr", "10.20.0.0/16"])
        .ok();
    let words =
        "k8s create --name dev-cluster --vpc lab --workers 2 --version v1.36 --instance-type u1.small";
    platform.cloud(&words.split(' ').collect::<Vec<_>>()).ok();
    let cluster = Cluster::open(&platform, "dev-cluster");
    stages.run("a pod can be made at once", || workload::pods::at_once(&cluster));
    stages.run("the list says RUNNING", || {
        let list = platform.cloud(&["k8s", "list"]).ok();
        let line = list
            .lines()
            .find(|line| line.contains("dev-cluster"))
            .expect("it is listed");
        assert!(line.contains("RUNNING"), "{list}");
    });
    stages.run("a node's capacity is its instance type", || {
        workload::pods::capacity(&cluster)
    });
    stages.run("two nginx pods run on two nodes", || {
        workload::pods::spread(&cluster)
    });
    stages.run("a service is reached by name from the other node", || {
        workload::network::by_name(&cluster)
    });
    stages.run("logs and exec", || workload::pods::logs_and_exec(&cluster));
    stages.run("ssh onto a worker", || {
        workload::ssh::onto_a_worker(&cluster, &platform)
    });
    stages.run("scp by the lines that are printed", || {
        workload::ssh::by_configuration(&platform);
        workload::ssh::another_workers_certificate(&platform);
    });
    stages.run("ssh is for those who may, while they may", || {
        workload::ssh::people(&platform);
    });
    stages.run("port-forward", || workload::network::port_forward(&cluster));
    stages.run("a node port answers on every node and in the VPC", || {
        workload::network::node_port(&cluster, &platform);
    });
    stages.run("a service through the API and kubectl proxy", || {
        workload::network::proxy(&cluster)
    });
    stages.run("a client keeps its address between nodes", || {
        workload::network::source_address(&cluster)
    });
    stages.run("what does not fit stays Pending", || {
        workload::pods::too_large(&cluster)
    });
    stages.run("a validating webhook in a pod denies", || {
        workload::callbacks::webhook(&cluster)
    });
    stages.run("an aggregated API served by a pod is available", || {
        workload::callbacks::aggregated(&cluster)
    });
    stages.run("helm installs a chart", || {
        workload::pods::helm(&cluster, &platform)
    });
    stages.run("an image that was loaded runs on every node", || {
        workload::files::load_image(&cluster, &platform)
    });
    stages.run("plan changes nothing, apply twice is apply once", || {
        workload::files::plan_and_apply(&platform)
    });
    stages.run("a restarted platform has nothing to change", || {
        workload::files::nothing_to_do(&cluster, &platform)
    });
    stages.run(
        "a third worker joins, with the image that was loaded before",
        || workload::scaling::more(&cluster, &platform),
    );
    stages.run("two workers leave when their pods have moved", || {
        workload::scaling::fewer(&cluster, &platform)
    });
    stages.run("delete finds nothing left", || {
        let report = cluster.delete();
        assert!(report.contains("found nothing left"), "{report}");
        assert!(!report.contains("belong to nothing known"), "{report}");
        platform.cloud(&["vpc", "delete", "lab"]).ok();
        let left: Vec<String> = e2e::residue(platform.mark(), platform.dir());
        // The platform itself goes on, with its processes and its edge's keys.
        let own =
            |line: &str| (line.starts_with("process") && !line.contains("nspawn")) || line.ends_with(".keys");
        let left: Vec<&String> = left.iter().filter(|line| !own(line)).collect();
        assert!(left.is_empty(), "{left:#?}");
    });
    platform.finish();
    stages.end();
}
