//! What opens a tunnel, and all that looks like it.

use std::{fs, process::Command, time::Duration};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use e2e::{Ended, Platform, eventually, run_with_input};
use iam::{
    keys::{KeyRing, SigningKey},
    ticket,
    token::{Claims, mint},
};
use ports::{Store, Vault, vault::SecretRef};
use rustix::process::Signal;
use serde_json::{Value, json};
use store::SqliteStore;
use types::{Timestamp, tenant::Role};
use vault::{KeySource, KeyVault};

use super::{Workers, guests::Guests};

const CALL: Duration = Duration::from_secs(30);

/// Through the tunnel to an sshd, which says what it is; nothing is said to it but one line.
pub fn passes(platform: &Platform, way: &Value) -> Ended {
    let file = platform.dir().join("way.json");
    fs::write(&file, way.to_string()).expect("writable");
    let mut proxy = Command::new(&platform.programs().cloud);
    proxy.args(["ssh-proxy", "--way"]).arg(&file);
    run_with_input(&mut proxy, "not ssh\r\n", CALL)
}

fn with_ticket(way: &Value, ticket: &str) -> Value {
    let mut other = way.clone();
    other["tunnel"]["ticket"] = json!(ticket);
    other
}

/// The key the platform signs with now.
fn ring(platform: &Platform) -> KeyRing {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let path = platform.state().join("auth/master.key");
        let vault = KeyVault::open(KeySource::File { path }, true)
            .await
            .expect("the keys");
        let store = SqliteStore::open(platform.state().join("platform.db"))
            .await
            .expect("the store");
        let at = SecretRef::new("platform", "signing-keys");
        let sealed = store.secret(&at).await.expect("read").expect("there");
        let ring = KeyRing::from_secret(&vault.open(&at, &sealed).expect("it opens")).expect("a ring");
        store.close().await;
        ring
    })
}

pub fn refused(platform: &Platform, guests: &Guests, workers: &Workers) {
    let way = guests.admin.way(&workers.first_id);
    let banner = passes(platform, &way);
    assert!(banner.stdout.starts_with("SSH-2.0-"), "{}", banner.told());
    let ticket = way["tunnel"]["ticket"].as_str().expect("a ticket").to_owned();
    let (message, signature) = ticket.rsplit_once('.').expect("a signature");
    let claims = message.split('.').nth(1).expect("claims");
    let claims: Claims =
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).expect("base 64")).expect("claims of ours");
    let ring = ring(platform);
    let now = Timestamp(claims.iat.0);
    let signed = |claims: &Claims| {
        let token = mint(ring.signer(now), claims).expect("signed");
        token.expose_str().expect("text").to_owned()
    };
    // The key is the right one: what follows is refused for what it says.
    let again = passes(platform, &with_ticket(&way, &signed(&claims)));
    assert!(again.stdout.starts_with("SSH-2.0-"), "{}", again.told());
    let forger = SigningKey::generate().expect("a key");
    let forged = mint(&forger, &claims).expect("signed");
    let mut ended = claims.clone();
    ended.iat = Timestamp(claims.iat.0 - 2 * ticket::LIFE_S);
    ended.exp = Timestamp(claims.iat.0 - ticket::LIFE_S);
    let mut lower = claims.clone();
    lower.roles = vec![Role::ProjectMember];
    let mut other = way.clone();
    other["instance"] = json!(workers.second_id);
    let cases = [
        ("none", with_ticket(&way, "")),
        ("nonsense", with_ticket(&way, "nonsense")),
        ("forged", with_ticket(&way, forged.expose_str().expect("text"))),
        ("unsigned", with_ticket(&way, &format!("{message}."))),
        (
            "cut",
            with_ticket(&way, &format!("{message}.{}", &signature[1..])),
        ),
        ("ended", with_ticket(&way, &signed(&ended))),
        ("of a member", with_ticket(&way, &signed(&lower))),
        ("for another instance", other),
    ];
    for (what, way) in cases {
        let ended = passes(platform, &way);
        assert!(
            ended.stdout.is_empty() && ended.stderr.contains("ticket-refused"),
            "{what}: {}",
            ended.told()
        );
    }
}

/// A ticket is good for its time whoever is away, and the edge knows that after it died, too.
pub fn without_cloudd(platform: &Platform, guests: &Guests, workers: &Workers) {
    let way = guests.admin.way(&workers.first_id);
    let held = platform.without_cloudd();
    let banner = passes(platform, &way);
    assert!(banner.stdout.starts_with("SSH-2.0-"), "{}", banner.told());
    let edge = platform.process("edge");
    edge.signal(Signal::KILL);
    eventually("the edge is there again and takes the ticket", CALL, || {
        if platform.process("edge").pid == edge.pid {
            return Err("the old one".to_owned());
        }
        let ended = passes(platform, &way);
        if ended.stdout.starts_with("SSH-2.0-") {
            Ok(())
        } else {
            Err(ended.told())
        }
    });
    drop(held);
    platform.wait_until_healthy();
}
