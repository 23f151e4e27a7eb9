//! What a user brings as files: manifests and images.

use std::{fs, process::Command, time::Duration};

use bundle::{Cache, DEFAULT_LINE, Digest};
use e2e::{Cluster, Platform, run};
use serde_json::json;

const NAME: &str = "registry.example.com/shop/app:1";

/// The bundle's busybox in OCI layout, under a name that no registry has.
pub fn load_image(cluster: &Cluster<'_>, platform: &Platform) {
    let layout = platform.dir().join("layout");
    let blobs = layout.join("blobs/sha256");
    fs::create_dir_all(&blobs).expect("writable");
    let cache = Cache::open(&platform.programs().cache).expect("the cache");
    let bundle = cache.resolve(DEFAULT_LINE).expect("readable").expect("built");
    let image = &bundle.images()["docker.io/library/busybox:latest"];
    let hex = |digest: &Digest| digest.to_string().trim_start_matches("sha256:").to_owned();
    for blob in [&image.manifest, &image.config].into_iter().chain(&image.layers) {
        fs::copy(cache.blob_path(&blob.digest), blobs.join(hex(&blob.digest))).expect("a blob");
    }
    let index = json!({"schemaVersion": 2, "manifests": [{
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "digest": image.manifest.digest.to_string(), "size": image.manifest.size,
        "annotations": {"org.opencontainers.image.ref.name": NAME},
    }]});
    fs::write(layout.join("index.json"), index.to_string()).expect("writable");
    fs::write(layout.join("oci-layout"), r#"{"imageLayoutVersion":"1.0.0"}"#).expect("writable");
    let archive = platform.dir().join("app.tar");
    run(
        Command::new("tar")
            .arg("-cf")
            .arg(&archive)
            .arg("-C")
            .arg(&layout)
            .arg("."),
        Duration::from_secs(60),
    )
    .ok();
    let said = platform
        .cloud(&[
            "k8s",
            "load-image",
            cluster.name(),
            archive.to_str().expect("plain"),
        ])
        .ok();
    assert!(said.contains(NAME), "{said}");
    let set = json!({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "app"}, "spec": {
        "selector": {"matchLabels": {"app": "app"}},
        "template": {"metadata": {"labels": {"app": "app"}}, "spec": {
            "terminationGracePeriodSeconds": 1,
            "containers": [{"name": "a", "image": NAME, "imagePullPolicy": "Always", "command": ["sleep", "3600"]}],
        }},
    }});
    cluster.apply(&set.to_string());
    cluster.wait_for_pods("app=app", 2);
    // What is no archive is refused, and what was loaded stays.
    let bad = platform.cloud(&[
        "k8s",
        "load-image",
        cluster.name(),
        cluster.kubeconfig().to_str().expect("plain"),
    ]);
    assert!(
        bad.code.is_some_and(|code| code != 0) && bad.stderr.contains("error["),
        "{}",
        bad.told()
    );
    assert!(
        platform
            .cloud(&["k8s", "images", cluster.name()])
            .ok()
            .contains(NAME)
    );
}

pub fn plan_and_apply(platform: &Platform) {
    let file = platform.dir().join("cluster.yaml");
    let text = "apiVersion: plasmacloud.io/v1\nkind: Cluster\nmetadata: {name: filed}\n\
                spec: {vpc: lab, version: v1.36, nodeGroups: {small: {minReplicas: 1, maxReplicas: 1, instanceType: u1.micro}}}\n";
    fs::write(&file, text).expect("writable");
    let path = file.to_str().expect("plain text");
    let plan = platform.cloud(&["k8s", "plan", "-f", path]).ok();
    assert!(plan.contains("start the control plane"), "{plan}");
    assert_eq!(
        platform.cloud(&["k8s", "get", "filed"]).code,
        Some(3),
        "a plan changes nothing"
    );
    platform.cloud(&["apply", "-f", path]).ok();
    assert!(platform.cloud(&["apply", "-f", path]).ok().contains("unchanged"));
    let plan = platform.cloud(&["k8s", "plan", "-f", path]).ok();
    assert!(
        !plan.contains("start the control plane"),
        "there is nothing to do: {plan}"
    );
    // By id as well as by name.
    let view = platform.cloud(&["k8s", "get", "filed", "-o", "json"]).json();
    let id = view["cluster"]["id"].as_str().expect("an id");
    let report = platform.cloud(&["k8s", "delete", id]).ok();
    assert!(report.contains("nothing left"), "{report}");
}

/// The daemon starts anew and finds every cluster as it should be: no machine is started again, no operation begun.
pub fn nothing_to_do(cluster: &Cluster<'_>, platform: &Platform) {
    let operations = || platform.cloud(&["operation", "list", "-o", "json"]).json();
    let machines = || {
        let mut all = e2e::Machine::all(platform.mark());
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all.into_iter()
            .map(|machine| (machine.id, machine.leader))
            .collect::<Vec<_>>()
    };
    let before = (operations(), machines());
    platform.restart_cloudd();
    e2e::holds_for("nothing is changed by a restart", Duration::from_secs(8), || {
        let (phase, reason) = cluster.phase();
        if phase != "RUNNING" {
            return Err(format!("{phase}: {reason}"));
        }
        if (operations(), machines()) == before {
            Ok(())
        } else {
            Err("operations or machines changed".to_owned())
        }
    });
}
