//! Forgeries, by their kind, and tokens bent at random.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::*;

const NOW: Timestamp = Timestamp(1_800_000_000);
const ISSUER: &str = "https://cloud.test";
const AUDIENCE: &str = "plasmacloud";

fn claims() -> Claims {
    Claims {
        iss: ISSUER.to_owned(),
        aud: AUDIENCE.to_owned(),
        sub: "user-0123456789abcdef".to_owned(),
        email: "ana@acme.example".to_owned(),
        org_id: Some("org-0123456789abcdef".parse().unwrap()),
        project_id: Some("proj-0123456789abcdef".parse().unwrap()),
        roles: vec![Role::ProjectMember],
        iat: NOW,
        exp: NOW.plus(600),
        jti: "tok-0123456789abcdef".parse().unwrap(),
    }
}

fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Signed well, whatever it says.
fn signed(key: &SigningKey, header: &Value, claims: &Value) -> String {
    let message = format!("{}.{}", b64(header.to_string()), b64(claims.to_string()));
    let signing = EncodingKey::from_ec_der(key.pkcs8());
    let signature = crypto::sign(message.as_bytes(), &signing, Algorithm::ES256).unwrap();
    format!("{message}.{signature}")
}

fn header(key: &SigningKey) -> Value {
    json!({"alg": "ES256", "kid": key.kid(), "typ": "JWT"})
}

fn minted(key: &SigningKey, claims: &Claims) -> String {
    mint(key, claims).unwrap().expose_str().unwrap().to_owned()
}

fn check(token: &str, keys: &KeySet) -> Result<Claims, TokenError> {
    verify(token, keys, ISSUER, &[AUDIENCE, "k8s:mine"], NOW)
}

#[test]
fn what_was_minted_is_verified_and_has_exactly_these_claims() {
    let key = SigningKey::generate().unwrap();
    let keys = KeySet(vec![SigningKey::generate().unwrap().public(), key.public()]);
    let token = minted(&key, &claims());
    assert_eq!(check(&token, &keys), Ok(claims()));
    let body: Value = serde_json::from_slice(&decode(token.split('.').nth(1).unwrap()).unwrap()).unwrap();
    let names: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "aud",
            "email",
            "exp",
            "iat",
            "iss",
            "jti",
            "org_id",
            "project_id",
            "roles",
            "sub"
        ]
    );
    assert_eq!(body["roles"], json!(["project_member"]));
}

#[test]
fn its_time_is_exact_at_the_end_and_a_little_wide_at_the_start() {
    let key = SigningKey::generate().unwrap();
    let keys = KeySet(vec![key.public()]);
    let token = minted(&key, &claims());
    let at = |now| verify(&token, &keys, ISSUER, &[AUDIENCE], now).map(|_| ());
    assert_eq!(at(NOW.plus(-5)), Ok(()));
    assert_eq!(at(NOW.plus(-6)), Err(TokenError::NotYet));
    assert_eq!(at(NOW.plus(599)), Ok(()));
    assert_eq!(at(NOW.plus(600)), Err(TokenError::Expired));
}

#[test]
fn who_issued_it_and_for_whom_counts() {
    let key = SigningKey::generate().unwrap();
    let keys = KeySet(vec![key.public()]);
    let token = minted(&key, &claims());
    let asked = |issuer, audiences: &[&str]| verify(&token, &keys, issuer, audiences, NOW).map(|_| ());
    assert_eq!(asked("https://other.test", &[AUDIENCE]), Err(TokenError::Issuer));
    assert_eq!(asked(ISSUER, &["k8s:mine"]), Err(TokenError::Audience));
    assert_eq!(asked(ISSUER, &[]), Err(TokenError::Audience));
}

