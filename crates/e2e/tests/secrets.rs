//! What is sealed and what is recorded, on a real platform without clusters: somebody with the database in their hands, and
//! a master key replaced while the platform is killed again and again.

#[path = "secrets/audit.rs"]
mod audit;
#[path = "secrets/rotation.rs"]
mod rotation;
#[path = "secrets/tenant.rs"]
mod tenant;

use e2e::{Platform, Stages};

#[test]
fn secrets_and_their_record() {
    let platform = Platform::start();
    let mut stages = Stages::new();
    stages.run(
        "what is done is recorded, and a hand in the database is told",
        || audit::tampering(&platform),
    );
    stages.run("a tenant's secret is sealed, and nowhere in clear", || {
        tenant::kept(&platform)
    });
    stages.run("the master key is replaced, killed on the way", || {
        rotation::killed(&platform)
    });
    stages.run("the master key comes from the environment", || {
        rotation::elsewhere(&platform)
    });
    stages.run(
        "a tenant's secret is as it was, and goes when it is told to",
        || {
            tenant::gone(&platform);
        },
    );
    platform.finish();
    stages.end();
}
