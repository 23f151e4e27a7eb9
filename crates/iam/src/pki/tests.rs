//! The tree as the peers that check it see it: rustls' own verifiers.

use std::{net::Ipv4Addr, sync::Arc, time::Duration};

use rustls::{
    RootCertStore,
    client::{WebPkiServerVerifier, danger::ServerCertVerifier},
    pki_types::{CertificateDer, CertificateRevocationListDer, ServerName, UnixTime, pem::PemObject},
    server::WebPkiClientVerifier,
};

use super::*;
use crate::pki::{AuthorityKind, Stage, cluster_of, not_after, serial_of};

const NOW: Timestamp = Timestamp(1_800_000_000);
const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 20, 0, 2));

fn certs(pem: &str) -> Vec<CertificateDer<'static>> {
    CertificateDer::pem_slice_iter(pem.as_bytes())
        .collect::<Result<_, _>>()
        .unwrap()
}

fn anchors(pem: &str) -> Arc<RootCertStore> {
    let mut store = RootCertStore::empty();
    for cert in certs(pem) {
        store.add(cert).unwrap();
    }
    Arc::new(store)
}

fn moment(at: Timestamp) -> UnixTime {
    UnixTime::since_unix_epoch(Duration::from_secs(u64::try_from(at.0).unwrap()))
}

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}

/// As a service checks its clients.
fn client_passes(pki: &PlatformPki, shown: &Issued, now: Timestamp) -> bool {
    let lists = pki
        .crl()
        .iter()
        .map(|pem| CertificateRevocationListDer::from_pem_slice(pem.as_bytes()).unwrap());
    let verifier = WebPkiClientVerifier::builder_with_provider(anchors(&pki.services_pem()), provider())
        .with_crls(lists)
        .build()
        .unwrap();
    let chain = certs(&shown.chain_pem);
    verifier
        .verify_client_cert(&chain[0], &chain[1..], moment(now))
        .is_ok()
}

/// As a client checks a service.
fn server_passes(roots: &str, shown: &Issued, name: &str, now: Timestamp) -> bool {
    let verifier = WebPkiServerVerifier::builder_with_provider(anchors(roots), provider())
        .build()
        .unwrap();
    let chain = certs(&shown.chain_pem);
    let name = ServerName::try_from(name.to_owned()).unwrap();
    verifier
        .verify_server_cert(&chain[0], &chain[1..], &name, &[], moment(now))
        .is_ok()
}

#[test]
fn a_server_is_known_by_its_names_and_by_the_root_alone() {
    let pki = PlatformPki::new(NOW).unwrap();
    let server = pki.issue_server(&["iam-server"], &[ADDRESS], NOW).unwrap();
    let roots = pki.roots_pem();
    assert!(server_passes(&roots, &server, "iam-server", NOW));
    assert!(server_passes(&roots, &server, "10.20.0.2", NOW));
    assert!(!server_passes(&roots, &server, "elsewhere", NOW));
    assert!(!server_passes(
        &roots,
        &server,
        "iam-server",
        server.not_after.plus(1)
    ));
    let stranger = PlatformPki::new(NOW).unwrap();
    assert!(!server_passes(&stranger.roots_pem(), &server, "iam-server", NOW));
    assert!(!client_passes(&pki, &server, NOW), "a server's is no client's");
    assert_eq!(cluster_of(&certs(&server.chain_pem)[0]), None);
}

#[test]
fn a_client_is_a_cluster_until_it_is_revoked() {
    let mut pki = PlatformPki::new(NOW).unwrap();
    let cluster = ClusterId::generate();
    let (client, other) = (
        pki.issue_client(&cluster, NOW).unwrap(),
        pki.issue_client(&cluster, NOW).unwrap(),
    );
    assert_eq!(cluster_of(&certs(&client.chain_pem)[0]), Some(cluster));
    assert_eq!(not_after(&client.chain_pem).unwrap(), client.not_after);
    assert_eq!(serial_of(&client.chain_pem).unwrap(), client.serial);
    assert!(client_passes(&pki, &client, NOW));
    assert!(!server_passes(&pki.roots_pem(), &client, "iam-server", NOW));
    assert!(pki.revoke(&client.serial, NOW).unwrap());
    assert!(!pki.revoke(&client.serial, NOW).unwrap());
    assert!(!client_passes(&pki, &client, NOW));
    assert!(client_passes(&pki, &other, NOW));
    assert!(!client_passes(&PlatformPki::new(NOW).unwrap(), &other, NOW));
}

