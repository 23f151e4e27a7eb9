//! Every route × every role × own and foreign tenant, by the table and nothing else.
//!
//! What is sent is empty or wrong on purpose: whoever is let in gets an answer of the handler, whoever is not must not
//! get that far.

use api::{
    client::{AuditQuery, Client},
    routes::{self, Route},
    tenant::{Invite, OrgCreate, ProjectCreate, QuotaView, ServiceAccountCreate, TakeUp, TokenCreate},
};
use server::fake::{Fake, TOKEN};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use types::{access::Access, tenant::Role};

const PASSWORD: &str = "correct horse battery staple";

/// After these there is less to ask about; in this order.
const ENDS_SOMETHING: [&str; 3] = ["deleteOrg", "endSessions", "deleteProject"];

/// What the guard says of a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Unknown,
    NotThere,
    Forbidden,
    LetIn,
}

struct Caller {
    title: String,
    token: Option<String>,
    role: Option<Role>,
    /// Whether the role is held in the organisation that is asked about.
    at_home: bool,
}

fn expected(route: &Route, caller: &Caller) -> Verdict {
    if route.access == Access::Open {
        return Verdict::LetIn;
    }
    if caller.token.is_none() {
        return Verdict::Unknown;
    }
    let platform = caller.role == Some(Role::PlatformAdmin);
    let role = caller.role.filter(|_| caller.at_home || platform);
    let names_a_place = route.path.contains("{project}") || route.path.contains("{org}");
    if names_a_place && role.is_none() {
        return Verdict::NotThere;
    }
    let allowed = match route.access {
        Access::Open | Access::SignedIn | Access::OrgSeen => true,
        Access::Project(needed) => role >= Some(needed),
        Access::OrgAdmin => role >= Some(Role::OrgAdmin),
        Access::Platform => platform,
    };
    if allowed {
        Verdict::LetIn
    } else {
        Verdict::Forbidden
    }
}

