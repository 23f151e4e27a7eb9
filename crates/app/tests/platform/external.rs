//! Who a login provider may say somebody is, and for how long.

use std::sync::Arc;

use app::{
    default_project,
    tenants::{Doors, GroupRule, Presented, ProviderRules, RulePlace, Tenants},
};
use types::{
    Secret,
    grant::GrantRole,
    tenant::{Place, Project, Role},
};
use workflow::NoProbe;

use crate::{
    harness::{Host, Life},
    scene::Scene,
    tenants::{PASSWORD, acme},
};

const HOUR_MS: u64 = 3_600_000;

fn rules(name: &str) -> ProviderRules {
    ProviderRules {
        name: name.to_owned(),
        email_domains: vec!["acme.example".to_owned()],
        require_verified_email: true,
        groups: vec![
            GroupRule {
                group: "devs".to_owned(),
                role: Role::ProjectMember,
                place: RulePlace::Project {
                    org: "acme".to_owned(),
                    project: "shop".to_owned(),
                },
            },
            GroupRule {
                group: "operators".to_owned(),
                role: Role::PlatformAdmin,
                place: RulePlace::Platform,
            },
        ],
        session_s: 12 * 3600,
    }
}

fn with(life: &Life, password: bool, providers: &[&str]) -> Tenants {
    life.tenants.clone().with_doors(Doors {
        password,
        providers: providers.iter().map(|name| rules(name)).collect(),
    })
}

fn presented(subject: &str, email: &str, groups: &[&str]) -> Presented {
    Presented {
        provider: "corp".to_owned(),
        issuer: "https://id.acme.example".to_owned(),
        subject: subject.to_owned(),
        email: Some(email.to_owned()),
        email_verified: true,
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
    }
}

async fn start() -> (Host, Life, Project) {
    let host = Host::new();
    let life = host.start(Arc::new(NoProbe));
    let shop = acme(&life).await;
    (host, life, shop)
}

#[tokio::test]
async fn somebody_is_the_same_by_subject_and_not_by_address() {
    let (_host, life, shop) = start().await;
    let tenants = with(&life, true, &["corp"]);
    let first = tenants
        .login_presented(&presented("ana-1", "Ana@acme.example", &["devs"]), None, None)
        .await
        .unwrap();
    let ana = tenants.authenticate(&first.access).await.unwrap();
    assert_eq!(
        ana.role_in_project(&shop.org, &shop.id),
        Some(Role::ProjectMember)
    );
    // Renamed at the provider: the same person.
    let renamed = presented("ana-1", "ana.b@acme.example", &["devs"]);
    let renamed = tenants.login_presented(&renamed, None, None).await.unwrap();
    assert_eq!(renamed.user, first.user);
    // Their old address in the hands of another: nobody's.
    let heir = presented("heir-1", "ana@acme.example", &["devs"]);
    let fault = tenants.login_presented(&heir, None, None).await.unwrap_err();
    assert_eq!(fault.code, "login-refused");
    // The same subject at another issuer is another person.
    let elsewhere = Presented {
        issuer: "https://elsewhere.example".to_owned(),
        ..presented("ana-1", "eve@acme.example", &["devs"])
    };
    let eve = tenants.login_presented(&elsewhere, None, None).await.unwrap();
    assert_ne!(eve.user, first.user);
}

#[tokio::test]
async fn what_a_provider_may_not_say_is_not_believed() {
    let (_host, life, _) = start().await;
    let tenants = with(&life, true, &["corp"]);
    let code = |presented: Presented| {
        let tenants = tenants.clone();
        async move {
            tenants
                .login_presented(&presented, None, None)
                .await
                .unwrap_err()
                .code
        }
    };
    let bent = |bend: fn(&mut Presented)| {
        let mut bent = presented("ana-1", "ana@acme.example", &["devs"]);
        bend(&mut bent);
        bent
    };
    assert_eq!(code(bent(|p| p.email = None)).await, "login-address");
    assert_eq!(
        code(bent(|p| p.email = Some("not one".to_owned()))).await,
        "login-address"
    );
    assert_eq!(code(bent(|p| p.email_verified = false)).await, "login-address");
    assert_eq!(
        code(bent(
            |p| p.email = Some("ana@acme.example.robber.example".to_owned())
        ))
        .await,
        "login-address"
    );
    assert_eq!(
        code(bent(|p| p.email = Some("admin@platform.local".to_owned()))).await,
        "login-address"
    );
    assert_eq!(
        code(bent(|p| p.groups = vec!["Devs".to_owned()])).await,
        "login-no-role"
    );
    assert_eq!(
        code(bent(|p| p.provider = "lab".to_owned())).await,
        "login-refused"
    );
}

