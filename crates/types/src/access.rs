//! Who is calling, and whether they may: the one place where roles are compared.

use crate::{
    OrgId, ProjectId, TokenId,
    tenant::{Grant, Place, Role},
};

/// What an operation asks of its caller; every route says one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whoever reaches the platform.
    Open,
    /// Whoever is known to it.
    SignedIn,
    /// Who holds this role, or a higher one, in the project of the path.
    Project(Role),
    /// Who may see the project of the path, and who was granted something in the cluster of the path.
    ClusterSeen,
    /// Administrators of the project of the path; where the cluster of the path, or that of the instance of the path, is
    /// shared, those of the organisation alone.
    ClusterAdmin,
    /// Who belongs to the organisation of the path, through any of its projects.
    OrgSeen,
    /// Administrators of the organisation of the path.
    OrgAdmin,
    /// Administrators of the platform.
    Platform,
}

/// Somebody known: a person, a program, or the platform's first administrator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    pub id: String,
    /// An email address, or `sa-<name>@<project>`.
    pub name: String,
    pub grants: Vec<Grant>,
    /// The token they came with, where it is one that is kept on the books.
    pub token: Option<TokenId>,
}

impl Principal {
    pub fn is_platform_admin(&self) -> bool {
        self.grants.iter().any(|grant| grant.place == Place::Platform)
    }

    /// The highest role held there. Nothing: for them it does not exist.
    pub fn role_in_project(&self, org: &OrgId, project: &ProjectId) -> Option<Role> {
        let here = |grant: &&Grant| match &grant.place {
            Place::Platform => true,
            Place::Org(held) => held == org,
            Place::Project(_, held) => held == project,
        };
        self.grants.iter().filter(here).map(|grant| grant.role).max()
    }

    /// The same of an organisation, where a role in one of its projects counts as being seen.
    pub fn role_in_org(&self, org: &OrgId) -> Option<Role> {
        let here = |grant: &&Grant| match &grant.place {
            Place::Platform => true,
            Place::Org(held) | Place::Project(held, _) => held == org,
        };
        self.grants.iter().filter(here).map(|grant| grant.role).max()
    }

    pub fn administers_org(&self, org: &OrgId) -> bool {
        let here = |grant: &Grant| match &grant.place {
            Place::Platform => true,
            Place::Org(held) => held == org && grant.role >= Role::OrgAdmin,
            Place::Project(..) => false,
        };
        self.grants.iter().any(here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holding(role: Role, place: Place) -> Principal {
        Principal {
            id: "user-0123456789abcdef".to_owned(),
            name: "ana@acme.example".to_owned(),
            grants: vec![Grant { role, place }],
            token: None,
        }
    }

    #[test]
    fn a_role_counts_where_it_is_held_and_nowhere_else() {
        let (acme, other) = (OrgId::generate(), OrgId::generate());
        let (shop, blog) = (ProjectId::generate(), ProjectId::generate());
        let member = holding(Role::ProjectMember, Place::Project(acme.clone(), shop.clone()));
        assert_eq!(member.role_in_project(&acme, &shop), Some(Role::ProjectMember));
        assert_eq!(member.role_in_project(&acme, &blog), None);
        assert!(member.role_in_org(&acme).is_some() && !member.administers_org(&acme));
        assert_eq!(member.role_in_org(&other), None);

        let admin = holding(Role::OrgAdmin, Place::Org(acme.clone()));
        assert_eq!(admin.role_in_project(&acme, &blog), Some(Role::OrgAdmin));
        assert_eq!(admin.role_in_project(&other, &ProjectId::generate()), None);
        assert!(admin.administers_org(&acme) && !admin.administers_org(&other));
        assert!(!admin.is_platform_admin());

        let operator = holding(Role::PlatformAdmin, Place::Platform);
        assert_eq!(operator.role_in_project(&other, &shop), Some(Role::PlatformAdmin));
        assert!(operator.administers_org(&other));
    }

    #[test]
    fn administering_a_project_is_not_administering_its_organisation() {
        let (acme, shop) = (OrgId::generate(), ProjectId::generate());
        let admin = holding(Role::ProjectAdmin, Place::Project(acme.clone(), shop));
        assert!(!admin.administers_org(&acme));
    }
}
