//! What a control plane is told, as a person would review it.

use std::collections::BTreeMap;

use cluster::material::ClusterMaterial;
use ports::compute::Content;
use types::{
    ClusterId, NetworkId, ProjectId, Timestamp,
    cluster::{Cluster, ClusterSpec, ClusterStatus, Pins, Progress},
    keeper::{CONFIG_PATH, KeeperConfig},
    status::ClusterPhase,
};

use super::*;

fn sample(version: &str) -> Cluster {
    Cluster {
        id: ClusterId::generate(),
        project: ProjectId::generate(),
        name: "dev".parse().unwrap(),
        network: NetworkId::generate(),
        spec: ClusterSpec::default(),
        scales: BTreeMap::new(),
        pins: Pins {
            version: version.parse().unwrap(),
            bundle: "sha256:b".to_owned(),
            node_image: "sha256:n".to_owned(),
            recipe: cluster::RECIPE,
        },
        generation: 1,
        realm: 1,
        server_name: "dev.default.k8s.test".to_owned(),
        deleting: false,
        status: ClusterStatus {
            phase: ClusterPhase::Provisioning,
            reason: String::new(),
            observed_generation: 0,
            conditions: Vec::new(),
            nodes_ready: 0,
            nodes_wanted: 0,
            progress: Progress::default(),
        },
        created: Timestamp(0),
    }
}

fn rendered(version: &str) -> (MachineConfig, KeeperConfig) {
    let cluster = sample(version);
    let address = Ipv4Addr::new(10, 20, 0, 10);
    let material = ClusterMaterial::generate(&cluster, address, Timestamp(1_800_000_000)).unwrap();
    let config = render(&PlaneInput {
        cluster: &cluster,
        address,
        material: &material,
    });
    let file = config
        .files
        .iter()
        .find(|f| f.path.as_os_str() == CONFIG_PATH)
        .unwrap();
    let Content::Text(text) = &file.content else {
        panic!("the supervisor's configuration is text")
    };
    let keeper = serde_json::from_str(text).unwrap();
    (config, keeper)
}

#[test]
fn the_command_lines_of_the_default_line() {
    let (_, keeper) = rendered("v1.36.4");
    let lines: Vec<String> = keeper
        .processes
        .iter()
        .map(|process| process.argv.join("\n  "))
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn no_secret_is_on_a_command_line_or_world_readable() {
    let (config, keeper) = rendered("v1.36.4");
    for file in &config.files {
        let secret = matches!(file.content, Content::Secret(_));
        assert!(!secret || file.mode == 0o600, "{}", file.path.display());
        if let Content::Text(text) = &file.content {
            assert!(!text.contains("PRIVATE KEY"), "{}", file.path.display());
        }
    }
    let lines = format!("{:?}", keeper.processes);
    assert!(!lines.contains("PRIVATE"), "{lines}");
}

#[test]
fn anonymous_access_is_limited_in_the_words_of_each_release() {
    let flags = |version| rendered(version).1.processes[1].argv.join(" ");
    assert!(flags("v1.28.15").contains("--anonymous-auth=false"));
    assert!(flags("v1.36.4").contains("--authentication-config="));
}