/// HS256 with the public key as the secret, in every form that somebody might take the key in.
fn hmac_forgeries(key: &SigningKey) -> Vec<String> {
    let jwk = serde_json::to_vec(&key.public()).unwrap();
    let (x, y) = (
        decode(key.public().coordinates().0).unwrap(),
        decode(key.public().coordinates().1).unwrap(),
    );
    let point = [&[4u8][..], &x, &y].concat();
    let header = json!({"alg": "HS256", "kid": key.kid(), "typ": "JWT"});
    let message = format!(
        "{}.{}",
        b64(header.to_string()),
        b64(serde_json::to_vec(&claims()).unwrap())
    );
    [jwk, point, x]
        .into_iter()
        .map(|secret| format!("{message}.{}", b64(hmac_sha256(&secret, message.as_bytes()))))
        .collect()
}

fn hmac_sha256(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut block = [0u8; 64];
    let short = if key.len() > 64 {
        Sha256::digest(key).to_vec()
    } else {
        key.to_vec()
    };
    block[..short.len()].copy_from_slice(&short);
    let inner = Sha256::digest([&block.map(|b| b ^ 0x36)[..], message].concat());
    Sha256::digest([&block.map(|b| b ^ 0x5c)[..], &inner[..]].concat()).to_vec()
}

#[test]
fn forgeries_are_refused() {
    let (key, stranger) = (SigningKey::generate().unwrap(), SigningKey::generate().unwrap());
    let keys = KeySet(vec![key.public()]);
    let body = serde_json::to_value(claims()).unwrap();
    let token = minted(&key, &claims());
    let (message, signature) = token.rsplit_once('.').unwrap();
    let with = |name: &str, value: Value| {
        let mut header = header(&key);
        header[name] = value;
        signed(&key, &header, &body)
    };
    let unsigned = |alg: &str| {
        let header = json!({"alg": alg, "kid": key.kid(), "typ": "JWT"});
        format!("{}.{}.", b64(header.to_string()), b64(body.to_string()))
    };
    let stranger_jwk = serde_json::to_value(stranger.public()).unwrap();
    let mut theirs = header(&stranger);
    theirs["jwk"] = stranger_jwk.clone();
    let mut other_body = body.clone();
    other_body["roles"] = json!(["platform_admin"]);
    let cases: Vec<(&str, String, TokenError)> = vec![
        ("none", unsigned("none"), TokenError::Algorithm),
        ("None", unsigned("None"), TokenError::Algorithm),
        ("no signature", unsigned("ES256"), TokenError::Signature),
        ("ES384", with("alg", json!("ES384")), TokenError::Algorithm),
        ("RS256", with("alg", json!("RS256")), TokenError::Algorithm),
        ("no algorithm", with("alg", Value::Null), TokenError::Header),
        ("no kid", with("kid", Value::Null), TokenError::Header),
        (
            "another kid",
            with("kid", json!(stranger.kid())),
            TokenError::UnknownKey,
        ),
        (
            "a path as kid",
            with("kid", json!("../../dev/null")),
            TokenError::UnknownKey,
        ),
        (
            "a key of its own",
            signed(&stranger, &theirs, &body),
            TokenError::Header,
        ),
        (
            "a stranger's key",
            signed(&stranger, &header(&stranger), &body),
            TokenError::UnknownKey,
        ),
        (
            "a stranger's signature",
            signed(&stranger, &header(&key), &body),
            TokenError::Signature,
        ),
        ("jwk", with("jwk", stranger_jwk), TokenError::Header),
        (
            "jku",
            with("jku", json!("https://evil.test/keys")),
            TokenError::Header,
        ),
        (
            "x5u",
            with("x5u", json!("https://evil.test/cert")),
            TokenError::Header,
        ),
        ("x5c", with("x5c", json!(["AA"])), TokenError::Header),
        ("crit", with("crit", json!(["exp"])), TokenError::Header),
        ("b64", with("b64", json!(false)), TokenError::Header),
        ("encrypted", with("typ", json!("JWE")), TokenError::Header),
        (
            "other claims under the same signature",
            format!(
                "{}.{}.{signature}",
                b64(header(&key).to_string()),
                b64(other_body.to_string())
            ),
            TokenError::Signature,
        ),
        (
            "all zero",
            format!("{message}.{}", b64([0u8; 64])),
            TokenError::Signature,
        ),
        (
            "padded",
            format!("{message}.{signature}=="),
            TokenError::Signature,
        ),
        (
            "four parts",
            format!("{token}.{signature}"),
            TokenError::Malformed,
        ),
        ("two parts", message.to_owned(), TokenError::Malformed),
        ("one part", "abc".to_owned(), TokenError::Malformed),
        ("nothing", String::new(), TokenError::Malformed),
        ("dots", "..".to_owned(), TokenError::Header),
        ("too long", "a".repeat(MAX_LEN + 1), TokenError::TooLong),
    ];
    for (name, token, expected) in cases {
        assert_eq!(check(&token, &keys), Err(expected), "{name}");
    }
    for token in hmac_forgeries(&key) {
        assert_eq!(check(&token, &keys), Err(TokenError::Algorithm));
    }
    assert_eq!(check(&token, &KeySet::default()), Err(TokenError::UnknownKey));
}

