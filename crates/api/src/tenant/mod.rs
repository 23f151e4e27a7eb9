//! Organisations, projects, people and programs on the wire.

mod login;
mod members;
mod orgs;
mod projects;
mod tokens;

pub use login::{Login, Logout, PasswordChange, PasswordResetRequest, Refresh, TakeUp, TokenPair, WhoAmI};
pub use members::{
    GrantView, InvitationList, InvitationView, Invite, InvitedView, MemberList, MemberView, ResetView,
};
pub use orgs::{OrgCreate, OrgList, OrgUsageView, OrgView};
pub use projects::{ProjectCreate, ProjectList, ProjectView, QuotaView, UsageLine, UsageView};
pub use tokens::{
    ClusterTokenView, ServiceAccountCreate, ServiceAccountList, ServiceAccountView, TokenCreate, TokenFresh,
    TokenList, TokenView,
};

use serde::{Deserialize, Serialize};

/// Done; there is nothing to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Done {}
