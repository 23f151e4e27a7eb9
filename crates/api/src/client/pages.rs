//! Lists page by page, or all of them.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;

use super::{Client, ClientError};
use crate::{
    audit::{AuditList, AuditView},
    cluster::{ClusterList, ClusterView},
    event::{EventList, EventView},
    instance::{InstanceList, InstanceView},
    network::{NetworkList, NetworkView},
    operation::{OperationList, OperationView},
    query::MAX_LIMIT,
    routes,
    tenant::{
        InvitationList, InvitationView, MemberList, MemberView, OrgList, OrgView, ProjectList, ProjectView,
        ServiceAccountList, ServiceAccountView, TokenList, TokenView,
    },
};

/// Which of a list are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Select {
    pub labels: Option<String>,
    pub fields: Option<String>,
}

impl Select {
    pub(super) fn parameters(&self) -> Vec<(&'static str, String)> {
        let given = [("labelSelector", &self.labels), ("fieldSelector", &self.fields)];
        given
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.clone()?)))
            .collect()
    }
}

/// An answer that is one page of several.
pub trait Page: DeserializeOwned {
    type Item;
    fn items(&mut self) -> &mut Vec<Self::Item>;
    fn next(&mut self) -> &mut Option<String>;
}

macro_rules! pages {
    ($($list:ty: $items:ident of $item:ty;)*) => {$(
        impl Page for $list {
            type Item = $item;

            fn items(&mut self) -> &mut Vec<$item> {
                &mut self.$items
            }

            fn next(&mut self) -> &mut Option<String> {
                &mut self.next
            }
        }
    )*};
}

pages! {
    ClusterList: clusters of ClusterView;
    NetworkList: networks of NetworkView;
    InstanceList: instances of InstanceView;
    OperationList: operations of OperationView;
    EventList: events of EventView;
    AuditList: records of AuditView;
    OrgList: orgs of OrgView;
    ProjectList: projects of ProjectView;
    MemberList: members of MemberView;
    ServiceAccountList: service_accounts of ServiceAccountView;
    TokenList: tokens of TokenView;
    InvitationList: invitations of InvitationView;
}

/// A list that is being read.
#[derive(Debug)]
pub struct Pages<P> {
    client: Client,
    path: String,
    parameters: Vec<(&'static str, String)>,
    cursor: Option<String>,
    over: bool,
    page: PhantomData<fn() -> P>,
}

impl<P: Page> Pages<P> {
    pub(super) fn new(client: &Client, path: String, parameters: Vec<(&'static str, String)>) -> Self {
        Self {
            client: client.clone(),
            path,
            parameters,
            cursor: None,
            over: false,
            page: PhantomData,
        }
    }

    /// The next page, of so many at most; nothing after the last.
    pub async fn next(&mut self, limit: u32) -> Result<Option<P>, ClientError> {
        if self.over {
            return Ok(None);
        }
        let mut parameters = self.parameters.clone();
        parameters.push(("limit", limit.to_string()));
        parameters.extend(self.cursor.take().map(|cursor| ("cursor", cursor)));
        let mut page: P = self.client.get(&with_query(&self.path, &parameters)).await?;
        self.cursor = page.next().clone();
        self.over = self.cursor.is_none();
        Ok(Some(page))
    }

    /// The first so many, in one; all pages it takes are asked for. `next` says that there are more.
    pub async fn first(mut self, most: u32) -> Result<P, ClientError> {
        let mut whole = self.required(most).await?;
        loop {
            let had = u32::try_from(whole.items().len()).unwrap_or(u32::MAX);
            if had >= most {
                return Ok(whole);
            }
            let Some(mut page) = self.next(MAX_LIMIT.min(most - had)).await? else {
                return Ok(whole);
            };
            whole.items().append(page.items());
            *whole.next() = page.next().take();
        }
    }

    /// All of it.
    pub async fn all(self) -> Result<P, ClientError> {
        self.first(u32::MAX).await
    }

    async fn required(&mut self, most: u32) -> Result<P, ClientError> {
        let page = self.next(MAX_LIMIT.min(most)).await?;
        page.ok_or_else(|| ClientError::Protocol {
            detail: "a list had no first page".to_owned(),
        })
    }
}

pub(super) fn with_query(path: &str, parameters: &[(&str, String)]) -> String {
    let query: Vec<String> = parameters
        .iter()
        .map(|(name, value)| format!("{name}={}", routes::escape(value)))
        .collect();
    if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{}", query.join("&"))
    }
}
