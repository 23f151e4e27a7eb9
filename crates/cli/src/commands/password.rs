//! `cloud password`: another password for whoever is logged in. Every other login of theirs ends.

use std::path::PathBuf;

use api::tenant::PasswordChange;
use clap::Args;

use crate::{
    ask,
    connection::Connection,
    credentials,
    failure::{Exit, Failure},
    surroundings::{now, print},
};

#[derive(Debug, Args)]
pub struct Password {
    /// File with the present password in its first line; without one it is asked for, or read from standard input
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// File with the new one in its first line; without one it is asked for, or read from standard input
    #[arg(long, value_name = "FILE")]
    new_password_file: Option<PathBuf>,
}

pub async fn run(connection: &Connection, command: Password) -> Result<(), Failure> {
    let Some(context) = connection.login()? else {
        return Err(Failure::new(
            Exit::Refused,
            "not-logged-in",
            "there is nobody whose password it could be: this is not a context of `cloud login`",
            "see `cloud context list`; name one with --context",
        ));
    };
    let current = ask::secret("Present password", command.password_file.as_deref())?;
    let new = ask::new_secret("New password", command.new_password_file.as_deref())?;
    // So that there is a good token, and then nobody who refreshes it while the password changes.
    let context = credentials::with_good_token(context).await?;
    let locked = credentials::lock()?;
    let mut credentials = locked.read()?;
    let mut context = credentials.get(&context.name)?.clone();
    let client = context.client(Some(&context.access), "")?;
    let request = PasswordChange {
        current: current.reveal(),
        password: new.reveal(),
    };
    context.renew(client.change_password(&request).await?, now());
    let told = format!(
        "the password of {} at {} is changed; every other login of theirs has ended\n",
        context.email, context.endpoint
    );
    credentials.put(context);
    locked.write(&credentials)?;
    print(&told)
}
