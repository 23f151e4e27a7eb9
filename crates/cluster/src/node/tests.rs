//! What a node is told, as a person would review it.

use ports::compute::Content;
use types::{Timestamp, sample};

use super::*;

fn rendered() -> (MachineConfig, Vec<&'static str>) {
    rendered_from(&Recipe::new(&[]))
}

fn rendered_from(recipe: &Recipe) -> (MachineConfig, Vec<&'static str>) {
    let cluster = sample::cluster("v1.36.4");
    let mut machine = sample::worker(&cluster, "dev-default-a1b2c");
    machine.id = "i-0000000000000001".parse().unwrap();
    machine.instance_type = Some("u1.micro".to_owned());
    let now = Timestamp(1_800_000_000);
    let api = Ipv4Addr::new(10, 20, 0, 10);
    let material = ClusterMaterial::generate(&cluster, api, now).unwrap();
    let node = NodeMaterial::generate(&machine, &material.ca, now).unwrap();
    let input = NodeInput {
        recipe,
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

/// Clusters that were made before there were certificates of people keep what they were told.
#[test]
fn a_recipe_without_an_authority_lays_nothing_of_it_down() {
    let mut files = serde_json::to_value(Recipe::new(&[])).unwrap();
    let before = files["files"].as_object_mut().unwrap();
    before.retain(|name, _| !name.starts_with("node/ssh-"));
    let recipe: Recipe = serde_json::from_value(files).unwrap();
    let laid = |recipe: &Recipe| -> Vec<String> {
        let (config, _) = rendered_from(recipe);
        let paths = config.files.iter().map(|file| file.path.display().to_string());
        paths.filter(|path| path.contains("plasmacloud_")).collect()
    };
    assert_eq!(laid(&recipe), [""; 0]);
    assert_eq!(
        laid(&Recipe::new(&[])),
        [
            "/etc/ssh/plasmacloud_authority.pub",
            "/etc/ssh/plasmacloud_principals/root"
        ]
    );
}
