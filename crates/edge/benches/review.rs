//! What TokenReview costs: the server over mutual TLS with kept connections, answering reviews, against the very same
//! server answering a constant. One thread serves, another asks; all of it on loopback.
//!
//! `cargo bench -p edge --bench review`. Three figures: the rate with every connection busy, what that is a core (by the
//! serving thread's own CPU time, so that the asking one does not count), and the time an answer takes at 2,000 a second,
//! counted from when the question was due. Each is taken three times and the middle one counts.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc,
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use edge::identity::{Answers, Desk, Door, Tls, Unreadable, serve};
use http_body_util::{BodyExt, Full};
use hyper::{Request, StatusCode, client::conn::http1, header::HOST};
use hyper_util::rt::TokioIo;
use iam::{
    keys::{KeySet, SigningKey},
    pki::{Issued, PlatformPki},
    review::{AUDIENCE, Reach, Snapshot},
    token::{Claims, mint},
};
use ports::edge::{EdgeIdentity, IDENTITY_NAME, Serving};
use rustix::time::{ClockId, clock_gettime};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use types::{ClusterId, NetworkId, OrgId, ProjectId, Timestamp, TokenId, tenant::Role};

const CONNECTIONS: usize = 32;
const BUSY: Duration = Duration::from_secs(5);
const PACED: Duration = Duration::from_secs(5);
const PACE: u64 = 2_000;
/// As many tokens as people who work at once.
const TOKENS: usize = 200;
const STRANGERS: usize = 20_000;
const PATH: &str = "/apis/iam.plasmacloud.io/v1/authenticate";

struct Constant(Bytes);

impl Answers for Constant {
    fn answer(&self, _: &NetworkId, _: &ClusterId, _: &[u8]) -> Result<Bytes, Unreadable> {
        Ok(self.0.clone())
    }
}

struct Setting {
    door: Arc<Door>,
    client: Issued,
    roots: String,
    desk: Arc<Desk>,
    questions: Vec<Bytes>,
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Timestamp(i64::try_from(since.as_secs()).unwrap())
}

fn setting(tokens: usize) -> Setting {
    let pki = PlatformPki::new(now()).unwrap();
    let key = SigningKey::generate().unwrap();
    let (network, cluster) = (NetworkId::generate(), ClusterId::generate());
    let (org, project) = (OrgId::generate(), ProjectId::generate());
    let reach = Reach {
        network: network.clone(),
        org: org.clone(),
        projects: [project.clone()].into(),
    };
    let user = "user-0123456789abcdef";
    let identity = EdgeIdentity {
        snapshot: Snapshot {
            generation: 1,
            issuer: "https://cloud.test".to_owned(),
            keys: KeySet(vec![key.public()]),
            principals: [user.to_owned()].into(),
            clusters: [(cluster.clone(), reach)].into(),
            ..Snapshot::default()
        },
        authorities: pki.services_pem(),
        revocations: pki.crl().to_vec(),
    };
    let claims = |jti| Claims {
        iss: "https://cloud.test".to_owned(),
        aud: AUDIENCE.to_owned(),
        sub: user.to_owned(),
        email: "ana@acme.example".to_owned(),
        org_id: Some(org.clone()),
        project_id: Some(project.clone()),
        roles: vec![Role::ProjectMember],
        iat: now(),
        exp: now().plus(3600),
        jti,
    };
    let question = |_| {
        let token = mint(&key, &claims(TokenId::generate())).unwrap();
        Bytes::from(format!(
            r#"{{"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","metadata":{{"creationTimestamp":null}},"spec":{{"token":"{}","audiences":["https://kubernetes.default.svc.cluster.local"]}},"status":{{"user":{{}}}}}}"#,
            token.expose_str().unwrap()
        ))
    };
    let issued = pki.issue_server(&[IDENTITY_NAME], &[], now()).unwrap();
    let serving = Serving {
        chain_pem: issued.chain_pem,
        key_pem: Some(issued.key_pem),
    };
    let tls = Tls::new(&identity, &serving).unwrap().map(Arc::new);
    let desk = Arc::new(Desk::default());
    desk.configure(Some(&identity.snapshot));
    Setting {
        door: Arc::new(Door::new(network, tls)),
        client: pki.issue_client(&cluster, now()).unwrap(),
        roots: pki.roots_pem(),
        desk,
        questions: (0..tokens).map(question).collect(),
    }
}

/// A thread that serves; it says where, and how much CPU it has used so far.
struct Server {
    address: SocketAddr,
    cpu: Arc<AtomicU64>,
}

fn start<A: Answers + 'static>(door: Arc<Door>, answers: Arc<A>) -> Server {
    let (tell, told) = mpsc::channel();
    let cpu = Arc::new(AtomicU64::new(0));
    let used = cpu.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async move {
            tokio::spawn(async move {
                loop {
                    let time = clock_gettime(ClockId::ThreadCPUTime);
                    let micros = time.tv_sec * 1_000_000 + time.tv_nsec / 1000;
                    used.store(u64::try_from(micros).unwrap(), Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            });
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            tell.send(listener.local_addr().unwrap()).unwrap();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, door.clone(), answers.clone()));
            }
        });
    });
    Server {
        address: told.recv().unwrap(),
        cpu,
    }
}

type Connection = http1::SendRequest<Full<Bytes>>;

