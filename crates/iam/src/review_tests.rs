//! Every kind of principal against every kind of cluster.

use serde_json::{Value, json};
use types::grant::GrantRole;

use super::*;
use crate::{keys::SigningKey, token::mint};

const NOW: Timestamp = Timestamp(1_800_000_000);
const ISSUER: &str = "https://cloud.test";

struct Scene {
    key: SigningKey,
    snapshot: Snapshot,
    network: NetworkId,
    cluster: ClusterId,
    other_cluster: ClusterId,
    org: OrgId,
    project: ProjectId,
    second_project: ProjectId,
    other_org: OrgId,
    other_project: ProjectId,
}

const USER: &str = "user-0123456789abcdef";
const PROGRAM: &str = "sa-0123456789abcdef";

fn scene() -> Scene {
    let key = SigningKey::generate().unwrap();
    let (network, org, other_org) = (NetworkId::generate(), OrgId::generate(), OrgId::generate());
    let (project, second_project, other_project) = (
        ProjectId::generate(),
        ProjectId::generate(),
        ProjectId::generate(),
    );
    let (cluster, other_cluster) = (ClusterId::generate(), ClusterId::generate());
    let reach = |org: &OrgId, project: &ProjectId| Reach {
        network: network.clone(),
        org: org.clone(),
        projects: BTreeSet::from([project.clone()]),
        grants: BTreeMap::new(),
    };
    let snapshot = Snapshot {
        generation: 1,
        issuer: ISSUER.to_owned(),
        keys: KeySet(vec![key.public()]),
        principals: BTreeSet::from([USER.to_owned(), PROGRAM.to_owned()]),
        clusters: BTreeMap::from([
            (cluster.clone(), reach(&org, &project)),
            (other_cluster.clone(), reach(&other_org, &other_project)),
        ]),
        org_projects: BTreeMap::from([
            (
                org.clone(),
                BTreeSet::from([project.clone(), second_project.clone()]),
            ),
            (other_org.clone(), BTreeSet::from([other_project.clone()])),
        ]),
        ..Snapshot::default()
    };
    Scene {
        key,
        snapshot,
        network,
        cluster,
        other_cluster,
        org,
        project,
        second_project,
        other_org,
        other_project,
    }
}

impl Scene {
    fn claims(&self, roles: &[Role]) -> Claims {
        Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: USER.to_owned(),
            email: "ana@acme.example".to_owned(),
            org_id: Some(self.org.clone()),
            project_id: Some(self.project.clone()),
            roles: roles.to_vec(),
            iat: NOW,
            exp: NOW.plus(600),
            jti: TokenId::generate(),
        }
    }

    fn program(&self, role: Role) -> Claims {
        Claims {
            sub: PROGRAM.to_owned(),
            email: format!("sa-ci@{}", self.project),
            ..self.claims(&[role])
        }
    }

    fn review(&self, claims: &Claims) -> Review {
        let token = mint(&self.key, claims).unwrap();
        self.snapshot
            .review(&self.network, &self.cluster, token.expose_str().unwrap(), NOW)
    }

    fn groups(&self, claims: &Claims) -> BTreeSet<String> {
        self.review(claims)
            .user
            .expect("authenticated")
            .groups
            .into_iter()
            .collect()
    }

    fn refused(&self, claims: &Claims, why: Refusal) {
        let review = self.review(claims);
        assert_eq!(review, Review::refused(why));
        assert_eq!(
            serde_json::from_slice::<Value>(&review.document()).unwrap(),
            json!({
                "apiVersion": "authentication.k8s.io/v1",
                "kind": "TokenReview",
                "status": {"authenticated": false, "error": "Invalid or expired token"},
            })
        );
    }
}

fn set(groups: &[String]) -> BTreeSet<String> {
    groups.iter().cloned().collect()
}

#[test]
fn a_person_is_told_as_kubernetes_reads_it() {
    let scene = scene();
    let claims = scene.claims(&[Role::ProjectMember]);
    let document: Value = serde_json::from_slice(&scene.review(&claims).document()).unwrap();
    assert_eq!(
        document,
        json!({
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenReview",
            "status": {
                "authenticated": true,
                "user": {
                    "username": "ana@acme.example",
                    "uid": USER,
                    "groups": [
                        format!("org:{}", scene.org),
                        format!("project:{}", scene.project),
                        format!("project:{}:member", scene.project),
                        "system:authenticated",
                    ],
                    "extra": {
                        "org_id": [scene.org.to_string()],
                        "project_id": [scene.project.to_string()],
                        "roles": ["project_member"],
                    },
                },
            },
        })
    );
}

