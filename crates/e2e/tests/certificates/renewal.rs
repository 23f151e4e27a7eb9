//! Certificates whose end is near. Nobody waits for a year: with `cloudd` away, what is sealed is made to end soon.

use std::{
    process::Command,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use cluster::{
    material::{ClusterMaterial, SECRET_NAME, from_secret, to_secret},
    pki::{LeafRequest, Names},
};
use e2e::{Cluster, Platform, eventually, run};
use iam::pki::Facts;
use ports::{
    Store, Vault,
    store::{Batch, Write},
    vault::SecretRef,
};
use store::SqliteStore;
use types::Timestamp;
use vault::{KeySource, KeyVault};

const SOON: Duration = Duration::from_secs(30);
/// An apiserver looks at its files every minute, and a busy machine gets its chance.
const READ_AGAIN: Duration = Duration::from_secs(240);
const HUNDRED_DAYS: i64 = 100 * 86_400;

/// What the cluster's API shows now.
fn shown(platform: &Platform, cluster: &Cluster<'_>) -> Result<Facts, String> {
    let config = cluster.kubectl(&["config", "view", "--raw", "-o", "json"]).json();
    let name = config["clusters"][0]["cluster"]["tls-server-name"]
        .as_str()
        .expect("a name")
        .to_owned();
    let mut ask = Command::new("openssl");
    ask.args([
        "s_client",
        "-connect",
        &platform.endpoint().to_string(),
        "-servername",
        &name,
    ]);
    let said = run(&mut ask, SOON).stdout;
    let at = said.find("-----BEGIN").ok_or_else(|| said.clone())?;
    Facts::of(&said[at..]).map_err(|error| error.to_string())
}

/// When its apiserver was started.
fn started(cluster: &Cluster<'_>) -> Result<String, String> {
    let figures = cluster.kubectl(&["get", "--raw", "/metrics"]).try_ok()?;
    let line = figures
        .lines()
        .find(|line| line.starts_with("process_start_time_seconds "));
    line.map(str::to_owned).ok_or_else(|| "not told".to_owned())
}

pub fn in_place(platform: &Platform, cluster: &Cluster<'_>) {
    let (before, since) = (shown(platform, cluster).unwrap(), started(cluster).unwrap());
    let id = platform
        .cloud(&["k8s", "get", cluster.name(), "-o", "json"])
        .json();
    let id = id["cluster"]["id"].as_str().expect("an id").to_owned();
    let held = platform.without_cloudd();
    tokio::runtime::Runtime::new()
        .expect("a runtime")
        .block_on(shorten(platform, &id, &before));
    drop(held);
    platform.wait_until_healthy();
    let after = eventually("the API shows a new certificate", READ_AGAIN, || {
        let now = shown(platform, cluster)?;
        if now.serial == before.serial {
            return Err(format!("{now:?}"));
        }
        Ok(now)
    });
    assert!(after.not_after.0 >= before.not_after.0, "a whole year: {after:?}");
    assert_eq!(after.issuer, before.issuer);
    assert_eq!(started(cluster).unwrap(), since, "and it runs on");
}

async fn shorten(platform: &Platform, id: &str, now: &Facts) {
    let path = platform.state().join("auth/master.key");
    let vault = KeyVault::open(KeySource::File { path }, true)
        .await
        .expect("the keys");
    let store = SqliteStore::open(platform.state().join("platform.db"))
        .await
        .expect("the store");
    let at = SecretRef::new(id, SECRET_NAME);
    let sealed = store.secret(&at).await.expect("a store").expect("the cluster's");
    let mut material: ClusterMaterial =
        from_secret(&vault.open(&at, &sealed).expect("opens")).expect("material");
    let (addresses, dns) = now
        .names
        .iter()
        .partition::<Vec<_>, _>(|name| name.parse::<std::net::IpAddr>().is_ok());
    let names = Names {
        dns: dns.into_iter().cloned().collect(),
        addresses: addresses
            .into_iter()
            .flat_map(|address| address.parse())
            .collect(),
    };
    let request = LeafRequest::server("kube-apiserver", names).valid_seconds(HUNDRED_DAYS);
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_secs();
    let issued = material
        .ca
        .issue(&request, Timestamp(i64::try_from(since).expect("a small number")));
    material.control_plane.apiserver = issued.expect("a certificate");
    let sealed = vault.seal(&at, &to_secret(&material)).expect("sealed");
    let writes = vec![Write::PutSecret { at, sealed }];
    store
        .commit(Batch { fence: None, writes })
        .await
        .expect("written");
}
