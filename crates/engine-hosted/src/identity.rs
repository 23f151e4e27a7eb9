//! How the apiserver learns who holds a token of the platform: files of a webhook, as the recipe has it. Clusters whose
//! recipe is older know certificates and their own service accounts only, and stay so.
//!
//! Certificate and key are read anew when their files change, in every release; the authority's file since v1.36, and
//! before that when the apiserver starts.

use cluster::{
    pki::Leaf,
    recipe::{Recipe, RecipeError},
};
use ports::compute::{Content, FileEntry};
use types::Secret;

use crate::{PlaneInput, child::text};

const WEBHOOK: &str = "plane/iam-webhook.yaml";
const DIR: &str = "/etc/k8shost";

/// What the apiserver trusts the platform by, and shows to it.
#[derive(Debug, Clone, Copy)]
pub struct PlaneIdentity<'a> {
    pub roots_pem: &'a str,
    pub client: &'a Leaf,
}

/// Whether clusters of this recipe ask the platform about tokens.
pub fn asks_the_platform(recipe: &Recipe) -> bool {
    recipe.names().any(|name| name == WEBHOOK)
}

pub(crate) fn files(input: &PlaneInput<'_>) -> Result<Vec<FileEntry>, RecipeError> {
    if !asks_the_platform(input.recipe) {
        return Ok(Vec::new());
    }
    let identity = input
        .identity
        .ok_or_else(|| RecipeError::Unfilled(WEBHOOK.to_owned()))?;
    let at = |name: &str| format!("{DIR}/{name}");
    Ok(vec![
        text(
            "/etc/hosts",
            0o644,
            input.recipe.text("plane/hosts", &input.values())?,
        ),
        text(
            &at("iam-webhook.yaml"),
            0o600,
            input.recipe.text(WEBHOOK, &input.values())?,
        ),
        text(&at("ca.crt"), 0o644, identity.roots_pem),
        text(&at("apiserver-client.crt"), 0o644, &identity.client.cert_pem),
        FileEntry {
            path: at("apiserver-client.key").into(),
            mode: 0o600,
            content: Content::Secret(Secret::new(identity.client.key_pem.as_bytes())),
        },
    ])
}
