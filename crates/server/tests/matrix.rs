//! Every route × every role × own and foreign tenant, by the table and nothing else.
//!
//! What is sent is empty or wrong on purpose: whoever is let in gets an answer of the handler, whoever is not must not
//! get that far.

use api::{
    client::{AuditQuery, Client},
    routes::{self, Route},
    tenant::{Invite, OrgCreate, ProjectCreate, QuotaView, ServiceAccountCreate, TakeUp, TokenCreate},
};
use ports::store::{Batch, Doc, Filter, Write};
use server::fake::{Fake, TOKEN, samples};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use types::{
    GrantId, ShareId, Timestamp,
    access::Access,
    cluster::{Cluster, ClusterSpec},
    grant::{ClusterGrant, GrantRole, Granted},
    machine::Machine,
    share::ClusterShare,
    tenant::{Project, Role},
};

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
        Access::Open | Access::SignedIn | Access::ClusterSeen | Access::OrgSeen => true,
        // None of these is shared.
        Access::ClusterAdmin => role >= Some(Role::ProjectAdmin),
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
                ("with", "nothing"),
                ("invitation", "nothing"),
                ("instance", "nothing"),
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

/// Whoever was granted something in one cluster of a project they have no role in.
#[tokio::test]
async fn a_grant_lets_into_one_cluster_and_nothing_else_of_its_project() {
    let uploads = tempfile::tempdir().unwrap();
    let fake = Fake::default();
    let books = fake.books.clone();
    let (endpoint, _stop) = fake.serve(uploads.path().to_owned()).await;
    let root = Client::new(&endpoint, Some(TOKEN.to_owned()), "default").unwrap();
    let org = OrgCreate {
        name: "home".to_owned(),
        max_projects: None,
        quota: None,
    };
    let org = root.create_org(&org).await.unwrap();
    let mut projects = Vec::new();
    for name in ["home-shop", "home-blog"] {
        let request = ProjectCreate {
            name: name.to_owned(),
            quota: QuotaView::default(),
        };
        projects.push(root.create_project("home", &request).await.unwrap());
    }
    let token = invited(&root, &endpoint, "home", &projects[1].id, Role::ProjectAdmin).await;
    let who = Client::new(&endpoint, Some(token.clone()), "home-blog").unwrap();
    let principal = who.whoami().await.unwrap().id;
    let network = samples::network(1, "lab".parse().unwrap(), "10.0.0.0/16".parse().unwrap());
    let made = |n: u64, name: &str| Cluster {
        project: projects[0].id.parse().unwrap(),
        ..samples::cluster(n, name.parse().unwrap(), &network, ClusterSpec::default())
    };
    let (dev, beside) = (made(2, "dev"), made(3, "beside"));
    let granted = Granted {
        role: GrantRole::Viewer,
        namespace: None,
    };
    let grant = ClusterGrant {
        id: GrantId::generate(),
        cluster: dev.id.clone(),
        org: org.id.parse().unwrap(),
        project: dev.project.clone(),
        key: ClusterGrant::key(&principal, &granted),
        principal,
        principal_name: "project_admin@home.example".to_owned(),
        granted,
        by: "root".to_owned(),
        created: Timestamp(0),
    };
    let writes = vec![
        Write::Put(Doc::new(&dev, 0)),
        Write::Put(Doc::new(&beside, 0)),
        Write::Put(Doc::new(&grant, 0)),
    ];
    let fence = None;
    ports::Store::commit(&*books, Batch { fence, writes })
        .await
        .unwrap();

    let asked = who.list_granted_clusters().await.unwrap().clusters;
    assert_eq!(asked.len(), 1);
    assert_eq!(
        (asked[0].name.as_str(), asked[0].project.as_str()),
        ("dev", "home-shop")
    );
    let named = [
        ("home-shop", "dev", true),
        ("home/home-shop", dev.id.as_str(), true),
        (projects[0].id.as_str(), "dev", true),
        ("home-shop", "beside", false),
        ("home-shop", beside.id.as_str(), false),
        ("home-shop", "nothing", false),
        ("nope", "dev", false),
    ];
    let mut seen_by_grant = Vec::new();
    for route in routes::TABLE
        .iter()
        .filter(|route| route.path.contains("{project}"))
    {
        for (project, reference, its_own) in named {
            let values = [
                ("project", project),
                ("reference", reference),
                ("member", "nobody@nowhere.example"),
                ("with", "nothing"),
                ("invitation", "nothing"),
                ("id", "nothing"),
            ];
            let path = routes::fill(route.path, &values);
            let (seen, told) = ask(&endpoint, route, &path, Some(&token)).await;
            let wanted = match its_own && route.access == Access::ClusterSeen {
                true => Verdict::LetIn,
                false => Verdict::NotThere,
            };
            assert_eq!(seen, wanted, "{} {path}: {told}", route.method.as_str());
            if seen == Verdict::LetIn {
                seen_by_grant.push(route.id);
            }
        }
    }
    seen_by_grant.dedup();
    assert_eq!(seen_by_grant, ["getCluster", "kubeconfig", "clusterToken"]);
}

