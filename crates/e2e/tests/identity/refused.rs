//! Tokens that are none.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use e2e::{Caller, Platform, eventually};
use iam::{
    keys::SigningKey,
    token::{Claims, mint},
};
use serde_json::{Value, json};
use types::tenant::Role;

use super::people::{PASSWORD, PROJECT, People};

/// The edge is told at once; a busy machine gets its chance.
const SOON: Duration = Duration::from_secs(20);
/// The apiserver's cache and a little more.
const CACHED: Duration = Duration::from_secs(150);

fn part(token: &str, number: usize) -> Value {
    let part = token.split('.').nth(number).expect("three parts");
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).expect("base 64")).expect("JSON")
}

fn written(part: &Value) -> String {
    URL_SAFE_NO_PAD.encode(part.to_string())
}

pub fn forgeries(people: &People<'_>) {
    let good = people.viewers_token();
    people.whoami(good).expect("it is good as it is");
    let (header, claims) = (part(good, 0), part(good, 1));
    let (message, signature) = good.rsplit_once('.').expect("a signature");
    let mut raised = claims.clone();
    raised["roles"] = json!(["platform_admin"]);
    let mut none = header.clone();
    none["alg"] = json!("none");
    let mut symmetric = header.clone();
    symmetric["alg"] = json!("HS256");
    let mut own: Claims = serde_json::from_value(claims.clone()).expect("claims of ours");
    own.roles = vec![Role::PlatformAdmin];
    let strangers = mint(&SigningKey::generate().expect("a key"), &own).expect("signed");
    let cases = [
        ("nonsense", "nonsense".to_owned()),
        ("another's key", strangers.expose_str().expect("text").to_owned()),
        (
            "raised",
            format!("{}.{}.{signature}", written(&header), written(&raised)),
        ),
        ("alg none", format!("{}.{}.", written(&none), written(&raised))),
        (
            "alg none with the signature",
            format!("{}.{}.{signature}", written(&none), written(&claims)),
        ),
        (
            "HS256",
            format!("{}.{}.{signature}", written(&symmetric), written(&raised)),
        ),
        ("unsigned", format!("{message}.")),
        ("cut", good[..good.len() - 1].to_owned()),
    ];
    for (what, token) in cases {
        people
            .is_refused(&token)
            .unwrap_or_else(|seen| panic!("{what}: {seen}"));
    }
}

/// Never shown to the cluster while it was good: what it knows it remembers for two minutes.
pub fn outlived(people: &People<'_>) {
    let fresh = people.account_token("ci", 60);
    let token = fresh["token"].as_str().expect("a token");
    let holder = people.root.with(token);
    eventually(
        "a token of a minute ends",
        Duration::from_secs(90),
        || match holder.try_call("GET", "/v1/whoami", &Value::Null) {
            (401, _) => Ok(()),
            (status, answer) => Err(format!("{status} {answer}")),
        },
    );
    people.is_refused(token).expect("its time is over");
}

pub fn of_others(people: &People<'_>, platform: &Platform) {
    let words = [
        "k8s",
        "create",
        "--name",
        "other",
        "--vpc",
        "lab",
        "--workers",
        "1",
        "--no-wait",
    ];
    platform.cloud(&words).ok();
    let others = people.cluster_token(people.viewers_token(), "other");
    people.is_refused(&others).expect("it is for another cluster");
    platform.cloud(&["k8s", "delete", "other"]).ok();

    people.root.call("POST", "/v1/orgs", &json!({"name": "rival"}));
    people
        .root
        .call("POST", "/v1/orgs/rival/projects", &json!({"name": "shop"}));
    let asked = json!({"email": "eve@rival.example", "role": "org_admin"});
    let invited = people.root.call("POST", "/v1/orgs/rival/members", &asked);
    let taken = json!({"code": invited["code"], "password": PASSWORD});
    let eve = Caller::nobody(platform).call("POST", "/v1/invitations:accept", &taken);
    let eve = eve["accessToken"].as_str().expect("a token").to_owned();
    people.root.with(&eve).call("GET", "/v1/whoami", &Value::Null);
    people
        .is_refused(&eve)
        .expect("her organisation has nothing here");
}

pub fn revoked(people: &People<'_>) {
    let (used, unused) = (people.account_token("ci", 3600), people.account_token("ci", 3600));
    let text = |fresh: &Value| fresh["token"].as_str().expect("a token").to_owned();
    people.whoami(&text(&used)).expect("it is good");
    for fresh in [&used, &unused] {
        let id = fresh["id"].as_str().expect("an id");
        people.root.call(
            "DELETE",
            &format!("/v1/projects/{PROJECT}/tokens/{id}"),
            &Value::Null,
        );
    }
    eventually("one the cluster has not seen is refused", SOON, || {
        people.is_refused(&text(&unused))
    });
    eventually("one it remembers is refused", CACHED, || {
        people.is_refused(&text(&used))
    });
}