async fn ask(endpoint: &str, route: &Route, path: &str, token: Option<&str>) -> (Verdict, String) {
    let authority = endpoint.strip_prefix("http://").unwrap();
    let mut socket = TcpStream::connect(authority).await.unwrap();
    let shown = token.map_or_else(String::new, |token| format!("Authorization: Bearer {token}\r\n"));
    let request = format!(
        "{} {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\nContent-Length: 0\r\n{shown}\r\n",
        route.method.as_str()
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
    let place_missing = body.contains("\"project-not-found\"") || body.contains("\"org-not-found\"");
    let verdict = match status {
        401 => Verdict::Unknown,
        403 => Verdict::Forbidden,
        404 if place_missing => Verdict::NotThere,
        500.. => panic!("{path}: {answer}"),
        _ => Verdict::LetIn,
    };
    (verdict, format!("{status} {body}"))
}

/// Somebody with this role there.
async fn invited(root: &Client, endpoint: &str, org: &str, project: &str, role: Role) -> String {
    let client = Client::new(endpoint, Some(TOKEN.to_owned()), project).unwrap();
    let request = Invite {
        email: format!("{role}@{org}.example"),
        role: role.to_string(),
    };
    let invited = match role {
        Role::OrgAdmin => root.invite_to_org(org, &request).await.unwrap(),
        _ => client.invite(&request).await.unwrap(),
    };
    let taken = root
        .accept_invitation(&TakeUp {
            code: invited.code,
            password: PASSWORD.to_owned(),
        })
        .await;
    taken.unwrap().access_token
}

#[tokio::test]
async fn every_route_lets_in_whom_the_table_says() {
    let uploads = tempfile::tempdir().unwrap();
    let (endpoint, _stop) = Fake::default().serve(uploads.path().to_owned()).await;
    let root = Client::new(&endpoint, Some(TOKEN.to_owned()), "default").unwrap();
    let mut callers = vec![
        Caller {
            title: "nobody".to_owned(),
            token: None,
            role: None,
            at_home: false,
        },
        Caller {
            title: "platform_admin".to_owned(),
            token: Some(TOKEN.to_owned()),
            role: Some(Role::PlatformAdmin),
            at_home: false,
        },
    ];
    for (org, at_home) in [("home", true), ("abroad", false)] {
        root.create_org(&OrgCreate {
            name: org.to_owned(),
            max_projects: None,
            quota: None,
        })
        .await
        .unwrap();
        let project = root
            .create_project(
                org,
                &ProjectCreate {
                    name: format!("{org}-shop"),
                    quota: QuotaView::default(),
                },
            )
            .await
            .unwrap();
        let mut add = |title: String, token: String, role: Role| {
            callers.push(Caller {
                title: format!(
                    "{title} {}",
                    if at_home { "at home" } else { "of another tenant" }
                ),
                token: Some(token),
                role: Some(role),
                at_home,
            });
        };
        for role in [
            Role::ProjectViewer,
            Role::ProjectMember,
            Role::ProjectAdmin,
            Role::OrgAdmin,
        ] {
            let token = invited(&root, &endpoint, org, &project.id, role).await;
            add(role.to_string(), token, role);
        }
        let inside = Client::new(&endpoint, Some(TOKEN.to_owned()), &project.id).unwrap();
        for role in [Role::ProjectViewer, Role::ProjectMember, Role::ProjectAdmin] {
            let name = format!("ci-{}", role.as_str().trim_start_matches("project_"));
            inside
                .create_service_account(&ServiceAccountCreate {
                    name: name.clone(),
                    role: Some(role.to_string()),
                })
                .await
                .unwrap();
            let request = TokenCreate {
                service_account: name,
                ttl_seconds: None,
            };
            let token = inside.create_token(&request).await.unwrap().token;
            add(format!("service account, {role}"), token, role);
        }
    }
    let mut asked = 0;
    // Deleting for good comes last, or there would be nothing left to ask about.
    let mut table: Vec<&Route> = routes::TABLE.iter().collect();
    table.sort_by_key(|route| ENDS_SOMETHING.iter().position(|id| *id == route.id));
    for route in table {
        let path = routes::fill(
            route.path,
            &[
                ("org", "home"),
                ("project", "home-shop"),
                ("member", "nobody@nowhere.example"),
                ("reference", "nothing"),
                ("invitation", "nothing"),
                ("id", "nothing"),
            ],
        );
        // Whoever is let in comes last; the first of those is the platform's administrator.
        let mut callers: Vec<&Caller> = callers.iter().collect();
        callers.sort_by_key(|caller| expected(route, caller) == Verdict::LetIn);
        let mut refusals: Vec<String> = Vec::new();
        let mut let_in = false;
        for caller in &callers {
            let wanted = expected(route, caller);
            let ends_something = ENDS_SOMETHING.contains(&route.id);
            if wanted == Verdict::LetIn && ends_something && std::mem::replace(&mut let_in, true) {
                continue;
            }
            let (seen, told) = ask(&endpoint, route, &path, caller.token.as_deref()).await;
            assert_eq!(
                seen,
                wanted,
                "{} {path} as {}: {told}",
                route.method.as_str(),
                caller.title
            );
            if seen == Verdict::NotThere {
                refusals.push(told);
            }
            asked += 1;
        }
        // What is another's and what never was are told apart by nobody.
        let nothing = path.replace("home", "nope");
        if let Some(refusal) = refusals.first() {
            let stranger = callers.iter().find(|c| c.title.contains("another")).unwrap();
            let (_, told) = ask(&endpoint, route, &nothing, stranger.token.as_deref()).await;
            assert_eq!(refusal.replace("home", "nope"), told, "{path}");
        }
    }
    assert!(asked > routes::TABLE.len() * 10, "{asked}");
}

#[tokio::test]
async fn strangers_who_ask_without_end_are_told_to_wait_and_the_log_is_spared() {
    let uploads = tempfile::tempdir().unwrap();
    let (endpoint, _stop) = Fake::default().serve(uploads.path().to_owned()).await;
    let route = routes::TABLE
        .iter()
        .find(|route| route.id == "createOrg")
        .unwrap();
    let root = Client::new(&endpoint, Some(TOKEN.to_owned()), "default").unwrap();
    let mut unknown = 0;
    loop {
        let (_, told) = ask(&endpoint, route, route.path, Some("nonsense")).await;
        if told.starts_with("429 ") {
            break;
        }
        assert!(told.starts_with("401 "), "{told}");
        unknown += 1;
        assert!(unknown < 2000, "never stopped");
    }
    let query = AuditQuery {
        limit: 1000,
        ..AuditQuery::default()
    };
    let log = root.list_audit(&query).await.unwrap();
    assert_eq!(log.records.len(), unknown);
}

#[tokio::test]
async fn whoever_asks_too_often_is_told_when_to_come_back() {
    let uploads = tempfile::tempdir().unwrap();
    let (endpoint, _stop) = Fake::default().serve(uploads.path().to_owned()).await;
    let authority = endpoint.strip_prefix("http://").unwrap();
    let body = r#"{"email":"nobody@nowhere.example","password":"wrong wrong wrong"}"#;
    let mut told = String::new();
    for _ in 0..200 {
        let mut socket = TcpStream::connect(authority).await.unwrap();
        let request = format!(
            "POST {} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            routes::LOGOUT,
            body.len()
        );
        socket.write_all(request.as_bytes()).await.unwrap();
        told.clear();
        socket.read_to_string(&mut told).await.unwrap();
        if told.starts_with("HTTP/1.1 429") {
            break;
        }
    }
    assert!(told.starts_with("HTTP/1.1 429"), "{told}");
    assert!(told.contains("retry-after: 1"), "{told}");
    assert!(told.contains("\"too-many-requests\""), "{told}");
    // Whoever is known is not held back by strangers at the same address.
    let root = Client::new(&endpoint, Some(TOKEN.to_owned()), "default").unwrap();
    root.whoami().await.unwrap();
}
