//! Providers that lie, change their keys, send us elsewhere, or say nothing: one of our own, bent in each way.
//! (A real one is in `crates/e2e/tests/login.rs`.)

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Form, Json, Router,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use iam::keys::SigningKey;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use oidc::{Begun, Flow, Logins, Loopback, Outcome, Settings};
use ports::{Clock, clock::SystemClock};
use serde_json::{Value, json};
use types::{FaultKind, Secret};

/// What it does today.
struct Script {
    key: SigningKey,
    published: Vec<Value>,
    /// Over the claims of the next ID token.
    claims: Value,
    nonce: Option<String>,
    /// Over the discovery document.
    discovery: Value,
    /// Answers to a device before the good one.
    device: Vec<&'static str>,
    keys_asked: u32,
    forms: Vec<Vec<(String, String)>>,
    elsewhere: bool,
}

#[derive(Clone)]
struct Corp {
    issuer: String,
    script: Arc<Mutex<Script>>,
}

fn merge(mut onto: Value, over: &Value) -> Value {
    for (name, value) in over.as_object().unwrap() {
        onto[name] = value.clone();
    }
    onto
}

impl Corp {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let key = SigningKey::generate().unwrap();
        let corp = Self {
            issuer,
            script: Arc::new(Mutex::new(Script {
                published: vec![serde_json::to_value(key.public()).unwrap()],
                key,
                claims: json!({}),
                nonce: None,
                discovery: json!({}),
                device: Vec::new(),
                keys_asked: 0,
                forms: Vec::new(),
                elsewhere: false,
            })),
        };
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .route("/device", post(device))
            .with_state(corp.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        corp
    }

    fn settings(&self) -> Settings {
        Settings {
            name: "corp".to_owned(),
            issuer: self.issuer.clone(),
            client: "cloud".to_owned(),
            secret_file: None,
            scopes: vec!["openid".to_owned(), "email".to_owned()],
            email_claim: "email".to_owned(),
            groups_claim: "groups".to_owned(),
            hosts: Vec::new(),
            ca_file: None,
            loopback: Loopback::Address,
            device: true,
        }
    }

    fn logins(&self) -> Logins {
        Logins::new(vec![self.settings()], Arc::new(SystemClock::default()))
    }

    fn with<T>(&self, change: impl FnOnce(&mut Script) -> T) -> T {
        change(&mut self.script.lock().unwrap())
    }
}

async fn discovery(State(corp): State<Corp>) -> Json<Value> {
    let issuer = &corp.issuer;
    let document = json!({
        "issuer": issuer, "authorization_endpoint": format!("{issuer}/auth"), "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/keys"), "device_authorization_endpoint": format!("{issuer}/device"),
    });
    Json(corp.with(|script| merge(document, &script.discovery)))
}

async fn keys(State(corp): State<Corp>) -> Response {
    corp.with(|script| {
        script.keys_asked += 1;
        if script.elsewhere {
            return Redirect::temporary("http://127.0.0.1:1/keys").into_response();
        }
        Json(json!({"keys": script.published})).into_response()
    })
}

async fn token(State(corp): State<Corp>, Form(form): Form<Vec<(String, String)>>) -> Response {
    corp.with(|script| {
        script.forms.push(form);
        if let Some(error) = script.device.pop() {
            return (StatusCode::BAD_REQUEST, Json(json!({"error": error}))).into_response();
        }
        let now = SystemClock::default().now().0;
        let claims = json!({
            "iss": corp.issuer, "aud": "cloud", "sub": "ana-1", "iat": now, "exp": now + 60, "nonce": script.nonce,
            "email": "ana@acme.example", "email_verified": true, "groups": ["devs"],
        });
        let claims = merge(claims, &script.claims);
        let header = Header {
            kid: Some(script.key.kid().to_owned()),
            ..Header::new(Algorithm::ES256)
        };
        let key = script.key.to_pkcs8();
        let id_token = jsonwebtoken::encode(&header, &claims, &EncodingKey::from_ec_der(key.expose())).unwrap();
        Json(json!({"id_token": id_token, "access_token": "a", "token_type": "Bearer"})).into_response()
    })
}

async fn device(State(corp): State<Corp>) -> Json<Value> {
    Json(json!({
        "device_code": "the-device", "user_code": "ABCD-EFGH", "verification_uri": format!("{}/go", corp.issuer),
        "expires_in": 300, "interval": 1,
    }))
}

struct Browser {
    login: Secret,
    state: Secret,
    url: String,
}