#[test]
fn groups_that_end_in_a_role_are_for_its_holders_only() {
    let scene = scene();
    let (org, project, second) = (&scene.org, &scene.project, &scene.second_project);
    let basic = [
        format!("org:{org}"),
        format!("project:{project}"),
        "system:authenticated".to_owned(),
    ];
    let plus = |more: &[String]| set(&[&basic[..], more].concat());
    for (role, more) in [
        (Role::ProjectViewer, vec![format!("project:{project}:viewer")]),
        (Role::ProjectMember, vec![format!("project:{project}:member")]),
        (Role::ProjectAdmin, vec![format!("project:{project}:admin")]),
        (
            Role::OrgAdmin,
            vec![
                format!("org:{org}:admin"),
                format!("project:{second}"),
                "k8s:org-admin".to_owned(),
            ],
        ),
        (Role::PlatformAdmin, vec!["system:plasmacloud-admins".to_owned()]),
    ] {
        assert_eq!(scene.groups(&scene.claims(&[role])), plus(&more), "{role}");
    }
    assert_eq!(scene.groups(&scene.claims(&[])), plus(&[]));
}

#[test]
fn a_program_is_told_as_one() {
    let scene = scene();
    let review = scene.review(&scene.program(Role::ProjectViewer));
    let user = review.user.unwrap();
    assert_eq!(user.username, format!("sa-ci@{}", scene.project));
    assert_eq!(user.uid, PROGRAM);
    assert_eq!(
        set(&user.groups),
        set(&[
            format!("org:{}", scene.org),
            format!("project:{}", scene.project),
            format!("project:{}:viewer", scene.project),
            "system:serviceaccounts".to_owned(),
        ])
    );
}

#[test]
fn nobody_passes_for_somebody_else() {
    let scene = scene();
    let person = scene.claims(&[Role::ProjectViewer]);
    let named = |email: String| Claims {
        email,
        ..person.clone()
    };
    for email in [
        format!("sa-ci@{}", scene.project),
        "sa-ci@shop".to_owned(),
        "system:admin".to_owned(),
        "Ana@acme.example".to_owned(),
        String::new(),
    ] {
        scene.refused(&named(email), Refusal::Principal);
    }
    let program = scene.program(Role::ProjectAdmin);
    scene.refused(
        &Claims {
            email: "ana@acme.example".to_owned(),
            ..program.clone()
        },
        Refusal::Principal,
    );
    for role in [Role::OrgAdmin, Role::PlatformAdmin] {
        scene.refused(&scene.program(role), Refusal::Principal);
    }
}

#[test]
fn a_token_is_good_where_its_project_reaches() {
    let scene = scene();
    let of = |roles: &[Role], org: &OrgId, project: Option<&ProjectId>| Claims {
        org_id: Some(org.clone()),
        project_id: project.cloned(),
        ..scene.claims(roles)
    };
    // Its own project, or an administrator above it.
    assert!(
        scene
            .review(&of(&[Role::OrgAdmin], &scene.org, None))
            .authenticated
    );
    assert!(
        scene
            .review(&of(&[Role::OrgAdmin], &scene.org, Some(&scene.second_project)))
            .authenticated
    );
    assert!(
        scene
            .review(&of(&[Role::PlatformAdmin], &scene.other_org, None))
            .authenticated
    );
    // Not: a sister project, another organisation, nowhere.
    scene.refused(
        &of(&[Role::ProjectAdmin], &scene.org, Some(&scene.second_project)),
        Refusal::Reach,
    );
    scene.refused(
        &of(&[Role::OrgAdmin], &scene.other_org, Some(&scene.other_project)),
        Refusal::Reach,
    );
    scene.refused(&of(&[Role::ProjectAdmin], &scene.org, None), Refusal::Reach);
}

