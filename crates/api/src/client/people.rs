//! Invitations, everybody the platform knows, and passwords through the client.

use super::{Client, ClientError};
use crate::{
    routes::{self, Method},
    tenant::{
        Done, InvitationList, Invite, InvitedView, MemberList, PasswordChange, PasswordResetRequest,
        ResetView, TokenPair,
    },
};

/// Whose people are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose<'a> {
    /// Of the client's own project.
    Project,
    /// Of an organisation and its projects.
    Org(&'a str),
    /// Of all of it.
    Platform,
}

impl Client {
    pub async fn list_invitations(&self, whose: Whose<'_>) -> Result<InvitationList, ClientError> {
        let path = match whose {
            Whose::Project => self.path(routes::PROJECT_INVITATIONS, &[]),
            Whose::Org(org) => routes::fill(routes::ORG_INVITATIONS, &[("org", org)]),
            Whose::Platform => routes::USER_INVITATIONS.to_owned(),
        };
        self.get(&path).await
    }

    /// By id, or all of an address.
    pub async fn withdraw(&self, whose: Whose<'_>, invitation: &str) -> Result<Done, ClientError> {
        let named = ("invitation", invitation);
        let path = match whose {
            Whose::Project => self.path(routes::PROJECT_INVITATION, &[named]),
            Whose::Org(org) => routes::fill(routes::ORG_INVITATION, &[("org", org), named]),
            Whose::Platform => routes::fill(routes::USER_INVITATION, &[named]),
        };
        self.delete(&path).await
    }

    pub async fn list_users(&self) -> Result<MemberList, ClientError> {
        self.get(routes::USERS).await
    }

    pub async fn invite_to_platform(&self, request: &Invite) -> Result<InvitedView, ClientError> {
        self.send(Method::Post, routes::USERS, request).await
    }

    pub async fn delete_user(&self, member: &str) -> Result<Done, ClientError> {
        self.delete(&routes::fill(routes::USER, &[("member", member)]))
            .await
    }

    pub async fn offer_reset(&self, member: &str) -> Result<ResetView, ClientError> {
        self.post(&routes::fill(routes::USER_RESET, &[("member", member)]))
            .await
    }

    pub async fn change_password(&self, request: &PasswordChange) -> Result<TokenPair, ClientError> {
        self.send(Method::Put, routes::PASSWORD, request).await
    }

    pub async fn reset_password(&self, request: &PasswordResetRequest) -> Result<TokenPair, ClientError> {
        self.send(Method::Post, routes::PASSWORD_RESET, request).await
    }
}
