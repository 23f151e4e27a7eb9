//! Tenants: who gets in, who sees what, and how much they may have.

use std::sync::Arc;

use app::{default_org, default_project};
use types::{
    Email, Principal, ProjectId, Secret,
    tenant::{Place, Project, Quota, Role},
};
use workflow::NoProbe;

use crate::harness::{Host, Life};

pub const PASSWORD: &str = "correct horse battery staple";

pub fn life(host: &Host) -> Life {
    host.start(Arc::new(NoProbe))
}

pub fn secret(text: &str) -> Secret {
    Secret::new(text)
}

pub async fn acme(life: &Life) -> Project {
    let root = life.tenants.root().await.unwrap();
    let org = life
        .tenants
        .create_org("acme".parse().unwrap(), 2, Quota::default())
        .await
        .unwrap();
    life.tenants
        .create_project(&root, &org.id, "shop".parse().unwrap(), Quota::default())
        .await
        .unwrap()
}

/// Somebody new with a role; their pair of tokens.
pub async fn member(life: &Life, place: Place, role: Role, email: &str) -> app::tenants::Pair {
    let root = life.tenants.root().await.unwrap();
    let email: Email = email.parse().unwrap();
    let invited = life.tenants.invite(&root, place, role, email).await.unwrap();
    life.tenants
        .take_up(&invited.code, &secret(PASSWORD))
        .await
        .unwrap()
}

pub fn in_project(project: &Project) -> Place {
    Place::Project(project.org.clone(), project.id.clone())
}

#[tokio::test]
async fn an_invitation_is_good_once_and_makes_its_holder_what_it_says() {
    let host = Host::new();
    let life = life(&host);
    let shop = acme(&life).await;
    let root = life.tenants.root().await.unwrap();
    let invited = life
        .tenants
        .invite(
            &root,
            in_project(&shop),
            Role::ProjectViewer,
            "Ana@acme.example".parse().unwrap(),
        )
        .await
        .unwrap();
    let short = life.tenants.take_up(&invited.code, &secret("short")).await;
    assert_eq!(short.unwrap_err().code, "password-unfit");
    let pair = life
        .tenants
        .take_up(&invited.code, &secret(PASSWORD))
        .await
        .unwrap();
    let again = life.tenants.take_up(&invited.code, &secret(PASSWORD)).await;
    assert_eq!(again.unwrap_err().code, "invitation-refused");

    let ana = life.tenants.authenticate(&pair.access).await.unwrap();
    assert_eq!(ana.name, "ana@acme.example");
    let entered = life.tenants.enter(&ana, "shop").await.unwrap();
    assert_eq!((entered.project.id, entered.role), (shop.id, Role::ProjectViewer));
    let other = life.tenants.enter(&ana, default_project().as_str()).await;
    let nobody = life.tenants.enter(&ana, ProjectId::generate().as_str()).await;
    assert_eq!(other.unwrap_err().code, nobody.unwrap_err().code);
    assert!(life.tenants.find_org(&ana, default_org().as_str()).await.is_err());
}

#[tokio::test]
async fn an_invitation_of_somebody_known_takes_their_own_password() {
    let host = Host::new();
    let life = life(&host);
    let shop = acme(&life).await;
    member(&life, in_project(&shop), Role::ProjectViewer, "ana@acme.example").await;
    let root = life.tenants.root().await.unwrap();
    let invite = || async {
        let place = Place::Project(default_org(), default_project());
        let email = "ana@acme.example".parse().unwrap();
        life.tenants
            .invite(&root, place, Role::ProjectMember, email)
            .await
            .unwrap()
    };
    let invited = invite().await;
    let thief = life
        .tenants
        .take_up(&invited.code, &secret("a password of the thief's own"))
        .await;
    assert_eq!(thief.unwrap_err().code, "invitation-refused");
    let pair = life
        .tenants
        .take_up(&invited.code, &secret(PASSWORD))
        .await
        .unwrap();
    let ana = life.tenants.authenticate(&pair.access).await.unwrap();
    assert_eq!(life.tenants.list_projects(&ana).await.unwrap().len(), 2);
}

