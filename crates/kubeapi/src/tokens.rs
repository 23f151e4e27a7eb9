//! A question about a token, as any component of a cluster may ask it.

use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec};
use kube::{
    Client,
    api::{Api, PostParams},
};
use types::Secret;

use crate::error::CallError;

pub(crate) async fn knows(client: &Client, token: &Secret) -> Result<bool, CallError> {
    let reviews: Api<TokenReview> = Api::all(client.clone());
    let question = TokenReview {
        spec: TokenReviewSpec {
            token: token.reveal(),
            ..TokenReviewSpec::default()
        },
        ..TokenReview::default()
    };
    let answer = reviews.create(&PostParams::default(), &question).await?;
    Ok(answer
        .status
        .is_some_and(|status| status.authenticated == Some(true)))
}
