//! Forgeries of a provider's tokens, by their kind, with keys of our own for each algorithm.

use std::sync::LazyLock;

use jsonwebtoken::{Algorithm, EncodingKey};
use proptest::prelude::*;
use rcgen::{KeyPair, PKCS_ED25519, PKCS_RSA_SHA256, PublicKeyData, RsaKeySize, SigningKey as _};
use serde_json::json;
use x509_parser::{prelude::FromDer, public_key::PublicKey, x509::SubjectPublicKeyInfo};

use super::*;
use crate::keys::SigningKey;

const NOW: Timestamp = Timestamp(1_800_000_000);
const ISSUER: &str = "https://id.corp.example";
const CLIENT: &str = "plasmacloud";
const NONCE: &str = "n-0S6_WzA2Mj";
const ACCESS: &str = "the access token";

/// A provider with a key of each kind. Making RSA keys takes a while, so there is one.
struct Provider {
    rsa: KeyPair,
    ec: SigningKey,
    ed: KeyPair,
}

static PROVIDER: LazyLock<Provider> = LazyLock::new(|| Provider {
    rsa: KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048).unwrap(),
    ec: SigningKey::generate().unwrap(),
    ed: KeyPair::generate_for(&PKCS_ED25519).unwrap(),
});

fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn rsa_parts(key: &KeyPair) -> (Vec<u8>, Vec<u8>) {
    let spki = key.subject_public_key_info();
    let (_, info) = SubjectPublicKeyInfo::from_der(&spki).unwrap();
    let PublicKey::RSA(rsa) = info.parsed().unwrap() else {
        panic!("an RSA key");
    };
    let n = rsa.modulus.iter().copied().skip_while(|b| *b == 0).collect();
    (n, rsa.exponent.to_vec())
}

impl Provider {
    fn jwks(&self) -> Value {
        let (n, e) = rsa_parts(&self.rsa);
        let mut ec = serde_json::to_value(self.ec.public()).unwrap();
        ec["kid"] = json!("ec");
        json!({"keys": [
            {"kty": "RSA", "kid": "rsa", "alg": "RS256", "use": "sig", "n": b64(n), "e": b64(e)},
            ec,
            {"kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": b64(self.ed.public_key_raw())},
            {"kty": "oct", "kid": "shared", "k": "c2VjcmV0"},
            {"kty": "RSA", "kid": "sealing", "use": "enc", "n": "AQAB", "e": "AQAB"},
        ]})
    }

    fn keys(&self) -> ProviderKeys {
        ProviderKeys::parse(self.jwks().to_string().as_bytes()).unwrap()
    }

    /// Signed well, whatever it says.
    fn signed(&self, header: &Value, claims: &Value) -> String {
        let message = format!("{}.{}", b64(header.to_string()), b64(claims.to_string()));
        let signature = match header["kid"].as_str() {
            Some("ec") => {
                let key = EncodingKey::from_ec_der(self.ec.pkcs8());
                crypto::sign(message.as_bytes(), &key, Algorithm::ES256).unwrap()
            }
            Some("ed") => b64(self.ed.sign(message.as_bytes()).unwrap()),
            _ => b64(self.rsa.sign(message.as_bytes()).unwrap()),
        };
        format!("{message}.{signature}")
    }
}

fn header() -> Value {
    json!({"alg": "RS256", "kid": "rsa"})
}

fn claims() -> Value {
    json!({
        "iss": ISSUER, "sub": "CgNhbmE", "aud": CLIENT, "iat": NOW.0, "exp": NOW.0 + 600, "nonce": NONCE,
        "at_hash": half_hash(Signed::Rs256, &Secret::new(ACCESS)),
        "email": "ana@corp.example", "email_verified": true, "groups": ["devs", "ops", 7],
    })
}

fn with(claim: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[claim] = value;
    claims
}

fn check(token: &str) -> Result<IdClaims, IdTokenError> {
    let (nonce, access) = (Secret::new(NONCE), Secret::new(ACCESS));
    let expected = Expected {
        issuer: ISSUER,
        client: CLIENT,
        nonce: Some(&nonce),
        access_token: Some(&access),
    };
    verify(&Secret::new(token), &PROVIDER.keys(), &expected, NOW)
}

#[test]
fn each_algorithm_we_take_is_verified() {
    let found = check(&PROVIDER.signed(&header(), &claims())).unwrap();
    assert_eq!(found.subject, "CgNhbmE");
    assert_eq!(found.text("email"), Some("ana@corp.example"));
    assert!(found.is_true("email_verified"));
    assert_eq!(found.words("groups"), ["devs", "ops"]);
    check(&PROVIDER.signed(&json!({"alg": "ES256", "kid": "ec", "typ": "JWT"}), &claims())).unwrap();
    let ed = with("at_hash", json!(half_hash(Signed::EdDsa, &Secret::new(ACCESS))));
    check(&PROVIDER.signed(&json!({"alg": "EdDSA", "kid": "ed"}), &ed)).unwrap();
    // A token that names no key is that of the only one of its kind.
    check(&PROVIDER.signed(&json!({"alg": "RS256"}), &claims())).unwrap();
}