/// Routes of a cluster, as administrators of its project, of the other project and of the organisation ask.
#[tokio::test]
async fn a_shared_cluster_is_its_organisations_to_administer() {
    let uploads = tempfile::tempdir().unwrap();
    let fake = Fake::default();
    let books = fake.books.clone();
    let (endpoint, _stop) = fake.serve(uploads.path().to_owned()).await;
    let root = Client::new(&endpoint, Some(TOKEN.to_owned()), "default").unwrap();
    let org = OrgCreate {
        name: "home".to_owned(),
        max_projects: None,
        quota: None,
    };
    root.create_org(&org).await.unwrap();
    for name in ["home-shop", "home-blog"] {
        let request = ProjectCreate {
            name: name.to_owned(),
            quota: QuotaView::default(),
        };
        root.create_project("home", &request).await.unwrap();
    }
    let shop = invited(&root, &endpoint, "home", "home-shop", Role::ProjectAdmin).await;
    let boss = invited(&root, &endpoint, "home", "home-shop", Role::OrgAdmin).await;
    let home = root.list_projects().await.unwrap().projects;
    let project = home.iter().find(|project| project.name == "home-shop").unwrap();
    let network = samples::network(1, "lab".parse().unwrap(), "10.0.0.0/16".parse().unwrap());
    for (n, name) in [(2, "own"), (3, "shared")] {
        let cluster = Cluster {
            project: project.id.parse().unwrap(),
            ..samples::cluster(n, name.parse().unwrap(), &network, ClusterSpec::default())
        };
        let worker = Machine {
            project: cluster.project.clone(),
            hostname: name.to_owned(),
            ..samples::worker(n + 2, &cluster, &"default".parse().unwrap(), 0)
        };
        let writes = vec![
            Write::Put(Doc::new(&cluster, 0)),
            Write::Put(Doc::new(&worker, 0)),
        ];
        let fence = None;
        ports::Store::commit(&*books, Batch { fence, writes })
            .await
            .unwrap();
        if name == "shared" {
            let with = ports::Store::list(&*books, "project", &Filter::default())
                .await
                .unwrap();
            let with = with
                .into_iter()
                .find(|doc| doc.name.as_deref() == Some("home-blog"));
            let share = ClusterShare {
                id: ShareId::generate(),
                cluster: cluster.id,
                with: with.unwrap().read::<Project>().unwrap().value,
                by: "root".to_owned(),
                created: Timestamp(0),
                remove_after: None,
            };
            let (fence, writes) = (None, vec![Write::Put(Doc::new(&share, 0))]);
            ports::Store::commit(&*books, Batch { fence, writes })
                .await
                .unwrap();
        }
    }
    let mut asked = Vec::new();
    for route in routes::TABLE
        .iter()
        .filter(|route| route.access == Access::ClusterAdmin)
    {
        for (token, reference, wanted) in [
            (&shop, "own", Verdict::LetIn),
            (&shop, "shared", Verdict::Forbidden),
            (&boss, "own", Verdict::LetIn),
            (&boss, "shared", Verdict::LetIn),
        ] {
            let named = [
                ("project", "home-shop"),
                ("reference", reference),
                ("instance", reference),
            ];
            let path = routes::fill(route.path, &named);
            let (seen, told) = ask(&endpoint, route, &path, Some(token)).await;
            assert_eq!(seen, wanted, "{} {path}: {told}", route.method.as_str());
        }
        asked.push(route.id);
    }
    assert_eq!(
        asked,
        ["issueCredentials", "createGrant", "revokeGrants", "sshInstance"]
    );
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
    let log = root.audit(&AuditQuery::default()).all().await.unwrap();
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
