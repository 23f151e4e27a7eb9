//! Organisations, projects, people and programs through the client.

use super::{Client, ClientError, Condition, Pages, Tag};
use crate::{
    routes::{self, Method},
    tenant::{
        ClusterTokenView, Done, Invite, InvitedView, Login, LoginBegin, LoginBegun, LoginComplete,
        LoginProgress, LoginProviders, Logout, MemberList, OrgCreate, OrgList, OrgUsageView, OrgView,
        ProjectCreate, ProjectList, ProjectView, QuotaView, Refresh, ServiceAccountCreate,
        ServiceAccountList, ServiceAccountView, TakeUp, TokenCreate, TokenFresh, TokenList, TokenPair,
        UsageView, WhoAmI,
    },
};

impl Client {
    pub async fn login(&self, request: &Login) -> Result<TokenPair, ClientError> {
        self.send(Method::Post, routes::LOGIN, request).await
    }

    pub async fn login_providers(&self) -> Result<LoginProviders, ClientError> {
        self.get(routes::LOGIN_PROVIDERS).await
    }

    pub async fn begin_login(&self, request: &LoginBegin) -> Result<LoginBegun, ClientError> {
        self.send(Method::Post, routes::LOGIN_BEGIN, request).await
    }

    pub async fn complete_login(&self, request: &LoginComplete) -> Result<LoginProgress, ClientError> {
        self.send(Method::Post, routes::LOGIN_COMPLETE, request).await
    }

    pub async fn refresh(&self, request: &Refresh) -> Result<TokenPair, ClientError> {
        self.send(Method::Post, routes::REFRESH, request).await
    }

    pub async fn logout(&self, request: &Logout) -> Result<Done, ClientError> {
        self.send(Method::Post, routes::LOGOUT, request).await
    }

    pub async fn accept_invitation(&self, request: &TakeUp) -> Result<TokenPair, ClientError> {
        self.send(Method::Post, routes::TAKE_UP, request).await
    }

    pub async fn whoami(&self) -> Result<WhoAmI, ClientError> {
        self.get(routes::WHOAMI).await
    }

    pub async fn end_sessions(&self) -> Result<Done, ClientError> {
        self.delete(routes::SESSIONS).await
    }

    pub async fn list_orgs(&self) -> Result<OrgList, ClientError> {
        Pages::new(self, routes::ORGS.to_owned(), Vec::new()).all().await
    }

    pub async fn create_org(&self, request: &OrgCreate) -> Result<OrgView, ClientError> {
        self.make(routes::ORGS, Some(request)).await
    }

    pub async fn get_org(&self, org: &str) -> Result<OrgView, ClientError> {
        self.get(&routes::fill(routes::ORG, &[("org", org)])).await
    }

    pub async fn org_usage(&self, org: &str) -> Result<OrgUsageView, ClientError> {
        self.get(&routes::fill(routes::ORG_QUOTA, &[("org", org)])).await
    }

    pub async fn set_org_quota(&self, org: &str, quota: &QuotaView) -> Result<OrgView, ClientError> {
        let path = routes::fill(routes::ORG_QUOTA, &[("org", org)]);
        self.send(Method::Put, &path, quota).await
    }

    pub async fn delete_org(&self, org: &str) -> Result<Done, ClientError> {
        self.delete(&routes::fill(routes::ORG, &[("org", org)])).await
    }

    pub async fn list_org_members(&self, org: &str) -> Result<MemberList, ClientError> {
        let path = routes::fill(routes::ORG_MEMBERS, &[("org", org)]);
        Pages::new(self, path, Vec::new()).all().await
    }

    pub async fn invite_to_org(&self, org: &str, request: &Invite) -> Result<InvitedView, ClientError> {
        let path = routes::fill(routes::ORG_MEMBERS, &[("org", org)]);
        self.send(Method::Post, &path, request).await
    }

    pub async fn remove_org_member(&self, org: &str, member: &str) -> Result<Done, ClientError> {
        self.delete(&routes::fill(
            routes::ORG_MEMBER,
            &[("org", org), ("member", member)],
        ))
        .await
    }

    pub async fn list_projects(&self) -> Result<ProjectList, ClientError> {
        Pages::new(self, routes::PROJECTS.to_owned(), Vec::new())
            .all()
            .await
    }