#[tokio::test]
async fn the_platforms_first_administrator_is_nobody_elses_person() {
    let (_host, life, _) = start().await;
    let mut doors = Doors {
        password: true,
        providers: vec![rules("corp")],
    };
    // Even where an operator gives a provider the domain of that address.
    doors.providers[0].email_domains = vec!["platform.local".to_owned()];
    let tenants = life.tenants.clone().with_doors(doors);
    let root = presented("root-1", "admin@platform.local", &["devs", "operators"]);
    let fault = tenants.login_presented(&root, None, None).await.unwrap_err();
    assert_eq!(fault.code, "login-refused");
}

#[tokio::test]
async fn roles_by_group_go_with_the_group_and_roles_by_invitation_stay() {
    let (_host, life, shop) = start().await;
    let tenants = with(&life, true, &["corp"]);
    let root = tenants.root().await.unwrap();
    let place = Place::Project(shop.org.clone(), shop.id.clone());
    let email = "ana@acme.example".parse().unwrap();
    let invited = tenants
        .invite(&root, place.clone(), Role::ProjectViewer, email)
        .await
        .unwrap();
    let pair = tenants
        .take_up(&invited.code, &Secret::new(PASSWORD))
        .await
        .unwrap();
    let both = presented("ana-1", "ana@acme.example", &["devs"]);
    let linked = tenants.login_presented(&both, None, None).await.unwrap();
    assert_eq!(linked.user, pair.user, "the provider answers for the address");
    let roles = |access: Secret| {
        let tenants = tenants.clone();
        async move {
            let caller = tenants.authenticate(&access).await.unwrap();
            let mut roles: Vec<Role> = caller.grants.iter().map(|grant| grant.role).collect();
            roles.sort();
            roles
        }
    };
    assert_eq!(
        roles(linked.access.clone()).await,
        [Role::ProjectViewer, Role::ProjectMember]
    );
    let without = presented("ana-1", "ana@acme.example", &[]);
    let after = tenants.login_presented(&without, None, None).await.unwrap();
    assert!(
        tenants.authenticate(&linked.access).await.is_err(),
        "its tokens ended"
    );
    assert_eq!(roles(after.access).await, [Role::ProjectViewer]);
    // Taken away by hand, both kinds go.
    tenants.login_presented(&both, None, None).await.unwrap();
    tenants.remove_member(&place, "ana@acme.example").await.unwrap();
    let fault = tenants.login_presented(&without, None, None).await.unwrap_err();
    assert_eq!(fault.code, "login-no-role");
}

#[tokio::test]
async fn whoever_is_here_by_a_group_is_one_of_its_people() {
    let (_host, life, shop) = start().await;
    let tenants = with(&life, true, &["corp"]);
    let ana = presented("ana-1", "ana@acme.example", &["devs"]);
    let pair = tenants.login_presented(&ana, None, None).await.unwrap();
    let place = Place::Project(shop.org.clone(), shop.id.clone());
    let members = tenants.list_members(&place).await.unwrap();
    assert_eq!(members.len(), 1);
    assert_eq!(members[0].grants[0].role, Role::ProjectMember);
    tenants.remove_member(&place, "ana@acme.example").await.unwrap();
    assert!(tenants.authenticate(&pair.access).await.is_err());
    assert!(tenants.list_members(&place).await.unwrap().is_empty());
}