async fn begin(logins: &Logins) -> Browser {
    match logins.begin("corp", Flow::Browser { port: 4321 }).await.unwrap() {
        Begun::Browser {
            login, state, url, ..
        } => Browser { login, state, url },
        Begun::Device { .. } => panic!("a browser was asked for"),
    }
}

fn parameter(url: &str, name: &str) -> String {
    let query = url.split_once('?').unwrap().1;
    let found = query
        .split('&')
        .find_map(|pair| pair.strip_prefix(&format!("{name}=")));
    found.unwrap_or_else(|| panic!("no {name} in {url}")).to_owned()
}

/// Through to the end, with the nonce the provider was given.
async fn through(corp: &Corp, logins: &Logins) -> Result<Outcome, types::Fault> {
    let begun = begin(logins).await;
    corp.with(|script| script.nonce = Some(parameter(&begun.url, "nonce")));
    logins
        .complete(&begun.login, Some((begun.state, Secret::new("a code/+ &"))))
        .await
}

#[tokio::test]
async fn a_code_is_redeemed_with_its_proof_and_the_answer_is_what_the_provider_says() {
    let corp = Corp::start().await;
    let logins = corp.logins();
    let begun = begin(&logins).await;
    assert!(
        begun
            .url
            .starts_with(&format!("{}/auth?response_type=code&", corp.issuer))
    );
    assert_eq!(
        parameter(&begun.url, "redirect_uri"),
        "http%3A%2F%2F127.0.0.1%3A4321%2Fcallback"
    );
    assert_eq!(parameter(&begun.url, "code_challenge_method"), "S256");
    assert!(!begun.url.contains(begun.login.expose_str().unwrap()));
    corp.with(|script| script.nonce = Some(parameter(&begun.url, "nonce")));
    let answer = Some((begun.state.clone(), Secret::new("a code/+ &")));
    let Outcome::Done(asserted) = logins.complete(&begun.login, answer.clone()).await.unwrap() else {
        panic!("it was done");
    };
    assert_eq!(
        (asserted.subject.as_str(), asserted.email_verified),
        ("ana-1", true)
    );
    assert_eq!(asserted.groups, ["devs"]);
    let form = corp.with(|script| script.forms.remove(0));
    let sent = |name: &str| {
        form.iter()
            .find(|(one, _)| one == name)
            .map(|(_, value)| value.clone())
            .unwrap()
    };
    assert_eq!(sent("code"), "a code/+ &");
    assert_eq!(sent("client_id"), "cloud");
    let verifier = Secret::new(sent("code_verifier"));
    assert_eq!(
        iam::external::pkce::challenge(&verifier),
        parameter(&begun.url, "code_challenge")
    );
    // Once.
    let again = logins.complete(&begun.login, answer).await.unwrap_err();
    assert_eq!(
        (again.kind, &*again.code),
        (FaultKind::Unauthenticated, "login-refused")
    );
    assert!(
        corp.with(|script| script.forms.is_empty()),
        "the provider was not even asked"
    );
}

#[tokio::test]
async fn a_provider_is_not_believed_more_than_its_tokens_are_worth() {
    let corp = Corp::start().await;
    let logins = corp.logins();
    let now = SystemClock::default().now().0;
    for claims in [
        json!({"aud": "another"}),
        json!({"iss": "http://127.0.0.1:1"}),
        json!({"exp": now - 100}),
        json!({"iat": now - 10_000}),
        json!({"nonce": "another"}),
        json!({"at_hash": "AAAA"}),
    ] {
        corp.with(|script| script.claims = claims.clone());
        let fault = through(&corp, &logins).await.unwrap_err();
        assert_eq!(
            (fault.kind, &*fault.code),
            (FaultKind::Unauthenticated, "login-refused"),
            "{claims}"
        );
    }
    corp.with(|script| script.claims = json!({}));
    through(&corp, &logins).await.unwrap();
    // Signed with a key that it never published, under the name of one it did.
    let published = corp.with(|script| {
        script.key = SigningKey::generate().unwrap();
        let mut stolen = script.published.clone();
        stolen[0]["kid"] = json!(script.key.kid());
        std::mem::replace(&mut script.published, stolen)
    });
    let fault = through(&corp.clone(), &corp.logins()).await.unwrap_err();
    assert_eq!(fault.code, "login-refused");
    corp.with(|script| script.published = published);
}