#[tokio::test]
async fn wrong_passwords_lock_for_a_while_and_look_like_nobody() {
    let host = Host::new();
    let life = life(&host);
    let shop = acme(&life).await;
    member(&life, in_project(&shop), Role::ProjectViewer, "ana@acme.example").await;
    let try_with = |email: &'static str, password: &'static str| {
        let tenants = life.tenants.clone();
        async move { tenants.login(email, &secret(password), None).await.map(|_| ()) }
    };
    let nobody = try_with("nobody@acme.example", PASSWORD).await.unwrap_err();
    for _ in 0..5 {
        assert_eq!(
            try_with("ana@acme.example", "wrong password").await.unwrap_err(),
            nobody
        );
    }
    assert_eq!(
        try_with("ana@acme.example", PASSWORD).await.unwrap_err(),
        nobody,
        "locked"
    );
    life.advance(61_000);
    try_with("ana@acme.example", PASSWORD).await.unwrap();
    // The first that is right begins the count anew.
    assert_eq!(
        try_with("ana@acme.example", "wrong password").await.unwrap_err(),
        nobody
    );
    try_with("ana@acme.example", PASSWORD).await.unwrap();
}

#[tokio::test]
async fn a_refresh_token_shown_twice_ends_everything_of_its_family() {
    let host = Host::new();
    let life = life(&host);
    let shop = acme(&life).await;
    let first = member(&life, in_project(&shop), Role::ProjectViewer, "ana@acme.example").await;
    let nowhere = life.tenants.refresh(&first.refresh, Some("nowhere")).await;
    assert_eq!(nowhere.unwrap_err().code, "project-not-found");
    let second = life.tenants.refresh(&first.refresh, Some("shop")).await.unwrap();
    life.tenants.authenticate(&second.access).await.unwrap();
    life.advance(2_000);
    let stolen = life.tenants.refresh(&first.refresh, None).await;
    assert_eq!(stolen.unwrap_err().code, "login-refused");
    assert!(life.tenants.authenticate(&second.access).await.is_err());
    assert!(life.tenants.refresh(&second.refresh, None).await.is_err());
    let anew = life
        .tenants
        .login("ana@acme.example", &secret(PASSWORD), None)
        .await
        .unwrap();
    life.tenants.authenticate(&anew.access).await.unwrap();
    life.tenants.logout(&anew.refresh).await.unwrap();
    assert!(life.tenants.authenticate(&anew.access).await.is_err());
    assert!(life.tenants.refresh(&anew.refresh, None).await.is_err());
}

#[tokio::test]
async fn what_is_taken_away_is_gone_at_once() {
    let host = Host::new();
    let life = life(&host);
    let shop = acme(&life).await;
    let place = in_project(&shop);
    let pair = member(&life, place.clone(), Role::ProjectAdmin, "ana@acme.example").await;
    let ana = life.tenants.authenticate(&pair.access).await.unwrap();
    let account = life
        .tenants
        .create_service_account(&shop.id, "ci".parse().unwrap(), Role::ProjectMember)
        .await
        .unwrap();
    let token = life
        .tenants
        .create_token(&ana, &shop.id, "ci", 3600)
        .await
        .unwrap();
    let ci = life.tenants.authenticate(&token.token).await.unwrap();
    assert_eq!(
        (ci.id.as_str(), ci.name.as_str()),
        (account.id.as_str(), "sa-ci@shop")
    );
    life.tenants
        .revoke_token(&shop.id, token.id.as_str())
        .await
        .unwrap();
    assert!(life.tenants.authenticate(&token.token).await.is_err());

    let second = life.tenants.create_token(&ana, &shop.id, "ci", 60).await.unwrap();
    life.tenants.authenticate(&second.token).await.unwrap();
    life.advance(61_000);
    assert!(
        life.tenants.authenticate(&second.token).await.is_err(),
        "its time is over"
    );
    let third = life
        .tenants
        .create_token(&ana, &shop.id, "ci", 3600)
        .await
        .unwrap();
    life.tenants.delete_service_account(&shop.id, "ci").await.unwrap();
    assert!(life.tenants.authenticate(&third.token).await.is_err());

    life.tenants
        .remove_member(&place, "ana@acme.example")
        .await
        .unwrap();
    assert!(life.tenants.authenticate(&pair.access).await.is_err());
    assert!(life.tenants.list_members(&place).await.unwrap().is_empty());
}

