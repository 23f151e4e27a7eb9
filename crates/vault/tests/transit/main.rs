//! The vault with its keys wrapped by a key service: a process of its own, over HTTP and over TLS. It keeps the contracts, and what goes wrong on the way is told.

mod service;

use std::{fs, path::PathBuf};

use ports::{
    Vault,
    conformance::{rotation, vault as sealing},
    vault::{Rotation, SecretRef},
};
use types::{Fault, FaultKind, Secret};
use vault::{KeySource, KeyVault, TransitOptions};

use crate::service::Service;

struct Site {
    dir: tempfile::TempDir,
    service: Service,
}

impl Site {
    fn start(tls: bool) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let service = Service::start(dir.path(), tls);
        fs::write(dir.path().join("token"), "good\n").unwrap();
        Self { dir, service }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn options(&self) -> TransitOptions {
        TransitOptions {
            address: self.service.address.clone(),
            mount: "transit".to_owned(),
            key: "plasmacloud".to_owned(),
            token_file: self.path("token"),
            ca_file: Some(self.path("ca.pem")),
        }
    }

    async fn open_with(&self, service: TransitOptions, expect_existing: bool) -> Result<KeyVault, Fault> {
        let path = self.path("master.key");
        KeyVault::open(KeySource::Transit { path, service }, expect_existing).await
    }

    async fn open(&self, file: &str, expect_existing: bool) -> KeyVault {
        let (path, service) = (self.path(file), self.options());
        KeyVault::open(KeySource::Transit { path, service }, expect_existing)
            .await
            .unwrap()
    }
}

impl rotation::Bench for Site {
    type Subject = KeyVault;

    async fn vault(&self) -> KeyVault {
        self.open("ours.key", false).await
    }

    async fn restarted(&self) -> KeyVault {
        self.open("ours.key", true).await
    }
}

impl sealing::Bench for Site {
    type Subject = KeyVault;

    async fn vault(&self) -> KeyVault {
        self.open("ours.key", false).await
    }

    async fn restarted(&self) -> KeyVault {
        self.open("ours.key", true).await
    }

    async fn neighbour(&self) -> KeyVault {
        self.open("theirs.key", false).await
    }
}

fn row() -> SecretRef {
    SecretRef::new("k8s-1", "ca")
}

fn told(outcome: Result<KeyVault, Fault>) -> (FaultKind, String) {
    let fault = outcome.expect_err("it is refused");
    assert!(!fault.cause.is_empty() && !fault.remedy.is_empty(), "{fault:?}");
    (fault.kind, fault.code.into_owned())
}

/// The service itself: run by `Service::start` as a process of its own, and nothing otherwise.
#[tokio::test]
async fn service_process() {
    service::serve_if_asked().await;
}

#[tokio::test]
async fn keeps_the_contracts() {
    sealing::suite(async || Site::start(false)).await;
    rotation::suite(async || Site::start(false)).await;
}

#[tokio::test]
async fn over_tls_only_the_named_authority_is_believed() {
    let site = Site::start(true);
    assert!(site.service.address.starts_with("https://"));
    let vault = site.open_with(site.options(), false).await.unwrap();
    let sealed = vault.seal(&row(), &Secret::new("hunter2")).unwrap();
    let again = site.open_with(site.options(), true).await.unwrap();
    assert_eq!(again.open(&row(), &sealed).unwrap().expose(), b"hunter2");

    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    fs::write(site.path("ca.pem"), other.cert.pem()).unwrap();
    let stranger = site.open_with(site.options(), true).await;
    assert_eq!(
        told(stranger),
        (FaultKind::Unavailable, "kms-unreachable".to_owned())
    );
    fs::write(site.path("ca.pem"), "nothing").unwrap();
    assert!(site.open_with(site.options(), true).await.is_err());
}

