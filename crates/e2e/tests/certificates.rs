//! The platform's authorities are replaced, and `cloudd` is killed all the while. Its API is called over TLS by somebody
//! who knew only the old ones.
//!
//! Under a running cluster that takes long, because a kube-apiserver looks at its files every five minutes: `make chaos`
//! does it, for the authority that `PLASMACLOUD_ROTATE` names. In every run the authority of services is replaced when
//! there is no cluster any more.

mod certificates {
    pub mod asking;
    pub mod outsider;
    pub mod planes;
    pub mod renewal;
}

use std::time::Duration;

use certificates::{asking::Asking, outsider::Outsider, planes::Plane};
use e2e::{Cluster, Platform, Stages, eventually};
use serde_json::Value;

/// Both stages of it, each bounded by what an apiserver needs.
const REPLACED: Duration = Duration::from_secs(15 * 60);

fn list(platform: &Platform) -> Value {
    platform.cloud(&["admin", "certs", "-o", "json"]).json()
}

fn certificates<'a>(list: &'a Value, what: &str) -> Vec<&'a Value> {
    let all = list["certificates"].as_array().expect("a list").iter();
    all.filter(|certificate| certificate["what"] == what).collect()
}

#[test]
fn an_authority_is_replaced_and_nobody_is_refused() {
    let level = std::env::var("PLASMACLOUD_ROTATE").ok();
    let platform = Platform::start();
    let mut stages = Stages::new();
    platform
        .cloud(&["vpc", "create", "--name", "lab", "--cidr", "10.20.0.0/16"])
        .ok();
    let words = ["--instance-type", "u1.small", "--disk", "4Gi"];
    let cluster = Cluster::create(&platform, "dev", "lab", 1, &words);
    let outsider = Outsider::log_in(&platform);
    let plane = Plane::of(&platform, &cluster);
    stages.run("who is not the platform is not believed", || {
        outsider.believes_nobody_else(&platform);
    });
    stages.run("every certificate is listed, and none ends soon", || {
        let all = list(&platform);
        for what in [
            "platform-root",
            "services-authority",
            "api",
            "webhook-serving",
            "webhook-client",
            "cluster-ca",
            "kubelet",
        ] {
            assert_eq!(certificates(&all, what).len(), 1, "{what}: {all}");
        }
        assert!(!all.to_string().contains("PRIVATE"));
        let soon = ["admin", "certs", "--expires-within", "30d", "-o", "json"];
        let soon = platform.cloud(&soon).json();
        assert_eq!(soon["certificates"], serde_json::json!([]));
    });
    let replaced = || {
        let level = level.as_deref().unwrap_or("services");
        let (before, shown) = (list(&platform), plane.client());
        assert_eq!(
            plane.edge_says(&shown),
            Ok(405),
            "it is let in, and has nothing to ask"
        );
        let asking = Asking::begin(&platform, &cluster);
        asking.away(|| {
            platform
                .cloud(&["admin", "certs", "rotate", level, "--no-wait"])
                .ok();
            platform.restart_cloudd();
        });
        let mut stage = String::new();
        let mut kills = 0;
        eventually("the authority is replaced", REPLACED, || {
            asking.is_fine();
            let now = list(&platform)["rotation"].clone();
            if now.is_null() {
                return Ok(());
            }
            let told = now["stage"].as_str().unwrap_or_default().to_owned();
            if told != stage {
                eprintln!("{} questions; {now}", asking.asked());
                stage = told;
                kills += 1;
                asking.away(|| platform.restart_cloudd());
            }
            outsider.is_known();
            Err(now.to_string())
        });
        assert!(kills >= 1, "it was killed in between");
        eprintln!("{} questions, none refused", asking.end());

        let after = list(&platform);
        for what in ["platform-root", "services-authority"] {
            let ([old], [new]) = (&*certificates(&before, what), &*certificates(&after, what)) else {
                panic!("one of each: {after}");
            };
            assert_eq!(
                old["serial"] == new["serial"],
                what != "services-authority" && level == "services",
                "{what}"
            );
        }
        let roots = plane.roots();
        assert_eq!(roots.len(), 1, "{roots:?}");
        assert_eq!(
            certificates(&after, "platform-root")[0]["fingerprint"],
            roots[0].as_str()
        );
        let now = plane.client();
        let refused = plane
            .edge_says(&shown.trusting(&now))
            .expect_err("the old one is good nowhere");
        assert!(refused.contains("alert"), "{refused}");
        assert_eq!(plane.edge_says(&now), Ok(405));
        outsider.is_known();
    };
    if level.is_some() {
        stages.run("an authority is replaced, and nobody is refused", replaced);
    }
    stages.run("what nears its end is renewed under a running apiserver", || {
        certificates::renewal::in_place(&platform, &cluster);
    });
    stages.run("what a deleted cluster showed is revoked", || {
        let shown = plane.client();
        assert_eq!(plane.edge_says(&shown), Ok(405));
        platform.cloud(&["k8s", "delete", "dev"]).ok();
        // Told a moment later; a connection that is open by then is refused with words.
        eventually("it is refused", Duration::from_secs(20), || {
            match plane.edge_says(&shown) {
                Err(refused) if refused.contains("revoked") => Ok(()),
                other => Err(format!("{other:?}")),
            }
        });
        let revoked = certificates(&list(&platform), "webhook-client")[0]["state"].clone();
        assert_eq!(revoked, "revoked");
    });
    stages.run("where nobody has to be waited for it is replaced at once", || {
        let before = list(&platform);
        let rotate = ["admin", "certs", "rotate", "services", "--no-wait"];
        platform.cloud(&rotate).ok();
        platform.restart_cloudd();
        eventually("the authority is replaced", Duration::from_secs(60), || {
            let now = list(&platform)["rotation"].clone();
            now.is_null().then_some(()).ok_or(now.to_string())
        });
        let after = list(&platform);
        let serial = |list: &Value, what: &str| certificates(list, what)[0]["serial"].clone();
        assert_eq!(serial(&before, "platform-root"), serial(&after, "platform-root"));
        for what in ["services-authority", "webhook-serving", "api"] {
            assert_ne!(serial(&before, what), serial(&after, what), "{what}");
        }
        outsider.is_known();
    });
    platform.finish();
    stages.end();
}