#[tokio::test]
async fn tokens_of_one_cluster_are_no_tokens_of_the_platform() {
    let host = Host::new();
    let life = life(&host);
    let shop = acme(&life).await;
    let pair = member(&life, in_project(&shop), Role::ProjectMember, "ana@acme.example").await;
    let ana = life.tenants.authenticate(&pair.access).await.unwrap();
    let fresh = life
        .tenants
        .cluster_token(&ana, &shop.id, &types::ClusterId::generate())
        .await
        .unwrap();
    assert_eq!(
        life.tenants.authenticate(&fresh.token).await.unwrap_err().code,
        "token-wrong"
    );
}

#[tokio::test]
async fn what_is_made_from_a_programs_token_does_not_outlive_it() {
    let host = Host::new();
    let life = life(&host);
    let shop = acme(&life).await;
    let root = life.tenants.root().await.unwrap();
    life.tenants
        .create_service_account(&shop.id, "ci".parse().unwrap(), Role::ProjectAdmin)
        .await
        .unwrap();
    let short = life
        .tenants
        .create_token(&root, &shop.id, "ci", 60)
        .await
        .unwrap();
    let ci = life.tenants.authenticate(&short.token).await.unwrap();
    let cluster = life
        .tenants
        .cluster_token(&ci, &shop.id, &types::ClusterId::generate())
        .await
        .unwrap();
    let instance = types::MachineId::generate();
    let ticket = life.tenants.ssh_ticket(&ci, &shop.id, &instance).await.unwrap();
    assert_eq!((cluster.expires, ticket.expires), (short.expires, short.expires));
}

#[tokio::test]
async fn keys_follow_one_another_and_tokens_outlive_theirs() {
    let host = Host::new();
    let life = life(&host);
    let shop = acme(&life).await;
    let pair = member(&life, in_project(&shop), Role::ProjectMember, "ana@acme.example").await;
    life.tenants.rotate_signing_key().await.unwrap();
    life.tenants.authenticate(&pair.access).await.unwrap();
    assert_eq!(life.tenants.key_set().await.unwrap().0.len(), 2);
    // Another process of the same platform reads the same keys.
    let next = self::life(&host);
    next.tenants.authenticate(&pair.access).await.unwrap();
}

#[tokio::test]
async fn an_organisation_has_only_so_many_projects_and_goes_when_it_is_empty() {
    let host = Host::new();
    let life = life(&host);
    let shop = acme(&life).await;
    let pair = member(
        &life,
        Place::Org(shop.org.clone()),
        Role::OrgAdmin,
        "boss@acme.example",
    )
    .await;
    let boss = life.tenants.authenticate(&pair.access).await.unwrap();
    let create = |caller: Principal, name: &'static str| {
        let (tenants, org) = (life.tenants.clone(), shop.org.clone());
        async move {
            tenants
                .create_project(&caller, &org, name.parse().unwrap(), Quota::default())
                .await
        }
    };
    create(boss.clone(), "blog").await.unwrap();
    assert_eq!(
        create(boss.clone(), "more").await.unwrap_err().code,
        "projects-exhausted"
    );
    assert_eq!(
        create(boss.clone(), "shop").await.unwrap_err().code,
        "projects-exhausted"
    );
    assert_eq!(
        life.tenants.delete_org(&shop.org).await.unwrap_err().code,
        "org-in-use"
    );
    for entered in life.tenants.list_projects(&boss).await.unwrap() {
        life.tenants.delete_project(&entered.project.id).await.unwrap();
    }
    life.tenants.delete_org(&shop.org).await.unwrap();
    assert!(
        life.tenants.authenticate(&pair.access).await.is_err(),
        "its roles went with it"
    );
}
