//! Contexts on a screen, without what they hold.

use serde::Serialize;
use types::Timestamp;

use crate::{
    credentials::Context,
    output::{Row, dash},
};

#[derive(Debug, Serialize)]
pub struct ContextList {
    pub contexts: Vec<ContextView>,
}

#[derive(Debug, Serialize)]
pub struct ContextView {
    pub name: String,
    pub current: bool,
    pub endpoint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

impl ContextView {
    pub fn of(context: &Context, current: &str) -> Self {
        Self {
            name: context.name.clone(),
            current: context.name == current,
            endpoint: context.endpoint.clone(),
            email: Some(context.email.clone()),
            project: context.project.clone(),
        }
    }
}

impl Row for ContextView {
    const TITLES: &'static [&'static str] = &["CURRENT", "NAME", "PLATFORM", "PROJECT", "+EMAIL"];

    fn cells(&self, _: Timestamp) -> Vec<String> {
        let shown = |value: &Option<String>| dash(value.as_deref().unwrap_or_default());
        vec![
            if self.current { "*" } else { "" }.to_owned(),
            self.name.clone(),
            self.endpoint.clone(),
            shown(&self.project),
            shown(&self.email),
        ]
    }
}
