//! A new access token for one that ends.
//!
//! A refresh token is good once; shown twice, the platform takes it for stolen and ends the whole login. So one process
//! at a time refreshes, it looks again at what another may have fetched while it waited, and what it got is in the file
//! before anybody uses it. Killed between the platform's answer and the file, the login is lost; nothing can keep that
//! but the platform.

use api::{client::ClientError, tenant::Refresh};

use super::{Context, Locked, lock};
use crate::{
    failure::{Exit, Failure},
    surroundings::now,
};

/// The context with a token that lasts.
pub async fn with_good_token(context: Context) -> Result<Context, Failure> {
    if context.is_good(now()) {
        return Ok(context);
    }
    refreshed(&lock()?, &context.name).await
}

async fn refreshed(locked: &Locked, name: &str) -> Result<Context, Failure> {
    let mut credentials = locked.read()?;
    let context = credentials.get(name)?.clone();
    if context.is_good(now()) {
        return Ok(context);
    }
    // A file that cannot be written is found out while the old token is still good.
    locked.write(&credentials)?;
    let request = Refresh {
        refresh_token: context.refresh.reveal(),
        project: None,
    };
    let client = context.client(None, "")?;
    let pair = client
        .refresh(&request)
        .await
        .map_err(|error| refused(error, &context))?;
    let context = credentials.get_mut(name)?;
    context.renew(pair, now());
    let mut context = context.clone();
    locked.write(&credentials)?;
    // Each new token is an occasion to learn of a new root while the old one still vouches for the platform.
    if context.follow().await {
        credentials.get_mut(name)?.ca.clone_from(&context.ca);
        locked.write(&credentials)?;
    }
    Ok(context)
}

fn refused(error: ClientError, context: &Context) -> Failure {
    match error {
        ClientError::Problem(problem) if problem.status == 401 => Failure::new(
            Exit::Refused,
            "login-ended",
            format!("the login of {} at {} has ended", context.email, context.endpoint),
            format!(
                "log in again: `cloud login --endpoint {} --email {}`",
                context.endpoint, context.email
            ),
        ),
        error => error.into(),
    }
}
