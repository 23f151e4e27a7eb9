//! What must not work, and what must not be found.

use std::{fs, path::Path};

use e2e::{Caller, Platform};
use serde_json::{Value, json};

use super::{
    browser::Browser,
    dex::{CLIENT_SECRET, Dex},
    person::Person,
};

fn begun(platform: &Platform) -> Value {
    let request = json!({"provider": "corp", "flow": "browser", "redirectPort": 9});
    Caller::nobody(platform).call("POST", "/v1/login/oidc:begin", &request)
}

fn parameter<'a>(url: &'a str, name: &str) -> &'a str {
    let query = url.split_once('?').expect("a query").1;
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.into_iter().find(|(one, _)| *one == name).expect(name).1
}

/// The request that completes a login, as the browser came back.
fn answer(login: &Value, back: &str) -> Value {
    json!({"login": login["login"], "state": parameter(back, "state"), "code": parameter(back, "code")})
}

#[track_caller]
fn refused(platform: &Platform, request: &Value) {
    let (status, told) = Caller::nobody(platform).try_call("POST", "/v1/login/oidc:complete", request);
    assert_eq!(
        (status, told["code"].as_str()),
        (401, Some("login-refused")),
        "{told}"
    );
}

pub fn replayed(platform: &Platform) {
    let ana = Browser::of("ana-1", "ana@acme.example", "developers");
    let nobody = Caller::nobody(platform);
    let first = begun(platform);
    let back = ana.until_sent_back(first["authorizationUrl"].as_str().expect("an address"));
    let request = answer(&first, &back);
    let done = nobody.call("POST", "/v1/login/oidc:complete", &request);
    assert!(done["tokens"]["accessToken"].is_string(), "{done}");
    refused(platform, &request);

    // Somebody who sees where the browser goes, and not what the login was begun with.
    let (own, other) = (begun(platform), begun(platform));
    let back = ana.until_sent_back(own["authorizationUrl"].as_str().expect("an address"));
    let mut robbed = answer(&own, &back);
    robbed["login"] = json!("pcl_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    refused(platform, &robbed);
    // A code of one login in another, with that one's state: the provider asks for the verifier that belongs to it.
    let mut swapped = answer(&other, &back);
    swapped["state"] = other["state"].clone();
    refused(platform, &swapped);
    // A wrong state ends the login, so that it cannot be searched for.
    let mut guessed = answer(&own, &back);
    guessed["state"] = json!("guessed");
    refused(platform, &guessed);
    refused(platform, &answer(&own, &back));
    // Neither is a browser's login one of a device.
    refused(platform, &json!({"login": begun(platform)["login"]}));
}

pub fn addresses(platform: &Platform) {
    let refused_as = |name: &str, subject: &str, email: &str, code: &str| {
        let browser = Browser::of(subject, email, "developers,owners");
        Person::new(platform, name).is_refused_in_browser(&browser, &[], code);
    };
    refused_as("mallory", "mallory-1", "mallory@other.example", "login-address");
    refused_as("mallory", "mallory-1", "admin@platform.local", "login-address");
    // Ana's address in the hands of somebody else at the provider.
    refused_as("mallory", "mallory-1", "ana@acme.example", "login-refused");
    // A person the platform knows by a password is the same person, where the provider answers for the address.
    let invite = json!({"email": "dora@acme.example", "role": "project_viewer"});
    let invited = Caller::root(platform).call("POST", "/v1/projects/shop/members", &invite);
    let taken = json!({"code": invited["code"], "password": crate::PASSWORD});
    let pair = Caller::nobody(platform).call("POST", "/v1/invitations:accept", &taken);
    let token = pair["accessToken"].as_str().expect("a token");
    let id = |token: &str| {
        Caller::nobody(platform)
            .with(token)
            .call("GET", "/v1/whoami", &Value::Null)["id"]
            .clone()
    };
    let dora = Person::new(platform, "dora");
    dora.logs_in(&Browser::of("dora-1", "Dora@acme.example", "readers"), &[]);
    assert_eq!(id(&dora.access_token()), id(token));
    refused_as("mallory", "mallory-2", "dora@acme.example", "login-refused");
}

/// Nothing of the provider's is on the platform's disk: its tokens, the client's secret, codes.
pub fn secrets(platform: &Platform, dex: &Dex) {
    let mut found = Vec::new();
    look(&platform.state(), dex, &mut found);
    look(&platform.dir().join("log"), dex, &mut found);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn look(dir: &Path, dex: &Dex, found: &mut Vec<String>) {
    // How every token begins that this provider signs: {"alg":"RS256"
    const SIGNED_BY_DEX: &[u8] = b"eyJhbGciOiJSUzI1NiIs";
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            look(&path, dex, found);
        } else if let Ok(content) = fs::read(&path) {
            for secret in [CLIENT_SECRET.as_bytes(), SIGNED_BY_DEX] {
                if content.windows(secret.len()).any(|window| window == secret) {
                    let secret = String::from_utf8_lossy(secret);
                    found.push(format!("{secret} of {} in {}", dex.issuer(), path.display()));
                }
            }
        }
    }
}