async fn connect(server: &Server, setting: &Setting) -> Connection {
    let certs = |pem: &str| -> Vec<CertificateDer<'static>> {
        CertificateDer::pem_slice_iter(pem.as_bytes())
            .collect::<Result<_, _>>()
            .unwrap()
    };
    let mut anchors = RootCertStore::empty();
    anchors.add_parsable_certificates(certs(&setting.roots));
    let key = PrivateKeyDer::from_pem_slice(setting.client.key_pem.expose()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(anchors)
        .with_client_auth_cert(certs(&setting.client.chain_pem), key)
        .unwrap();
    let stream = TcpStream::connect(server.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let name = ServerName::try_from(IDENTITY_NAME).unwrap();
    let stream = TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
        .unwrap();
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

async fn ask(connection: &mut Connection, question: Bytes) {
    let request = Request::post(PATH)
        .header(HOST, IDENTITY_NAME)
        .body(Full::new(question))
        .unwrap();
    connection.ready().await.unwrap();
    let answer = connection.send_request(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    assert!(
        body.windows(20).any(|part| part == br#""authenticated":true"#),
        "refused"
    );
}

/// Every connection busy: answers a second, and answers a second of the server's CPU.
async fn busy(server: &Server, setting: &Setting) -> (f64, f64) {
    let next = Arc::new(AtomicUsize::new(0));
    let questions = Arc::new(setting.questions.clone());
    let mut asking = Vec::new();
    for _ in 0..CONNECTIONS {
        asking.push(connect(server, setting).await);
    }
    // Before the clock runs, everything that is remembered is.
    for question in questions.iter().take(TOKENS) {
        ask(&mut asking[0], question.clone()).await;
    }
    let (began, cpu) = (Instant::now(), server.cpu.load(Ordering::Relaxed));
    let tasks: Vec<_> = asking
        .into_iter()
        .map(|mut connection| {
            let (next, questions) = (next.clone(), questions.clone());
            tokio::spawn(async move {
                let mut count = 0u64;
                while began.elapsed() < BUSY {
                    let at = next.fetch_add(1, Ordering::Relaxed) % questions.len();
                    ask(&mut connection, questions[at].clone()).await;
                    count += 1;
                }
                count
            })
        })
        .collect();
    let mut count = 0;
    for task in tasks {
        count += task.await.unwrap();
    }
    let wall = began.elapsed().as_secs_f64();
    let used = (server.cpu.load(Ordering::Relaxed) - cpu) as f64 / 1e6;
    (count as f64 / wall, count as f64 / used)
}

/// So many a second, whatever the answers do: how long each took from when it was due.
async fn paced(server: &Server, setting: &Setting) -> Vec<Duration> {
    let (give, questions) = (Arc::new(AtomicUsize::new(0)), Arc::new(setting.questions.clone()));
    let began = Instant::now() + Duration::from_millis(50);
    let total = usize::try_from(PACE * PACED.as_secs()).unwrap();
    let mut tasks = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut connection = connect(server, setting).await;
        let (give, questions) = (give.clone(), questions.clone());
        tasks.push(tokio::spawn(async move {
            let mut times = Vec::new();
            loop {
                let number = give.fetch_add(1, Ordering::Relaxed);
                if number >= total {
                    return times;
                }
                let due = began + Duration::from_nanos(number as u64 * 1_000_000_000 / PACE);
                tokio::time::sleep_until(due.into()).await;
                ask(&mut connection, questions[number % questions.len()].clone()).await;
                // From when it was due: the timer's own lateness, up to a millisecond, counts against us.
                times.push(due.elapsed());
            }
        }));
    }
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.unwrap());
    }
    times.sort_unstable();
    times
}

fn at(times: &[Duration], part: f64) -> f64 {
    times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1000.0
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let people = setting(TOKENS);
        let answer = people.desk.answer(
            &people.door.network,
            &ClusterId::generate(),
            &people.questions[0],
        );
        assert!(answer.is_ok());
        let reviews = start(people.door.clone(), people.desk.clone());
        let mut one = connect(&reviews, &people).await;
        ask(&mut one, people.questions[0].clone()).await;
        let constant = {
            let body = r#"{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","status":{"authenticated":true,"user":{"username":"ana@acme.example","uid":"user-0123456789abcdef","groups":["org:org-0123456789abcdef","project:proj-0123456789abcdef","project:proj-0123456789abcdef:member","system:authenticated"],"extra":{"org_id":["org-0123456789abcdef"],"project_id":["proj-0123456789abcdef"],"roles":["project_member"]}}}}"#;
            start(people.door.clone(), Arc::new(Constant(Bytes::from_static(body.as_bytes()))))
        };
        let mut ratios = Vec::new();
        println!("{CONNECTIONS} connections, {TOKENS} tokens");
        for _ in 0..3 {
            let (constant_rate, constant_core) = busy(&constant, &people).await;
            let (rate, core) = busy(&reviews, &people).await;
            println!(
                "constant {constant_rate:.0}/s ({constant_core:.0}/s a core); reviews {rate:.0}/s ({core:.0}/s a core); ratio {:.2}",
                rate / constant_rate
            );
            ratios.push(rate / constant_rate);
        }
        ratios.sort_by(f64::total_cmp);
        let strangers = setting(STRANGERS);
        let cold = start(strangers.door.clone(), strangers.desk.clone());
        let (rate, core) = busy(&cold, &strangers).await;
        println!("a token not seen lately each time: {rate:.0}/s ({core:.0}/s a core)");
        let mut slow = Vec::new();
        for _ in 0..3 {
            let times = paced(&reviews, &people).await;
            println!(
                "at {PACE}/s: p50 {:.2} ms, p99 {:.2} ms, p99.9 {:.2} ms",
                at(&times, 0.5),
                at(&times, 0.99),
                at(&times, 0.999)
            );
            slow.push(at(&times, 0.99));
        }
        slow.sort_by(f64::total_cmp);
        assert!(ratios[1] >= 0.5, "less than half the rate of a constant");
        assert!(slow[1] < 5.0, "an answer in a hundred takes 5 ms or more");
    });
}