#[test]
fn a_grant_lets_one_principal_into_one_cluster_with_what_was_granted() {
    let mut scene = scene();
    let cluster = scene.cluster.clone();
    let granted = |role, namespace: Option<&str>| Granted {
        role,
        namespace: namespace.map(|n| n.parse().unwrap()),
    };
    let elsewhere = Claims {
        org_id: Some(scene.other_org.clone()),
        project_id: Some(scene.other_project.clone()),
        ..scene.claims(&[Role::ProjectAdmin])
    };
    let nowhere = Claims {
        org_id: None,
        project_id: None,
        ..scene.claims(&[])
    };
    scene.refused(&elsewhere, Refusal::Reach);
    scene.refused(&nowhere, Refusal::Reach);
    let grants = BTreeSet::from([
        granted(GrantRole::Viewer, Some("web")),
        granted(GrantRole::Member, None),
    ]);
    let reach = scene.snapshot.clusters.get_mut(&cluster).unwrap();
    reach.grants.insert(USER.to_owned(), grants);
    let own = [
        format!("cluster:{cluster}:member"),
        format!("cluster:{cluster}:viewer"),
        format!("cluster:{cluster}:web:viewer"),
        "system:authenticated".to_owned(),
    ];
    assert_eq!(scene.groups(&nowhere), set(&own));
    let user = scene.review(&nowhere).user.unwrap();
    assert_eq!(user.extra.keys().collect::<Vec<_>>(), [&"roles"]);
    // A role held elsewhere is told as such, and is none here.
    let of_both: BTreeSet<String> = scene.groups(&elsewhere);
    assert!(of_both.is_superset(&set(&own)));
    assert!(of_both.contains(&format!("project:{}:admin", scene.other_project)));
    assert!(!of_both.contains(&format!("project:{}", scene.project)));
    // Another principal of the same address, and the same one at another cluster, have nothing.
    scene
        .snapshot
        .principals
        .insert("user-zzzzzzzzzzzzzzzz".to_owned());
    let same_name = Claims {
        sub: "user-zzzzzzzzzzzzzzzz".to_owned(),
        ..nowhere.clone()
    };
    scene.refused(&same_name, Refusal::Reach);
    let token = mint(&scene.key, &nowhere).unwrap();
    let (token, other) = (token.expose_str().unwrap(), &scene.other_cluster);
    let review = scene.snapshot.review(&scene.network, other, token, NOW);
    assert_eq!(review.refusal, Some(Refusal::Reach));
    // Taken: refused with the next answer.
    let reach = scene.snapshot.clusters.get_mut(&cluster).unwrap();
    reach.grants.clear();
    scene.refused(&nowhere, Refusal::Reach);
}

#[test]
fn an_administrator_of_another_organisation_is_none_here() {
    let mut scene = scene();
    // A project of another organisation was let in.
    let guest = scene.other_project.clone();
    scene
        .snapshot
        .clusters
        .get_mut(&scene.cluster)
        .unwrap()
        .projects
        .insert(guest.clone());
    let claims = Claims {
        org_id: Some(scene.other_org.clone()),
        project_id: Some(guest.clone()),
        ..scene.claims(&[Role::OrgAdmin])
    };
    let groups = scene.groups(&claims);
    assert!(!groups.contains("k8s:org-admin"), "{groups:?}");
    assert!(groups.contains(&format!("org:{}:admin", scene.other_org)));
}

#[test]
fn a_token_for_one_cluster_is_none_for_another() {
    let scene = scene();
    let own = Claims {
        aud: cluster_audience(&scene.cluster),
        ..scene.claims(&[Role::PlatformAdmin])
    };
    assert!(scene.review(&own).authenticated);
    let other = Claims {
        aud: cluster_audience(&scene.other_cluster),
        ..own
    };
    scene.refused(&other, Refusal::Token(TokenError::Audience));
}

#[test]
fn whoever_asks_from_elsewhere_is_told_nothing() {
    let scene = scene();
    let token = mint(&scene.key, &scene.claims(&[Role::ProjectAdmin])).unwrap();
    let token = token.expose_str().unwrap();
    let (elsewhere, unknown) = (NetworkId::generate(), ClusterId::generate());
    let review = |network, cluster| scene.snapshot.review(network, cluster, token, NOW).refusal;
    assert_eq!(review(&scene.network, &scene.cluster), None);
    assert_eq!(review(&elsewhere, &scene.cluster), Some(Refusal::Cluster));
    assert_eq!(review(&scene.network, &unknown), Some(Refusal::Cluster));
}

#[test]
fn what_was_withdrawn_is_refused() {
    let mut scene = scene();
    let claims = scene.claims(&[Role::ProjectAdmin]);
    scene.snapshot.revoked.insert(claims.jti.clone(), claims.exp);
    scene.refused(&claims, Refusal::Revoked);
    scene.snapshot.revoked.clear();
    scene.snapshot.not_before.insert(USER.to_owned(), NOW);
    assert!(scene.review(&claims).authenticated, "issued at that very moment");
    scene.snapshot.not_before.insert(USER.to_owned(), NOW.plus(1));
    scene.refused(&claims, Refusal::Withdrawn);
    scene.snapshot.not_before.clear();
    scene.snapshot.principals.remove(USER);
    scene.refused(&claims, Refusal::Principal);
}

#[test]
fn a_snapshot_is_written_and_read_and_nothing_else_is() {
    let scene = scene();
    let text = serde_json::to_value(&scene.snapshot).unwrap();
    assert_eq!(
        serde_json::from_value::<Snapshot>(text.clone()).unwrap(),
        scene.snapshot
    );
    let mut more = text;
    more["more"] = json!(1);
    assert!(serde_json::from_value::<Snapshot>(more).is_err());
}
