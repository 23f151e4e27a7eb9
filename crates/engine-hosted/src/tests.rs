//! What a control plane is told, as a person would review it.

use cluster::material::ClusterMaterial;
use ports::compute::Content;
use types::{
    Timestamp,
    keeper::{CONFIG_PATH, KeeperConfig},
    sample,
};

use super::*;

fn rendered(version: &str) -> (MachineConfig, KeeperConfig) {
    let cluster = sample::cluster(version);
    let address = Ipv4Addr::new(10, 20, 0, 10);
    let material = ClusterMaterial::generate(&cluster, address, Timestamp(1_800_000_000)).unwrap();
    let config = render(&PlaneInput {
        recipe: &recipe(),
        cluster: &cluster,
        address,
        material: &material,
    })
    .unwrap();
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

/// Paths, modes and text of everything that is rendered; certificates and secrets differ each time and are left out.
/// A change here is a change to clusters that exist, unless only the recipe's own files changed.
#[test]
fn all_that_a_plane_is_told() {
    let (config, keeper) = rendered("v1.36.4");
    let mut told = String::new();
    for file in &config.files {
        let text = match &file.content {
            Content::Text(text) if !text.contains("-----BEGIN") => text.trim_end().replace('\n', "\n  "),
            Content::Text(_) => "(certificate)".to_owned(),
            Content::Secret(_) => "(secret)".to_owned(),
            Content::HostFile(path) => path.display().to_string(),
        };
        told += &format!("{} {:o}\n  {text}\n", file.path.display(), file.mode);
    }
    insta::assert_snapshot!(told);
    assert_eq!(keeper.processes.len(), 4);
}

#[test]
fn every_placeholder_is_filled_in_and_known() {
    check(&recipe()).unwrap();
    let cluster = sample::cluster("v1.36.4");
    let address = Ipv4Addr::new(10, 20, 0, 10);
    let material = ClusterMaterial::generate(&cluster, address, Timestamp(1_800_000_000)).unwrap();
    let input = PlaneInput {
        recipe: &recipe(),
        cluster: &cluster,
        address,
        material: &material,
    };
    let filled: Vec<&str> = input.values().into_keys().collect();
    assert_eq!(filled, NAMES);
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
