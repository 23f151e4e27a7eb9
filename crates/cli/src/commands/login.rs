//! `cloud login`: with a password, or by taking up an invitation. The login is kept as a context.

use std::path::PathBuf;

use api::{
    client::Client,
    tenant::{Login as Request, PasswordResetRequest, TakeUp, TokenPair},
};
use clap::Args;
use types::{Secret, Timestamp};

use crate::{
    ask,
    connection::Connection,
    credentials::{self, Context, Locked},
    failure::{Exit, Failure},
    surroundings::{now, print},
};

#[derive(Debug, Args)]
pub struct Login {
    /// Your address; asked for if it is not given
    #[arg(long)]
    email: Option<String>,
    /// File with the password in its first line; without one it is asked for, or read from standard input
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// File with the code of an invitation to take up in its first line; '-' to be asked for it
    #[arg(long, value_name = "FILE", conflicts_with = "email")]
    invitation_file: Option<PathBuf>,
    /// File with the code of an administrator to choose a new password with in its first line; '-' to be asked for it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["email", "invitation_file"])]
    reset_file: Option<PathBuf>,
}

pub async fn run(connection: &Connection, command: Login) -> Result<(), Failure> {
    let (endpoint, known) = connection.platform()?;
    let project = connection.project.as_deref();
    let client = Client::new(&endpoint, None, "")?;
    let asked = command.ask(known)?;
    // Before the platform is asked: a login that could not be kept would be lost, and an invitation with it.
    let locked = credentials::lock()?;
    let mut credentials = locked.read()?;
    locked.write(&credentials)?;
    let pair = asked.send(&client, project).await?;

    let mut context = Context {
        name: String::new(),
        endpoint: endpoint.clone(),
        email: String::new(),
        project: None,
        access: Secret::new(""),
        access_ends: Timestamp(0),
        refresh: Secret::new(""),
    };
    let access = pair.access_token.clone();
    context.renew(pair, now());
    let client = Client::new(&endpoint, Some(access), project.unwrap_or_default())?;
    // As the platform writes it: a login typed in capitals is the same one.
    context.email = client.whoami().await?.name;
    context.name = credentials.name_for(&context.email, &endpoint);
    keep(&locked, &mut credentials, &context)?;
    context.project = chosen(&client, project).await?;
    keep(&locked, &mut credentials, &context)?;
    told(&context)
}

enum Asked {
    Password { email: String, password: Secret },
    Invitation { code: Secret, password: Secret },
    Reset { code: Secret, password: Secret },
}

impl Login {
    fn ask(self, known: Option<String>) -> Result<Asked, Failure> {
        let password = self.password_file.as_deref();
        if let Some(file) = &self.invitation_file {
            let code = ask::secret("Invitation code", Some(file))?;
            let question = "Password (a new one, or your own if you have logged in here before)";
            let password = ask::new_secret(question, password)?;
            return Ok(Asked::Invitation { code, password });
        }
        if let Some(file) = &self.reset_file {
            let code = ask::secret("Code", Some(file))?;
            let password = ask::new_secret("New password", password)?;
            return Ok(Asked::Reset { code, password });
        }
        let email = match self.email.or(known) {
            Some(email) => email,
            None if ask::is_somebody_there() => ask::line("Email")?,
            None => {
                return Err(Failure::new(
                    Exit::Usage,
                    "email-missing",
                    "whose login it is was not said, and nobody can be asked",
                    "give --email, or --invitation-file to take up an invitation",
                ));
            }
        };
        let password = ask::secret("Password", password)?;
        Ok(Asked::Password { email, password })
    }
}

impl Asked {
    async fn send(&self, client: &Client, project: Option<&str>) -> Result<TokenPair, Failure> {
        let text = |secret: &Secret| secret.expose_str().unwrap_or_default().to_owned();
        let pair = match self {
            Self::Password { email, password } => {
                let request = Request {
                    email: email.clone(),
                    password: text(password),
                    project: project.map(str::to_owned),
                };
                client.login(&request).await?
            }
            Self::Invitation { code, password } => {
                let request = TakeUp {
                    code: text(code),
                    password: text(password),
                };
                client.accept_invitation(&request).await?
            }
            Self::Reset { code, password } => {
                let request = PasswordResetRequest {
                    code: text(code),
                    password: text(password),
                };
                client.reset_password(&request).await?
            }
        };
        Ok(pair)
    }
}

fn keep(
    locked: &Locked,
    credentials: &mut credentials::Credentials,
    context: &Context,
) -> Result<(), Failure> {
    credentials.put(context.clone());
    locked.write(credentials)
}

/// The project that was asked for, if it is there; the only one, if none was.
async fn chosen(client: &Client, project: Option<&str>) -> Result<Option<String>, Failure> {
    if let Some(project) = project {
        client.get_project(project).await?;
        return Ok(Some(project.to_owned()));
    }
    let mut all = client.list_projects().await?.projects;
    Ok((all.len() == 1).then(|| all.remove(0).name))
}

fn told(context: &Context) -> Result<(), Failure> {
    let Context {
        name,
        endpoint,
        email,
        project,
        ..
    } = context;
    let project = match project {
        Some(project) => format!(", project {project}"),
        None => String::new(),
    };
    print(&format!("logged in to {endpoint} as {email}{project}\n"))?;
    if context.project.is_none() {
        eprintln!("choose a project of `cloud project list` with `cloud context use {name} --project NAME`");
    }
    super::context::warn_of_environment();
    Ok(())
}