#[test]
fn an_authority_follows_another_and_nobody_is_cut_off() {
    let mut pki = PlatformPki::new(NOW).unwrap();
    let cluster = ClusterId::generate();
    let (client, revoked) = (
        pki.issue_client(&cluster, NOW).unwrap(),
        pki.issue_client(&cluster, NOW).unwrap(),
    );
    let known = pki.roots_pem();
    pki.revoke(&revoked.serial, NOW).unwrap();
    assert!(pki.begin(Level::Services, NOW).unwrap());
    assert!(!pki.begin(Level::Root, NOW).unwrap(), "one at a time");
    let between = pki.issue_client(&cluster, NOW).unwrap();
    assert!(pki.signed(&between.chain_pem) && pki.signed(&client.chain_pem));
    assert_eq!(certs(&pki.services_pem()).len(), 2, "trusted before it signs");
    assert_eq!(pki.crl().len(), 2);
    pki.advance(NOW).unwrap();
    assert!(!pki.signed(&between.chain_pem), "to be replaced");
    assert!(client_passes(&pki, &client, NOW), "of the authority before");
    assert!(!client_passes(&pki, &revoked, NOW));
    let replaced = pki.issue_client(&cluster, NOW).unwrap();
    assert!(client_passes(&pki, &replaced, NOW));
    let server = pki.issue_server(&["iam-server"], &[], NOW).unwrap();
    assert!(
        server_passes(&known, &server, "iam-server", NOW),
        "by a client that knows the root only"
    );
    pki.advance(NOW).unwrap();
    assert_eq!(pki.rotation().unwrap().stage, Stage::Retire);
    pki.advance(NOW).unwrap();
    assert!(pki.rotation().is_none());
    assert!(client_passes(&pki, &replaced, NOW) && !client_passes(&pki, &client, NOW));
    assert_eq!(pki.roots_pem(), known, "the root is the same");
}

#[test]
fn a_root_follows_another_and_who_missed_it_is_led_over() {
    let mut pki = PlatformPki::new(NOW).unwrap();
    let cluster = ClusterId::generate();
    let old = pki.roots_pem();
    let client = pki.issue_client(&cluster, NOW).unwrap();
    let before = pki.issue_server(&["iam-server"], &[], NOW).unwrap();
    pki.begin(Level::Root, NOW).unwrap();
    let both = pki.roots_pem();
    assert_eq!(certs(&both).len(), 2);
    assert!(server_passes(&both, &before, "iam-server", NOW));
    pki.advance(NOW).unwrap();
    assert_eq!(certs(&pki.roots_pem()).len(), 2, "both until the end");
    let server = pki.issue_server(&["iam-server"], &[], NOW).unwrap();
    pki.advance(NOW).unwrap();
    let new = pki.roots_pem();
    pki.advance(NOW).unwrap();
    assert_eq!(pki.roots_pem(), new);
    assert_eq!(certs(&new).len(), 1);
    assert!(both.contains(&new) && !old.contains(&new));
    for roots in [&new, &both, &old] {
        assert!(server_passes(roots, &server, "iam-server", NOW));
    }
    assert!(
        !server_passes(&new, &before, "iam-server", NOW),
        "the old root is out"
    );
    assert!(!client_passes(&pki, &client, NOW));
    let kept = pki.authorities().unwrap();
    assert_eq!(
        kept.iter().map(|kept| kept.kind).collect::<Vec<_>>(),
        [AuthorityKind::Root, AuthorityKind::Services, AuthorityKind::Cross]
    );
    // What signs next knows nothing of the old root.
    pki.begin(Level::Services, NOW).unwrap();
    for _ in 0..3 {
        pki.advance(NOW).unwrap();
    }
    let server = pki.issue_server(&["iam-server"], &[], NOW).unwrap();
    assert!(server_passes(&new, &server, "iam-server", NOW));
    assert!(!server_passes(&old, &server, "iam-server", NOW));
}

#[test]
fn what_nears_its_end_is_renewed() {
    let mut pki = PlatformPki::new(NOW).unwrap();
    assert!(!pki.renew(NOW).unwrap(), "nothing is due");
    let list = pki.crl().to_vec();
    assert!(
        pki.renew(NOW.plus(4 * DAY)).unwrap(),
        "a list is signed anew before it ends"
    );
    assert_ne!(pki.crl(), list);
    pki.revoke("40aa", NOW).unwrap();
    let later = NOW.plus(SERVICES_DAYS * DAY * 2 / 3 + DAY);
    assert!(pki.renew(later).unwrap());
    let rotation = pki.rotation().unwrap();
    assert_eq!((rotation.level, rotation.stage), (Level::Services, Stage::Trust));
    assert_eq!(certs(&pki.services_pem()).len(), 2);
    assert!(pki.revoked.is_empty());
    assert!(!pki.renew(later).unwrap(), "begun once");
    let sealed = PlatformPki::from_secret(&pki.to_secret()).unwrap();
    assert_eq!(sealed, pki, "and gone on with in another life");
    let mut old = PlatformPki::new(NOW).unwrap();
    assert!(old.renew(NOW.plus(ROOT_DAYS * DAY * 2 / 3 + DAY)).unwrap());
    assert_eq!(
        old.rotation().unwrap().level,
        Level::Root,
        "the root takes the rest along"
    );
}

#[test]
fn what_was_sealed_comes_back_and_nothing_else_is_taken() {
    let pki = PlatformPki::new(NOW).unwrap();
    assert_eq!(PlatformPki::from_secret(&pki.to_secret()).unwrap(), pki);
    for bad in [
        "",
        "{}",
        r#"{"roots":[],"services":[],"revoked":{},"lists":[],"listed":0}"#,
    ] {
        assert!(PlatformPki::from_secret(&Secret::new(bad)).is_err(), "{bad}");
    }
    assert!(!format!("{pki:?}").contains("KEY"));
}
