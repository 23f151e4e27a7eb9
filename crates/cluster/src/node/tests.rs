//! What a node is told, as a person would review it.

use ports::compute::Content;
use types::{Timestamp, sample};

use super::*;

fn rendered() -> (MachineConfig, Vec<&'static str>) {
    let cluster = sample::cluster("v1.36.4");
    let mut machine = sample::worker(&cluster, "dev-default-a1b2c");
    machine.id = "i-0000000000000001".parse().unwrap();
    machine.instance_type = Some("u1.micro".to_owned());
    let now = Timestamp(1_800_000_000);
    let api = Ipv4Addr::new(10, 20, 0, 10);
    let material = ClusterMaterial::generate(&cluster, api, now).unwrap();
    let node = NodeMaterial::generate(&machine, &material.ca, now).unwrap();
    let input = NodeInput {
        recipe: &Recipe::new(&[]),
        cluster: &cluster,
        machine: &machine,
        pods: "10.244.1.0/24".parse().unwrap(),
        api,
        platform: Ipv4Addr::new(10, 20, 0, 2),
        pause_image: "registry.k8s.io/pause:3.10.2",
        mtu: 1500,
        material: &material,
        node: &node,
    };
    (render(&input).unwrap(), values(&input).into_keys().collect())
}

/// A change here is a change to clusters that exist, unless only the recipe's own files changed.
#[test]
fn all_that_a_node_is_told() {
    let (config, filled) = rendered();
    assert_eq!(filled, NAMES);
    let mut told = String::new();
    for file in &config.files {
        let text = match &file.content {
            Content::Text(text) if text.contains("-----BEGIN") => "(certificate)".to_owned(),
            Content::Text(text) if text.starts_with("ssh-ed25519") => "(public key)".to_owned(),
            Content::Text(text) => text.trim_end().replace('\n', "\n  "),
            Content::Secret(_) => "(secret)".to_owned(),
            Content::HostFile(path) => path.display().to_string(),
        };
        told += &format!("{} {:o}\n  {text}\n", file.path.display(), file.mode);
    }
    for unit in &config.units {
        told += &format!(
            "{}\n  {}\n",
            unit.name,
            unit.text.trim_end().replace('\n', "\n  ")
        );
    }
    insta::assert_snapshot!(told);
}