#[tokio::test]
async fn rights_in_a_cluster_can_be_given_to_them_and_go_with_the_last_group() {
    let scene = Scene::new().await;
    let tenants = scene.life.tenants.clone().with_doors(Doors {
        password: true,
        providers: vec![ProviderRules {
            groups: vec![GroupRule {
                group: "writers".to_owned(),
                role: Role::ProjectViewer,
                place: RulePlace::Project {
                    org: "default".to_owned(),
                    project: "blog".to_owned(),
                },
            }],
            ..rules("corp")
        }],
    });
    let login = |groups: &'static [&'static str]| {
        let tenants = tenants.clone();
        async move {
            let ana = presented("ana-1", "ana@acme.example", groups);
            tenants.login_presented(&ana, None, None).await
        }
    };
    login(&["writers"]).await.unwrap();
    scene
        .grant("ana@acme.example", GrantRole::Viewer, None)
        .await
        .unwrap();
    login(&["writers"]).await.unwrap();
    let grants = || async {
        let all = tenants.list_grants(&default_project(), "dev").await;
        all.unwrap().len()
    };
    assert_eq!(grants().await, 1);
    login(&[]).await.unwrap_err();
    assert_eq!(grants().await, 0);
}

#[tokio::test]
async fn a_login_at_a_provider_ends_however_often_it_is_refreshed() {
    let (_host, life, _) = start().await;
    let tenants = with(&life, true, &["corp"]);
    let mut pair = tenants
        .login_presented(&presented("ana-1", "ana@acme.example", &["devs"]), None, None)
        .await
        .unwrap();
    for _ in 0..11 {
        life.advance(HOUR_MS);
        pair = tenants.refresh(&pair.refresh, None).await.unwrap();
    }
    // A provider that the settings do not have any more lets nobody stay.
    let without = with(&life, true, &[]);
    assert_eq!(
        without.refresh(&pair.refresh, None).await.unwrap_err().code,
        "login-refused"
    );
    life.advance(HOUR_MS);
    assert_eq!(
        tenants.refresh(&pair.refresh, None).await.unwrap_err().code,
        "login-refused"
    );
}

#[tokio::test]
async fn without_passwords_nobody_comes_or_stays_by_one() {
    let (_host, life, shop) = start().await;
    let tenants = with(&life, true, &["corp"]);
    let root = tenants.root().await.unwrap();
    let place = Place::Project(shop.org.clone(), shop.id.clone());
    let invite = |email: &'static str| {
        let (tenants, root, place) = (tenants.clone(), root.clone(), place.clone());
        async move {
            let email = email.parse().unwrap();
            tenants
                .invite(&root, place, Role::ProjectViewer, email)
                .await
                .unwrap()
                .code
        }
    };
    let secret = Secret::new(PASSWORD);
    let bob = tenants
        .take_up(&invite("bob@acme.example").await, &secret)
        .await
        .unwrap();
    let closed = with(&life, false, &["corp"]);
    let off = "password-login-off";
    assert_eq!(
        closed
            .login("bob@acme.example", &secret, None)
            .await
            .unwrap_err()
            .code,
        off
    );
    assert_eq!(
        closed.refresh(&bob.refresh, None).await.unwrap_err().code,
        "login-refused"
    );
    let code = invite("cat@acme.example").await;
    assert_eq!(closed.take_up(&code, &secret).await.unwrap_err().code, off);
    // The invitation is good with the provider, for its address alone.
    let other = presented("dan-1", "dan@acme.example", &[]);
    let fault = closed
        .login_presented(&other, Some(&code), None)
        .await
        .unwrap_err();
    assert_eq!(fault.code, "invitation-refused");
    let cat = presented("cat-1", "cat@acme.example", &[]);
    let pair = closed.login_presented(&cat, Some(&code), None).await.unwrap();
    assert_eq!(closed.authenticate(&pair.access).await.unwrap().grants.len(), 1);
    // And nobody gives a person whom a provider vouches for a password.
    let fault = tenants
        .take_up(&invite("cat@acme.example").await, &secret)
        .await
        .unwrap_err();
    assert_eq!(fault.code, "invitation-refused");
}
