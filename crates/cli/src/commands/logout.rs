//! `cloud logout`

use api::tenant::Logout as Request;
use clap::Args;

use crate::{
    connection::Connection,
    credentials::{self, Context},
    failure::{Exit, Failure},
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Logout {
    /// End every login and token of yours, on other machines too
    #[arg(long)]
    all: bool,
}

pub async fn run(connection: &Connection, command: Logout) -> Result<(), Failure> {
    let login = connection.login()?;
    if command.all {
        let target = connection.target().await?;
        target.client()?.end_sessions().await?;
        if let Some(context) = login {
            forget(&context)?;
        }
        return print(&format!(
            "every login and token of yours at {} has ended\n",
            target.endpoint
        ));
    }
    let Some(context) = login else {
        return Err(Failure::new(
            Exit::Refused,
            "not-logged-in",
            "there is no login to end: this is not a context of `cloud login`",
            "see `cloud context list`; name one with --context",
        ));
    };
    // Nobody refreshes it meanwhile: its newest refresh token is the one shown.
    let locked = credentials::lock()?;
    let mut credentials = locked.read()?;
    let context = credentials.get(&context.name)?.clone();
    let request = Request {
        refresh_token: context.refresh.reveal(),
    };
    context.client(None, "")?.logout(&request).await?;
    credentials.remove(&context.name);
    locked.write(&credentials)?;
    print(&format!(
        "logged out of {} as {}\n",
        context.endpoint, context.email
    ))
}

fn forget(context: &Context) -> Result<(), Failure> {
    let locked = credentials::lock()?;
    let mut credentials = locked.read()?;
    credentials.remove(&context.name);
    locked.write(&credentials)
}