    pub async fn create_project(
        &self,
        org: &str,
        request: &ProjectCreate,
    ) -> Result<ProjectView, ClientError> {
        let path = routes::fill(routes::ORG_PROJECTS, &[("org", org)]);
        self.make(&path, Some(request)).await
    }

    pub async fn get_project(&self, project: &str) -> Result<ProjectView, ClientError> {
        self.get(&routes::fill(routes::PROJECT, &[("project", project)]))
            .await
    }

    pub async fn delete_project(&self, project: &str) -> Result<Done, ClientError> {
        self.delete(&routes::fill(routes::PROJECT, &[("project", project)]))
            .await
    }

    /// Of the client's own project, like all below.
    pub async fn usage(&self) -> Result<UsageView, ClientError> {
        self.get(&self.path(routes::PROJECT_QUOTA, &[])).await
    }

    pub async fn set_quota(&self, quota: &QuotaView) -> Result<ProjectView, ClientError> {
        self.send(Method::Put, &self.path(routes::PROJECT_QUOTA, &[]), quota)
            .await
    }

    pub async fn org_usage_now(&self, org: &str) -> Result<(OrgUsageView, Tag), ClientError> {
        self.read(&routes::fill(routes::ORG_QUOTA, &[("org", org)])).await
    }

    pub async fn set_org_quota_if(
        &self,
        org: &str,
        quota: &QuotaView,
        condition: &Condition,
    ) -> Result<OrgView, ClientError> {
        let path = routes::fill(routes::ORG_QUOTA, &[("org", org)]);
        self.put_if(&path, quota, condition).await
    }

    /// With what is needed to change it on condition.
    pub async fn usage_now(&self) -> Result<(UsageView, Tag), ClientError> {
        self.read(&self.path(routes::PROJECT_QUOTA, &[])).await
    }

    pub async fn set_quota_if(
        &self,
        quota: &QuotaView,
        condition: &Condition,
    ) -> Result<ProjectView, ClientError> {
        self.put_if(&self.path(routes::PROJECT_QUOTA, &[]), quota, condition)
            .await
    }

    pub async fn list_members(&self) -> Result<MemberList, ClientError> {
        self.pages(routes::PROJECT_MEMBERS, Vec::new()).all().await
    }

    pub async fn invite(&self, request: &Invite) -> Result<InvitedView, ClientError> {
        self.send(Method::Post, &self.path(routes::PROJECT_MEMBERS, &[]), request)
            .await
    }

    pub async fn remove_member(&self, member: &str) -> Result<Done, ClientError> {
        self.delete(&self.path(routes::PROJECT_MEMBER, &[("member", member)]))
            .await
    }

    pub async fn list_service_accounts(&self) -> Result<ServiceAccountList, ClientError> {
        self.pages(routes::SERVICE_ACCOUNTS, Vec::new()).all().await
    }

    pub async fn create_service_account(
        &self,
        request: &ServiceAccountCreate,
    ) -> Result<ServiceAccountView, ClientError> {
        self.make(&self.path(routes::SERVICE_ACCOUNTS, &[]), Some(request))
            .await
    }

    pub async fn get_service_account(&self, reference: &str) -> Result<ServiceAccountView, ClientError> {
        self.get(&self.path(routes::SERVICE_ACCOUNT, &[("reference", reference)]))
            .await
    }

    pub async fn delete_service_account(&self, reference: &str) -> Result<Done, ClientError> {
        self.delete(&self.path(routes::SERVICE_ACCOUNT, &[("reference", reference)]))
            .await
    }

    pub async fn list_tokens(&self) -> Result<TokenList, ClientError> {
        self.pages(routes::TOKENS, Vec::new()).all().await
    }

    pub async fn create_token(&self, request: &TokenCreate) -> Result<TokenFresh, ClientError> {
        self.send(Method::Post, &self.path(routes::TOKENS, &[]), request)
            .await
    }

    pub async fn revoke_token(&self, id: &str) -> Result<Done, ClientError> {
        self.delete(&self.path(routes::TOKEN, &[("id", id)])).await
    }

    pub async fn cluster_token(&self, reference: &str) -> Result<ClusterTokenView, ClientError> {
        self.send(
            Method::Post,
            &self.path(routes::CLUSTER_TOKEN, &[("reference", reference)]),
            &Done {},
        )
        .await
    }
}
