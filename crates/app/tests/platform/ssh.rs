//! From asking for SSH to what the worker's sshd and the edge decide by.

use app::{default_org, default_project};
use cluster::ssh::{PublicKey, SshKey};
use iam::{review::Refusal, ticket::LIFE_S, token::TokenError};
use ports::Clock;
use types::{
    Secret,
    machine::Machine,
    tenant::{Place, Role},
};

use crate::{
    harness::Host,
    scene::{file, publish, started},
};

fn public() -> PublicKey {
    PublicKey::parse(&SshKey::generate("").unwrap().public_openssh).unwrap()
}

/// What the edge decides about a ticket for that instance.
fn shown(host: &Host, instance: &Machine, ticket: &Secret) -> Result<String, Refusal> {
    let config = host.world.edge().config().expect("it was told");
    let network = config.networks.iter().find(|n| n.id == instance.network).unwrap();
    let known = network
        .instances
        .iter()
        .find(|i| i.id == instance.id)
        .expect("an instance");
    assert_eq!(known.address, instance.address);
    let snapshot = &config.identity.as_ref().expect("certificates").snapshot;
    let ticket = ticket.expose_str().unwrap();
    snapshot
        .ticket(
            &network.id,
            &known.cluster,
            &instance.id,
            ticket,
            host.clock.now(),
        )
        .map(|claims| claims.email)
}

#[tokio::test]
async fn a_certificate_fits_the_worker_it_was_made_for() {
    let host = Host::new();
    let life = started(&host, &["dev"]).await;
    let root = life.tenants.root().await.unwrap();
    let worker = life
        .ops
        .list_instances(&default_project())
        .await
        .unwrap()
        .remove(0);
    let pass = life
        .ops
        .ssh(&root, &default_project(), &worker.hostname, &public())
        .await
        .unwrap();
    let certificate = ssh_key::Certificate::from_openssh(&pass.certificate).unwrap();
    let principals = file(&host, &worker.id, "/etc/ssh/plasmacloud_principals/root");
    assert_eq!(certificate.valid_principals(), [principals.trim()]);
    let authority = file(&host, &worker.id, "/etc/ssh/plasmacloud_authority.pub");
    let authority = ssh_key::PublicKey::from_openssh(&authority).unwrap();
    assert_eq!(certificate.signature_key(), authority.key_data());
    assert!(
        certificate.key_id().starts_with(&root.name),
        "{}",
        certificate.key_id()
    );
    assert_eq!(
        file(&host, &worker.id, "/etc/ssh/ssh_host_ed25519_key.pub").trim(),
        pass.host_key
    );
    let machines = app::records::children::<Machine>(&host.store, worker.cluster.as_str()).await;
    let plane = machines
        .unwrap()
        .into_iter()
        .map(|m| m.value)
        .find(|m| !m.is_worker())
        .unwrap();
    let fault = life
        .ops
        .ssh(&root, &default_project(), plane.id.as_str(), &public())
        .await;
    assert_eq!(fault.unwrap_err().code, "instance-not-found");
}

#[tokio::test]
async fn a_ticket_ends_with_its_time_and_with_its_holders_roles() {
    let host = Host::new();
    let life = started(&host, &["dev"]).await;
    let worker = life
        .ops
        .list_instances(&default_project())
        .await
        .unwrap()
        .remove(0);
    let root = life.tenants.root().await.unwrap();
    let place = Place::Project(default_org(), default_project());
    let email = "ana@acme.example".parse().unwrap();
    let invited = life
        .tenants
        .invite(&root, place.clone(), Role::ProjectAdmin, email)
        .await
        .unwrap();
    let password = Secret::new("correct horse battery staple");
    let pair = life.tenants.take_up(&invited.code, &password).await.unwrap();
    publish(&life).await;
    let ana = life.tenants.authenticate(&pair.access).await.unwrap();
    let ticket = async || {
        let fresh = life
            .tenants
            .ssh_ticket(&ana, &default_project(), &worker.id)
            .await;
        fresh.unwrap().token
    };
    let first = ticket().await;
    assert_eq!(shown(&host, &worker, &first).as_deref(), Ok("ana@acme.example"));
    life.advance(LIFE_S as u64 * 1000);
    assert_eq!(
        shown(&host, &worker, &first),
        Err(Refusal::Token(TokenError::Expired))
    );
    let second = ticket().await;
    assert!(shown(&host, &worker, &second).is_ok());
    life.tenants
        .remove_member(&place, "ana@acme.example")
        .await
        .unwrap();
    publish(&life).await;
    assert_eq!(shown(&host, &worker, &second), Err(Refusal::Withdrawn));
}