#[test]
fn a_claim_that_is_missing_or_bent_is_refused_however_well_it_is_signed() {
    let key = SigningKey::generate().unwrap();
    let keys = KeySet(vec![key.public()]);
    let body = serde_json::to_value(claims()).unwrap();
    for missing in ["iss", "aud", "sub", "email", "roles", "iat", "exp", "jti"] {
        let mut without = body.clone();
        without.as_object_mut().unwrap().remove(missing);
        assert_eq!(
            check(&signed(&key, &header(&key), &without), &keys),
            Err(TokenError::Claims),
            "{missing}"
        );
    }
    for (name, value) in [
        ("exp", json!("2100-01-01")),
        ("exp", json!(1e30)),
        ("exp", Value::Null),
        ("aud", json!(["plasmacloud", "other"])),
        ("roles", json!("platform_admin")),
        ("roles", json!(["root"])),
        ("jti", json!("tok-../../x")),
        ("org_id", json!("system:masters")),
        ("project_id", json!("proj-x:admin")),
    ] {
        let mut bent = body.clone();
        bent[name] = value.clone();
        assert_eq!(
            check(&signed(&key, &header(&key), &bent), &keys),
            Err(TokenError::Claims),
            "{name} {value}"
        );
    }
    let twice = body
        .to_string()
        .replacen('{', r#"{"sub":"user-1111111111111111","#, 1);
    let message = format!("{}.{}", b64(header(&key).to_string()), b64(twice));
    let signature = crypto::sign(
        message.as_bytes(),
        &EncodingKey::from_ec_der(key.pkcs8()),
        Algorithm::ES256,
    )
    .unwrap();
    assert_eq!(
        check(&format!("{message}.{signature}"), &keys),
        Err(TokenError::Claims),
        "a claim given twice"
    );
}

#[test]
fn one_that_would_never_be_taken_is_not_minted() {
    let key = SigningKey::generate().unwrap();
    let long = Claims {
        email: "a".repeat(MAX_LEN),
        ..claims()
    };
    assert_eq!(mint(&key, &long), Err(TokenError::TooLong));
}

/// `whole` with some of its bytes overwritten, then cut anywhere.
fn bent(whole: String) -> impl Strategy<Value = String> {
    let bytes = whole.into_bytes();
    let changes = proptest::collection::vec((0..bytes.len(), any::<u8>()), 1..4);
    (changes, 1..=bytes.len()).prop_map(move |(changes, end)| {
        let mut bytes = bytes.clone();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        bytes.truncate(end);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

static MINTED: LazyLock<(KeySet, String)> = LazyLock::new(|| {
    let key = SigningKey::generate().unwrap();
    (KeySet(vec![key.public()]), minted(&key, &claims()))
});

proptest! {
    #[test]
    fn a_bent_token_is_never_taken(token in bent(MINTED.1.clone())) {
        prop_assume!(token != MINTED.1);
        prop_assert!(check(&token, &MINTED.0).is_err(), "{token}");
    }

    #[test]
    fn nor_is_any_text(token in "\\PC{0,200}") {
        prop_assert!(check(&token, &MINTED.0).is_err());
    }
}