#[test]
fn algorithms_are_not_confused() {
    let rsa = rsa_parts(&PROVIDER.rsa).0;
    let unsigned = |alg: &str| {
        let header = json!({"alg": alg, "kid": "rsa"});
        format!("{}.{}.", b64(header.to_string()), b64(claims().to_string()))
    };
    for alg in [
        "none", "None", "nOnE", "", "HS256", "HS512", "RS512", "PS256", "ES384", "rs256",
    ] {
        assert_eq!(check(&unsigned(alg)), Err(IdTokenError::Algorithm), "{alg}");
    }
    // Signed with what everybody knows: the provider's public key as the secret of an HMAC.
    for secret in [
        rsa.clone(),
        PROVIDER.rsa.subject_public_key_info(),
        b"secret".to_vec(),
    ] {
        for kid in ["rsa", "shared"] {
            let message = format!(
                "{}.{}",
                b64(json!({"alg": "HS256", "kid": kid}).to_string()),
                b64(claims().to_string())
            );
            let key = EncodingKey::from_secret(&secret);
            let signature = crypto::sign(message.as_bytes(), &key, Algorithm::HS256).unwrap();
            assert_eq!(
                check(&format!("{message}.{signature}")),
                Err(IdTokenError::Algorithm)
            );
        }
    }
    // A key of one kind is not used with the algorithm of another, and not those for other uses.
    for (alg, kid) in [
        ("ES256", "rsa"),
        ("EdDSA", "ec"),
        ("RS256", "ec"),
        ("RS256", "sealing"),
        ("RS256", "other"),
    ] {
        let token = PROVIDER.signed(&json!({"alg": alg, "kid": kid}), &claims());
        assert_eq!(check(&token), Err(IdTokenError::UnknownKey), "{alg} {kid}");
    }
}

#[test]
fn a_key_in_the_token_is_not_used() {
    let robber = KeyPair::generate_for(&PKCS_ED25519).unwrap();
    let jwk = json!({"kty": "OKP", "crv": "Ed25519", "x": b64(robber.public_key_raw()), "kid": "ed"});
    let header = json!({"alg": "EdDSA", "kid": "ed", "jwk": jwk, "jku": "https://robber.example/jwks"});
    let message = format!("{}.{}", b64(header.to_string()), b64(claims().to_string()));
    let token = format!("{message}.{}", b64(robber.sign(message.as_bytes()).unwrap()));
    assert_eq!(check(&token), Err(IdTokenError::Signature));
    let crit = json!({"alg": "RS256", "kid": "rsa", "crit": ["exp"]});
    assert_eq!(
        check(&PROVIDER.signed(&crit, &claims())),
        Err(IdTokenError::Header)
    );
    let access = json!({"alg": "RS256", "kid": "rsa", "typ": "at+jwt"});
    assert_eq!(
        check(&PROVIDER.signed(&access, &claims())),
        Err(IdTokenError::Header)
    );
}

#[test]
fn what_was_meant_for_another_or_another_time_is_refused() {
    use IdTokenError::{AccessToken, Audience, Claims, Expired, IssuedAt, Issuer, Nonce};
    for (claim, value, error) in [
        ("iss", json!("https://id.corp.example/"), Issuer),
        ("iss", json!("https://robber.example"), Issuer),
        ("iss", json!(null), Claims),
        ("aud", json!("another"), Audience),
        ("aud", json!(["another"]), Audience),
        ("aud", json!([CLIENT, "another"]), Audience),
        ("aud", json!([]), Audience),
        ("azp", json!("another"), Audience),
        ("sub", json!(""), Claims),
        ("sub", json!("x".repeat(256)), Claims),
        ("sub", json!(7), Claims),
        ("exp", json!(NOW.0 - 60), Expired),
        ("exp", json!("soon"), Claims),
        ("exp", json!(null), Claims),
        ("iat", json!(NOW.0 + 61), IssuedAt),
        ("iat", json!(NOW.0 - 661), IssuedAt),
        ("iat", json!(null), Claims),
        ("nbf", json!(NOW.0 + 61), IssuedAt),
        ("nonce", json!("another"), Nonce),
        ("nonce", json!(null), Nonce),
        ("at_hash", json!("AAAAAAAAAAAAAAAAAAAAAA"), AccessToken),
    ] {
        let token = PROVIDER.signed(&header(), &with(claim, value.clone()));
        assert_eq!(check(&token), Err(error), "{claim} = {value}");
    }
    // With several audiences the provider says who asked.
    let mut several = with("aud", json!([CLIENT, "another"]));
    several["azp"] = json!(CLIENT);
    check(&PROVIDER.signed(&header(), &several)).unwrap();
    // A word in place of true is not true.
    let worded = check(&PROVIDER.signed(&header(), &with("email_verified", json!("true")))).unwrap();
    assert!(!worded.is_true("email_verified"));
}

#[test]
fn a_set_of_keys_is_bounded_and_weak_ones_are_left_out() {
    assert_eq!(
        ProviderKeys::parse(b"[]"),
        Err(crate::external::JwksError::NotJwks)
    );
    assert_eq!(
        ProviderKeys::parse(br#"{"keys": []}"#),
        Err(crate::external::JwksError::Empty)
    );
    let many = json!({"keys": vec![json!({"kty": "oct"}); 101]});
    assert_eq!(
        ProviderKeys::parse(many.to_string().as_bytes()),
        Err(crate::external::JwksError::TooMany)
    );
    let weak = json!({"keys": [{"kty": "RSA", "kid": "rsa", "n": b64([0xff; 128]), "e": "AQAB"}]});
    assert_eq!(
        ProviderKeys::parse(weak.to_string().as_bytes()),
        Err(crate::external::JwksError::Empty)
    );
}

proptest! {
    #[test]
    fn a_bent_token_is_refused(at in 0usize..4000, to in "[A-Za-z0-9_.-]") {
        let token = PROVIDER.signed(&json!({"alg": "ES256", "kid": "ec"}), &claims());
        let at = at % token.len();
        let mut bent = token.clone();
        bent.replace_range(at..=at, &to);
        prop_assume!(bent != token);
        prop_assert!(check(&bent).is_err());
    }
}
