//! What people see of tenants, as it is checked in.

use api::tenant::{
    GrantView, InvitationView, InvitedView, MemberView, OrgView, ProjectView, QuotaView, ResetView,
    TokenView, UsageLine,
};

use super::{
    invitation,
    place::{HeldBy, Names},
    project::ProjectRow,
    samples,
};
use crate::output::{Described, table};

const CREATED: &str = "2026-11-15T21:00:00Z";

fn names() -> Names {
    [("org-1", "acme"), ("proj-1", "shop")]
        .into_iter()
        .map(|(id, name)| (id.to_owned(), name.to_owned()))
        .collect()
}

fn grant(role: &str, project: Option<&str>) -> GrantView {
    GrantView {
        role: role.to_owned(),
        org: Some("org-1".to_owned()),
        project: project.map(str::to_owned),
    }
}

#[test]
fn organisations_and_projects() {
    let org = OrgView {
        id: "org-1".to_owned(),
        name: "acme".to_owned(),
        max_projects: 10,
        quota: QuotaView::of_a_team(),
        created: CREATED.to_owned(),
    };
    let project = ProjectView {
        id: "proj-1".to_owned(),
        name: "shop".to_owned(),
        org: "org-1".to_owned(),
        role: "project_admin".to_owned(),
        quota: QuotaView {
            clusters: Some(3),
            memory: Some("64Gi".to_owned()),
            ..QuotaView::default()
        },
        created_by: "admin@platform.local".to_owned(),
        created: CREATED.to_owned(),
    };
    let names = names();
    let row = ProjectRow {
        project: &project,
        names: &names,
    };
    insta::assert_snapshot!("org-get", org.describe(samples::LATER, false));
    insta::assert_snapshot!("org-list", table(&[org], samples::LATER, true));
    insta::assert_snapshot!("project-get", row.describe(samples::LATER, false));
    insta::assert_snapshot!("project-list", table(&[row], samples::LATER, true));
}

#[test]
fn people_and_what_they_hold() {
    let members = [MemberView {
        id: "user-1".to_owned(),
        email: "ana@acme.example".to_owned(),
        grants: vec![
            grant("org_admin", None),
            grant("project_viewer", Some("proj-1")),
            grant("project_member", Some("proj-unseen")),
        ],
    }];
    let names = names();
    insta::assert_snapshot!(
        "user-list",
        table(&HeldBy::each(&members, &names), samples::LATER, true)
    );
    let invited = InvitedView {
        id: "invitation-1".to_owned(),
        email: "ana@acme.example".to_owned(),
        grant: grant("project_admin", Some("proj-1")),
        code: "pci_0123".to_owned(),
        expires: CREATED.to_owned(),
    };
    insta::assert_snapshot!(
        "user-invite",
        invitation::describe(&invited, "http://127.0.0.1:7400")
    );
    let waiting = [InvitationView {
        id: "invitation-1".to_owned(),
        email: "ana@acme.example".to_owned(),
        grant: grant("project_admin", Some("proj-1")),
        invited_by: "root@acme.example".to_owned(),
        created: CREATED.to_owned(),
        expires: "2026-11-15T22:00:00Z".to_owned(),
    }];
    insta::assert_snapshot!(
        "user-invitations",
        table(&invitation::Waiting::each(&waiting, &names), samples::LATER, true)
    );
    let reset = ResetView {
        email: "ana@acme.example".to_owned(),
        code: "pcp_0123".to_owned(),
        expires: CREATED.to_owned(),
    };
    insta::assert_snapshot!(
        "user-reset",
        invitation::describe_reset(&reset, "http://127.0.0.1:7400")
    );
}

#[test]
fn tokens_and_limits() {
    let token = TokenView {
        id: "tok-1".to_owned(),
        holder: "sa-ci@shop".to_owned(),
        issued_by: "ana@acme.example".to_owned(),
        created: CREATED.to_owned(),
        expires: "2026-11-15T22:00:00Z".to_owned(),
        revoked: true,
    };
    insta::assert_snapshot!("token-list", table(&[token], samples::LATER, true));
    let line = |resource: &str, limit: Option<&str>| UsageLine {
        resource: resource.to_owned(),
        used: "0".to_owned(),
        limit: limit.map(str::to_owned),
    };
    let lines = [line("clusters", Some("3")), line("memory", None)];
    insta::assert_snapshot!("quota-show", table(&lines, samples::LATER, false));
}
