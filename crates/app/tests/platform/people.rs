//! People: invitations taken back, passwords changed and lost, somebody forgotten.

use app::default_org;
use types::tenant::{Place, Role};

use crate::{
    harness::Host,
    tenants::{PASSWORD, acme, in_project, life, member, secret},
};

#[tokio::test]
async fn an_invitation_that_was_taken_back_is_good_for_nothing() {
    let host = Host::new();
    let life = life(&host);
    let shop = acme(&life).await;
    let root = life.tenants.root().await.unwrap();
    let invite = |place: Place, role: Role, email: &'static str| {
        let (tenants, root) = (life.tenants.clone(), root.clone());
        async move {
            let email = email.parse().unwrap();
            tenants.invite(&root, place, role, email).await.unwrap()
        }
    };
    let ana = invite(in_project(&shop), Role::ProjectViewer, "ana@acme.example").await;
    invite(in_project(&shop), Role::ProjectAdmin, "ana@acme.example").await;
    let bob = invite(Place::Platform, Role::PlatformAdmin, "bob@acme.example").await;

    let waiting = |place: Place| {
        let tenants = life.tenants.clone();
        async move { tenants.list_invitations(&place).await.unwrap().len() }
    };
    assert_eq!(waiting(in_project(&shop)).await, 2);
    assert_eq!(waiting(Place::Org(shop.org.clone())).await, 2);
    assert_eq!(waiting(Place::Org(default_org())).await, 0);
    assert_eq!(waiting(Place::Platform).await, 3);

    // From below nothing of what is above can be taken back.
    let bob_id = bob.invitation.id.to_string();
    let above = life
        .tenants
        .withdraw(&Place::Org(shop.org.clone()), &bob_id)
        .await;
    assert_eq!(above.unwrap_err().code, "invitation-not-found");
    life.tenants
        .withdraw(&in_project(&shop), "ANA@acme.example")
        .await
        .unwrap();
    assert_eq!(waiting(Place::Platform).await, 1);
    let late = life.tenants.take_up(&ana.code, &secret(PASSWORD)).await;
    assert_eq!(late.unwrap_err().code, "invitation-refused");

    let pair = life.tenants.take_up(&bob.code, &secret(PASSWORD)).await.unwrap();
    let bob = life.tenants.authenticate(&pair.access).await.unwrap();
    assert!(bob.is_platform_admin());
}

#[tokio::test]
async fn another_password_ends_what_came_of_the_one_before() {
    let host = Host::new();
    let life = life(&host);
    let shop = acme(&life).await;
    let first = member(&life, in_project(&shop), Role::ProjectViewer, "ana@acme.example").await;
    let (old, new) = (secret(PASSWORD), secret("another horse, another battery"));
    let short = life
        .tenants
        .change_password(&first.user, &old, &secret("short"))
        .await;
    assert_eq!(short.unwrap_err().code, "password-unfit");
    let wrong = life.tenants.change_password(&first.user, &new, &new).await;
    assert_eq!(wrong.unwrap_err().code, "login-refused");
    life.tenants.authenticate(&first.access).await.unwrap();

    let second = life
        .tenants
        .change_password(&first.user, &old, &new)
        .await
        .unwrap();
    assert!(life.tenants.authenticate(&first.access).await.is_err());
    assert!(life.tenants.refresh(&first.refresh, None).await.is_err());
    life.tenants.authenticate(&second.access).await.unwrap();
    assert!(life.tenants.login("ana@acme.example", &old, None).await.is_err());
    life.tenants.login("ana@acme.example", &new, None).await.unwrap();

    // Guessing the present one locks as guessing at a login does.
    for _ in 0..5 {
        let guess = life.tenants.change_password(&first.user, &old, &old).await;
        assert_eq!(guess.unwrap_err().code, "login-refused");
    }
    assert!(
        life.tenants
            .change_password(&first.user, &new, &old)
            .await
            .is_err()
    );
    assert!(life.tenants.login("ana@acme.example", &new, None).await.is_err());
}

#[tokio::test]
async fn a_lost_password_is_replaced_with_a_code_that_is_good_once() {
    let host = Host::new();
    let life = life(&host);
    let shop = acme(&life).await;
    let first = member(&life, in_project(&shop), Role::ProjectViewer, "ana@acme.example").await;
    for _ in 0..5 {
        let wrong = secret("wrong wrong wrong");
        let guess = life.tenants.login("ana@acme.example", &wrong, None).await;
        assert!(guess.is_err());
    }
    let nobody = life.tenants.offer_reset("nobody@acme.example").await;
    assert_eq!(nobody.unwrap_err().code, "user-not-found");
    let root = life.tenants.offer_reset(app::root_user().as_str()).await;
    assert_eq!(root.unwrap_err().code, "user-root");

    let earlier = life.tenants.offer_reset("Ana@acme.example").await.unwrap();
    let offered = life.tenants.offer_reset("ana@acme.example").await.unwrap();
    let new = secret("another horse, another battery");
    let replaced = life.tenants.reset_password(&earlier.code, &new).await;
    assert_eq!(replaced.unwrap_err().code, "reset-refused");
    life.tenants.reset_password(&offered.code, &new).await.unwrap();
    let again = life.tenants.reset_password(&offered.code, &new).await;
    assert_eq!(again.unwrap_err().code, "reset-refused");
    assert!(life.tenants.authenticate(&first.access).await.is_err());
    // The lock was of whoever guessed; the code ended it.
    life.tenants.login("ana@acme.example", &new, None).await.unwrap();

    let late = life.tenants.offer_reset("ana@acme.example").await.unwrap();
    life.advance(86_401_000);
    assert!(life.tenants.reset_password(&late.code, &new).await.is_err());
}

#[tokio::test]
async fn who_is_forgotten_is_out_and_comes_back_as_somebody_new() {
    let host = Host::new();
    let life = life(&host);
    let shop = acme(&life).await;
    let first = member(&life, in_project(&shop), Role::ProjectAdmin, "ana@acme.example").await;
    let everybody = life.tenants.list_members(&Place::Platform).await.unwrap();
    assert_eq!(everybody.len(), 2);
    life.tenants.delete_user("ana@acme.example").await.unwrap();
    assert!(life.tenants.authenticate(&first.access).await.is_err());
    assert!(life.tenants.refresh(&first.refresh, None).await.is_err());
    let login = life
        .tenants
        .login("ana@acme.example", &secret(PASSWORD), None)
        .await;
    assert_eq!(login.unwrap_err().code, "login-refused");

    let again = member(&life, in_project(&shop), Role::ProjectViewer, "ana@acme.example").await;
    assert_ne!(again.user, first.user);
    assert!(life.tenants.authenticate(&first.access).await.is_err());
    let root = life.tenants.delete_user(app::root_user().as_str()).await;
    assert_eq!(root.unwrap_err().code, "user-root");
}