#[tokio::test]
async fn no_master_key_is_on_the_disk_and_the_service_may_be_away_between() {
    let mut site = Site::start(false);
    let vault = site.open_with(site.options(), false).await.unwrap();
    let file = fs::read_to_string(site.path("master.key")).unwrap();
    assert!(file.contains(" transit vault:v1:"), "{file}");
    let sealed = vault.seal(&row(), &Secret::new("hunter2")).unwrap();

    site.service.stop();
    vault.seal(&row(), &Secret::new("x")).unwrap();
    assert_eq!(vault.open(&row(), &sealed).unwrap().expose(), b"hunter2");
    let keys = vault.keys();
    let fault = vault.add_key().await.unwrap_err();
    assert_eq!(fault.code, "kms-unreachable");
    assert_eq!(vault.keys(), keys, "a key that could not be kept does not seal");
    assert_eq!(fs::read_to_string(site.path("master.key")).unwrap(), file);
    let restarted = site.open_with(site.options(), true).await;
    assert_eq!(
        told(restarted),
        (FaultKind::Unavailable, "kms-unreachable".to_owned())
    );
}

#[tokio::test]
async fn a_key_from_a_file_goes_over_to_the_service() {
    let site = Site::start(false);
    let path = site.path("master.key");
    let before = KeyVault::open(KeySource::File { path: path.clone() }, false)
        .await
        .unwrap();
    let sealed = before.seal(&row(), &Secret::new("hunter2")).unwrap();
    let vault = site.open_with(site.options(), true).await.unwrap();
    let plain = vault.keys().remove(0);
    vault.add_key().await.unwrap();
    let rewrapped = vault.rewrap(&row(), &sealed).unwrap().unwrap();
    vault.drop_key(&plain).await.unwrap();
    let file = fs::read_to_string(&path).unwrap();
    assert!(!file.contains("plain") && file.lines().count() == 1, "{file}");
    let after = site.open_with(site.options(), true).await.unwrap();
    assert_eq!(after.open(&row(), &rewrapped).unwrap().expose(), b"hunter2");
    let alone = KeyVault::open(KeySource::File { path }, true).await;
    assert_eq!(told(alone), (FaultKind::Refused, "vault-key-wrapped".to_owned()));
}

#[tokio::test]
async fn what_goes_wrong_is_told() {
    let site = Site::start(false);
    site.open_with(site.options(), false).await.unwrap();
    let ask = async |change: fn(&mut TransitOptions)| {
        let mut options = site.options();
        change(&mut options);
        told(site.open_with(options, true).await)
    };
    let refused = |code: &str| (FaultKind::Refused, code.to_owned());
    let invalid = |code: &str| (FaultKind::Invalid, code.to_owned());
    assert_eq!(ask(|o| o.key = "other".to_owned()).await, refused("kms-refused"));
    assert_eq!(ask(|o| o.mount = "kv".to_owned()).await, refused("kms-refused"));
    assert_eq!(
        ask(|o| o.key = "../sys/seal".to_owned()).await,
        invalid("kms-key-name")
    );
    assert_eq!(
        ask(|o| o.token_file = "/nonexistent".into()).await,
        refused("kms-token")
    );
    for address in [
        "http://10.0.0.1:8200",
        "ftp://localhost",
        "localhost:1",
        "",
        "https://localhost/v1",
    ] {
        let mut options = site.options();
        options.address = address.to_owned();
        let told = told(site.open_with(options, true).await);
        assert_eq!(told, invalid("kms-address"), "{address}");
    }
    fs::write(site.path("token"), "bad").unwrap();
    let fault = site.open_with(site.options(), true).await.unwrap_err();
    assert_eq!(fault.code, "kms-refused");
    assert!(
        fault.cause.contains("permission denied"),
        "its own words: {fault}"
    );
    fs::write(site.path("token"), "sealed").unwrap();
    assert_eq!(
        told(site.open_with(site.options(), true).await),
        (FaultKind::Unavailable, "kms-failing".to_owned())
    );
    fs::write(site.path("token"), "odd").unwrap();
    assert_eq!(
        told(site.open_with(site.options(), true).await),
        refused("kms-answer")
    );
    fs::write(site.path("token"), "good").unwrap();
    let file = fs::read_to_string(site.path("master.key")).unwrap();
    let (mark, rest) = file.split_once(' ').unwrap();
    fs::write(
        site.path("master.key"),
        format!("{} {rest}", "00".repeat(mark.len() / 2)),
    )
    .unwrap();
    assert_eq!(
        told(site.open_with(site.options(), true).await),
        refused("vault-key-damaged")
    );
}