#[tokio::test]
async fn new_keys_are_fetched_when_they_are_used_and_not_more_often_than_that() {
    let corp = Corp::start().await;
    let logins = corp.logins();
    for _ in 0..3 {
        through(&corp, &logins).await.unwrap();
    }
    assert_eq!(corp.with(|script| script.keys_asked), 1);
    // A fresh handle, because keys that are this young are not asked for again.
    let fresh = corp.logins();
    corp.with(|script| {
        script.key = SigningKey::generate().unwrap();
        script.keys_asked = 0;
    });
    for _ in 0..5 {
        assert_eq!(through(&corp, &fresh).await.unwrap_err().code, "login-refused");
    }
    assert_eq!(
        corp.with(|script| script.keys_asked),
        1,
        "strangers do not make us ask"
    );
    corp.with(|script| {
        script
            .published
            .push(serde_json::to_value(script.key.public()).unwrap())
    });
    through(&corp, &corp.logins()).await.unwrap();
}

#[tokio::test]
async fn nobody_is_asked_whom_the_settings_do_not_name() {
    let corp = Corp::start().await;
    for discovery in [
        json!({"issuer": "http://127.0.0.1:1"}),
        json!({"token_endpoint": "http://127.0.0.1:1/token"}),
        json!({"jwks_uri": "https://169.254.169.254/latest/meta-data"}),
        json!({"authorization_endpoint": "javascript:alert(1)"}),
        json!({"device_authorization_endpoint": "http://localhost:1/"}),
    ] {
        corp.with(|script| script.discovery = discovery.clone());
        let fault = corp
            .logins()
            .begin("corp", Flow::Browser { port: 1 })
            .await
            .unwrap_err();
        assert_eq!(
            (fault.kind, &*fault.code),
            (FaultKind::Unavailable, "provider-unreachable"),
            "{discovery}"
        );
    }
    // Nor is it followed elsewhere.
    corp.with(|script| {
        script.discovery = json!({});
        script.elsewhere = true;
    });
    let fault = through(&corp, &corp.logins()).await.unwrap_err();
    assert_eq!(fault.code, "provider-unreachable");
    assert!(fault.cause.contains("307"), "{fault}");
}

#[tokio::test]
async fn a_provider_that_is_away_is_named() {
    let corp = Corp::start().await;
    let nowhere = Settings {
        issuer: "http://127.0.0.1:1".to_owned(),
        ..corp.settings()
    };
    let logins = Logins::new(vec![nowhere], Arc::new(SystemClock::default()));
    let fault = logins.begin("corp", Flow::Device).await.unwrap_err();
    assert_eq!(
        (fault.kind, &*fault.code),
        (FaultKind::Unavailable, "provider-unreachable")
    );
    assert!(fault.cause.contains("'corp' at http://127.0.0.1:1"), "{fault}");
    assert_eq!(
        logins.begin("lab", Flow::Device).await.unwrap_err().code,
        "provider-not-found"
    );
}

#[tokio::test]
async fn a_device_waits_for_its_person() {
    let corp = Corp::start().await;
    let logins = corp.logins();
    let Begun::Device { login, user_code, .. } = logins.begin("corp", Flow::Device).await.unwrap() else {
        panic!("a device was asked for");
    };
    assert_eq!(user_code, "ABCD-EFGH");
    corp.with(|script| script.device = vec!["authorization_pending", "authorization_pending"]);
    let waited = tokio::time::timeout(Duration::from_secs(30), logins.complete(&login, None)).await;
    assert!(matches!(waited.unwrap().unwrap(), Outcome::Done(_)));
    assert_eq!(corp.with(|script| script.forms.len()), 3);
    assert_eq!(
        logins.complete(&login, None).await.unwrap_err().code,
        "login-refused"
    );

    let Begun::Device { login, .. } = logins.begin("corp", Flow::Device).await.unwrap() else {
        panic!("a device was asked for");
    };
    corp.with(|script| script.device = vec!["access_denied"]);
    let fault = logins.complete(&login, None).await.unwrap_err();
    assert_eq!(
        (fault.kind, &*fault.code),
        (FaultKind::Unauthenticated, "login-refused")
    );
    assert!(fault.cause.contains("access_denied"), "{fault}");
}

#[tokio::test]
async fn strangers_who_begin_logins_leave_those_of_others_alone_for_long() {
    let corp = Corp::start().await;
    let logins = corp.logins();
    let first = begin(&logins).await;
    let second = begin(&logins).await;
    corp.with(|script| script.nonce = Some(parameter(&second.url, "nonce")));
    for _ in 0..4095 {
        begin(&logins).await;
    }
    // The oldest gave way, the next is still there: there are never more than so many.
    let code = || Secret::new("code");
    let gone = logins.complete(&first.login, Some((first.state, code()))).await;
    assert_eq!(gone.unwrap_err().code, "login-refused");
    logins
        .complete(&second.login, Some((second.state, code())))
        .await
        .unwrap();
}
