//! Tokens of the platform at a cluster: who their holder is there, whose are refused, and what goes on without the
//! platform.

mod identity {
    pub mod alone;
    pub mod grants;
    pub mod people;
    pub mod refused;
}

use e2e::{Cluster, Platform, Stages};
use identity::people::People;

#[test]
fn a_cluster_knows_who_holds_a_token() {
    let platform = Platform::start();
    let mut stages = Stages::new();
    platform
        .cloud(&["vpc", "create", "--name", "lab", "--cidr", "10.20.0.0/16"])
        .ok();
    let words = ["--instance-type", "u1.small", "--disk", "4Gi"];
    let cluster = Cluster::create(&platform, "dev", "lab", 1, &words);
    let people = People::invite(&platform, &cluster);
    stages.run("each is who the table says, in exactly these groups", || {
        people.each_is_who_the_table_says();
    });
    stages.run("a token somebody bent, made or outlived is refused", || {
        identity::refused::forgeries(&people);
        identity::refused::outlived(&people);
    });
    stages.run(
        "a token for another cluster, or of another tenant, is refused",
        || {
            identity::refused::of_others(&people, &platform);
        },
    );
    let grantee = identity::grants::stranger(&people, &platform);
    stages.run("a grant in a namespace is its rules and nothing more", || {
        identity::grants::viewer_of_one_namespace(&people, &grantee);
    });
    stages.run("what binds a grant is guarded and put right", || {
        identity::grants::kept(&people)
    });
    stages.run("a grant everywhere stops at what is the platform's", || {
        identity::grants::admin_everywhere(&people, &grantee);
    });
    let mut used = String::new();
    stages.run("a grant that is taken is gone", || {
        used = identity::grants::revoked(&people, &grantee);
    });
    stages.run(
        "what is revoked is refused: at once where it is new, within the cache's time where it is not",
        || {
            identity::refused::revoked(&people);
            identity::grants::forgotten(&people, &used);
        },
    );
    stages.run(
        "with cloudd dead tokens are good, also for an edge that was killed",
        || {
            identity::alone::without_cloudd(&people, &platform);
        },
    );
    stages.run(
        "with the edge hung certificates are good and the cluster works",
        || {
            identity::alone::without_the_edge(&people, &platform);
        },
    );
    stages.run("no key of the edge is on a disk", || {
        identity::alone::no_key_on_disk(&platform)
    });
    platform.finish();
    stages.end();
}
