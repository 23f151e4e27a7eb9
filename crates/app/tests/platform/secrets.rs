//! Secrets a project keeps, and public keys of people.

use app::default_project;
use cluster::ssh::{PublicKey, SshKey};
use ports::Store;
use types::{
    ProjectId, Secret,
    kept_secret::{LARGEST, MOST, VERSIONS},
};

use crate::{
    harness::{Host, Life},
    tenants::{acme, life},
};

async fn rows(host: &Host) -> usize {
    let all = host.store.secrets(None, 10_000).await.unwrap();
    all.iter().filter(|(at, _)| at.owner.starts_with("sec-")).count()
}

async fn value(life: &Life, project: &ProjectId, version: Option<u32>) -> Result<Secret, String> {
    let revealed = life.tenants.reveal_secret(project, "db", version).await;
    revealed
        .map(|revealed| revealed.value)
        .map_err(|fault| fault.code.into_owned())
}

#[tokio::test]
async fn versions_are_numbered_and_the_last_ten_are_kept() {
    let host = Host::new();
    let life = life(&host);
    let (root, project) = (life.tenants.root().await.unwrap(), default_project());
    let made = life
        .tenants
        .create_secret(&root, &project, "db".parse().unwrap(), Secret::new("value 1"))
        .await
        .unwrap();
    assert_eq!(made.newest().unwrap().number, 1);
    for n in 2..=VERSIONS as u32 + 3 {
        let value = Secret::new(format!("value {n}"));
        let updated = life
            .tenants
            .update_secret(&root, &project, "db", value)
            .await
            .unwrap();
        assert_eq!(updated.newest().unwrap().number, n);
    }
    assert_eq!(value(&life, &project, None).await, Ok(Secret::new("value 13")));
    assert_eq!(value(&life, &project, Some(4)).await, Ok(Secret::new("value 4")));
    for gone in [1, 2, 3, 14] {
        assert_eq!(
            value(&life, &project, Some(gone)).await,
            Err("secret-version-not-found".to_owned())
        );
    }
    assert_eq!(rows(&host).await, VERSIONS);
    life.tenants.delete_secret(&project, "db").await.unwrap();
    assert_eq!(rows(&host).await, 0);
    assert_eq!(
        value(&life, &project, None).await,
        Err("secret-not-found".to_owned())
    );
}

#[tokio::test]
async fn what_is_too_large_too_many_or_taken_is_refused() {
    let host = Host::new();
    let life = life(&host);
    let (root, project) = (life.tenants.root().await.unwrap(), default_project());
    let create = async |name: &str, bytes: usize| {
        let value = Secret::new(vec![b'x'; bytes]);
        let made = life
            .tenants
            .create_secret(&root, &project, name.parse().unwrap(), value)
            .await;
        made.map(|_| ()).map_err(|fault| fault.code.into_owned())
    };
    assert_eq!(create("largest", LARGEST).await, Ok(()));
    assert_eq!(
        create("larger", LARGEST + 1).await,
        Err("secret-too-large".to_owned())
    );
    assert_eq!(create("empty", 0).await, Err("secret-empty".to_owned()));
    assert_eq!(create("largest", 1).await, Err("name-taken".to_owned()));
    for n in 1..MOST {
        assert_eq!(create(&format!("s{n}"), 1).await, Ok(()));
    }
    assert_eq!(create("one-more", 1).await, Err("secrets-exhausted".to_owned()));
    assert_eq!(rows(&host).await, MOST);
}

#[tokio::test]
async fn a_secret_is_its_projects_own_and_keeps_it_from_being_deleted() {
    let host = Host::new();
    let life = life(&host);
    let root = life.tenants.root().await.unwrap();
    let shop = acme(&life).await;
    let kept = life
        .tenants
        .create_secret(&root, &shop.id, "db".parse().unwrap(), Secret::new("hunter2"))
        .await
        .unwrap();
    for reference in ["db", kept.id.as_str()] {
        let fault = life
            .tenants
            .reveal_secret(&default_project(), reference, None)
            .await
            .unwrap_err();
        assert_eq!(fault.code, "secret-not-found");
    }
    let fault = life.tenants.delete_project(&shop.id).await.unwrap_err();
    assert!(fault.cause.contains("the secret 'db'"), "{fault}");
    life.tenants.delete_secret(&shop.id, "db").await.unwrap();
    life.tenants.delete_project(&shop.id).await.unwrap();
}

#[tokio::test]
async fn keys_are_somebodys_own_and_known_once() {
    let host = Host::new();
    let life = life(&host);
    let root = life.tenants.root().await.unwrap();
    let mut other = root.clone();
    other.id = "user-0123456789abcdef".to_owned();
    let public = PublicKey::parse(&SshKey::generate("laptop").unwrap().public_openssh).unwrap();
    let name = || "laptop".parse().unwrap();
    let key = life.tenants.add_ssh_key(&root, name(), &public).await.unwrap();
    assert!(!key.public.contains("laptop"), "{}", key.public);
    let again = life
        .tenants
        .add_ssh_key(&root, "desk".parse().unwrap(), &public)
        .await;
    assert_eq!(again.unwrap_err().code, "ssh-key-known");
    assert_eq!(
        life.tenants.get_ssh_key(&other, "laptop").await.unwrap_err().code,
        "ssh-key-not-found"
    );
    life.tenants.add_ssh_key(&other, name(), &public).await.unwrap();
    let fault = life
        .tenants
        .delete_ssh_key(&other, key.id.as_str())
        .await
        .unwrap_err();
    assert_eq!(fault.code, "ssh-key-not-found");
    life.tenants
        .delete_ssh_key(&root, &key.fingerprint)
        .await
        .unwrap();
    assert!(life.tenants.list_ssh_keys(&root).await.unwrap().is_empty());
    assert_eq!(life.tenants.list_ssh_keys(&other).await.unwrap().len(), 1);
}
