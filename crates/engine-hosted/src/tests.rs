//! What a control plane is told, as a person would review it.

use cluster::material::ClusterMaterial;
use ports::compute::Content;
use types::{
    Timestamp,
    keeper::{CONFIG_PATH, KeeperConfig},
    sample,
};

use super::*;

const PLATFORM: Ipv4Addr = Ipv4Addr::new(10, 20, 0, 2);

fn rendered(version: &str) -> (MachineConfig, KeeperConfig) {
    let cluster = sample::cluster(version);
    let address = Ipv4Addr::new(10, 20, 0, 10);
    let material = ClusterMaterial::generate(&cluster, address, Timestamp(1_800_000_000)).unwrap();
    let config = render(&PlaneInput {
        recipe: &recipe(),
        cluster: &cluster,
        hostname: "dev-plane",
        address,
        platform: PLATFORM,
        material: &material,
        identity: Some(PlaneIdentity {
            roots_pem: &material.ca.cert_pem,
            client: &material.platform,
        }),
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
        hostname: "dev-plane",
        address,
        platform: PLATFORM,
        material: &material,
        identity: None,
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

#[test]
fn a_plane_whose_recipe_asks_for_it_is_not_rendered_without_its_identity() {
    let cluster = sample::cluster("v1.36.4");
    let address = Ipv4Addr::new(10, 20, 0, 10);
    let material = ClusterMaterial::generate(&cluster, address, Timestamp(1_800_000_000)).unwrap();
    let render = |recipe: &Recipe| {
        render(&PlaneInput {
            recipe,
            cluster: &cluster,
            hostname: "dev-plane",
            address,
            platform: PLATFORM,
            material: &material,
            identity: None,
        })
    };
    assert!(render(&recipe()).is_err());
    // As clusters have it that were made before: the same files but those.
    let older: Vec<(&str, &str)> = RECIPE
        .iter()
        .copied()
        .filter(|(name, _)| !["plane/hosts", "plane/iam-webhook.yaml"].contains(name))
        .collect();
    let config = render(&Recipe::new(&older)).unwrap();
    let told = |path: &str| config.files.iter().any(|file| file.path.starts_with(path));
    assert!(!told("/etc/k8shost") && !told("/etc/hosts"));
}
