//! What a control plane is told, as a person would review it.

use cluster::material::ClusterMaterial;
use ports::compute::Content;
use types::{
    Timestamp,
    keeper::{CONFIG_PATH, KeeperConfig},
    sample,
    tenancy::{NamespaceLimits, PodSecurity, TenantProject},
};

use super::*;

const PLATFORM: Ipv4Addr = Ipv4Addr::new(10, 20, 0, 2);
fn tenancy(cluster: &Cluster) -> Tenancy {
    Tenancy {
        cluster: "k8s-0123456789abcdef".parse().unwrap(),
        projects: vec![TenantProject {
            id: "proj-0123456789abcdef".parse().unwrap(),
            org: "org-0123456789abcdef".parse().unwrap(),
            name: cluster.name.clone(),
            created_by: "ana@acme.example".to_owned(),
            pod_security: PodSecurity::default(),
            limits: NamespaceLimits::default(),
            remove_after: None,
        }],
        shared: Vec::new(),
        grants: None,
    }
}

fn rendered(version: &str) -> (MachineConfig, KeeperConfig) {
    rendered_from(&recipe(), version)
}

fn rendered_from(recipe: &Recipe, version: &str) -> (MachineConfig, KeeperConfig) {
    let cluster = sample::cluster(version);
    let address = Ipv4Addr::new(10, 20, 0, 10);
    let material = ClusterMaterial::generate(&cluster, address, Timestamp(1_800_000_000)).unwrap();
    let config = render(&PlaneInput {
        recipe,
        cluster: &cluster,
        hostname: "dev-plane",
        address,
        platform: PLATFORM,
        material: &material,
        identity: Some(PlaneIdentity {
            roots_pem: &material.ca.cert_pem,
            client: &material.platform,
        }),
        tenancy: &tenancy(&cluster),
        controllers: Path::new("/usr/libexec/plasmacloud/cloud-controllers"),
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
    assert_eq!(keeper.processes.len(), 5);
}

/// A cluster that was made by a release without controllers has none by a newer one.
#[test]
fn an_older_recipe_is_rendered_as_it_was() {
    let older: Vec<_> = RECIPE
        .iter()
        .filter(|(name, _)| !name.contains("cloud-controllers"))
        .copied()
        .collect();
    let (config, keeper) = rendered_from(&Recipe::new(&older), "v1.36.4");
    assert_eq!(keeper.processes.len(), 4);
    assert!(!config.files.iter().any(|f| f.path.ends_with("tenancy.json")));
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
        tenancy: &tenancy(&cluster),
        controllers: Path::new("/c"),
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
            tenancy: &tenancy(&cluster),
            controllers: Path::new("/c"),
            identity: None,
        })
    };
    assert!(render(&recipe()).is_err());
    // As clusters have it that were made before: the same files but those.
    let older: Vec<(&str, &str)> = RECIPE
        .iter()
        .copied()
        .filter(|(name, _)| {
            ![
                "plane/cloud-controllers.flags",
                "plane/hosts",
                "plane/iam-webhook.yaml",
            ]
            .contains(name)
        })
        .collect();
    let config = render(&Recipe::new(&older)).unwrap();
    let told = |path: &str| config.files.iter().any(|file| file.path.starts_with(path));
    assert!(!told("/etc/k8shost") && !told("/etc/hosts"));
}
