//! `cloud login`: with a password, by taking up an invitation, or at a provider. The login is kept as a context.

mod callback;
mod external;

use std::path::PathBuf;

use api::{
    client::{Client, Trust},
    tenant::{Login as Request, LoginProviders, PasswordResetRequest, TakeUp, TokenPair},
};
use clap::Args;
use types::{Secret, Timestamp};

use self::external::External;
use crate::{
    ask,
    connection::{Connection, Platform},
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
    /// The authority of an https:// endpoint, as sha256:…; `cloud admin ca` shows it to the platform's operator
    #[arg(long, value_name = "SHA256", conflicts_with = "ca_file", value_parser = fingerprint)]
    ca_fingerprint: Option<Trust>,
    /// File with the code of an administrator to choose a new password with in its first line; '-' to be asked for it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["email", "invitation_file"])]
    reset_file: Option<PathBuf>,
    /// Log in at this provider instead, in a browser; without one, `cloud login` says which there are
    #[arg(long, value_name = "NAME", conflicts_with_all = ["email", "password_file", "reset_file"])]
    provider: Option<String>,
    /// Without a browser on this machine: with a code to type in elsewhere
    #[arg(long, conflicts_with_all = ["email", "password_file", "reset_file"])]
    device: bool,
}

fn fingerprint(given: &str) -> Result<Trust, String> {
    Trust::fingerprint(given)
        .ok_or_else(|| "give sha256: and 64 digits, as `cloud admin ca` shows it".to_owned())
}

pub async fn run(connection: &Connection, command: Login) -> Result<(), Failure> {
    let Platform {
        endpoint,
        email: known,
        ca,
    } = connection.platform()?;
    let trust = match (&command.ca_fingerprint, &ca) {
        (Some(pinned), _) => pinned.clone(),
        (None, Some(bundle)) => Trust::Bundle(bundle.clone()),
        (None, None) => Trust::System,
    };
    let project = connection.project.as_deref();
    let client = Client::trusting(&endpoint, None, "", &trust)?;
    let asked = match command.elsewhere(&client).await? {
        Some(external) => Asked::Elsewhere(external),
        None => command.ask(known)?,
    };
    // Before the platform is asked: a login that could not be kept would be lost, and an invitation with it.
    let locked = credentials::lock()?;
    locked.write(&locked.read()?)?;
    // Somebody may take minutes at a provider: other commands go on meanwhile.
    let locked = match &asked {
        Asked::Elsewhere(_) => {
            drop(locked);
            None
        }
        Asked::Password { .. } | Asked::Invitation { .. } | Asked::Reset { .. } => Some(locked),
    };
    let pair = asked.send(&client, project).await?;
    let locked = match locked {
        Some(locked) => locked,
        None => credentials::lock()?,
    };
    let mut credentials = locked.read()?;

    let mut context = Context {
        name: String::new(),
        endpoint: endpoint.clone(),
        email: String::new(),
        project: None,
        ca: None,
        access: Secret::new(""),
        access_ends: Timestamp(0),
        refresh: Secret::new(""),
    };
    let access = pair.access_token.clone();
    context.renew(pair, now());
    let client = Client::trusting(&endpoint, Some(access), project.unwrap_or_default(), &trust)?;
    context.ca = known_by(&client, &trust, ca).await?;
    // As the platform writes it: a login typed in capitals is the same one.
    context.email = client.whoami().await?.name;
    context.name = credentials.name_for(&context.email, &endpoint);
    keep(&locked, &mut credentials, &context)?;
    context.project = chosen(&client, project).await?;
    keep(&locked, &mut credentials, &context)?;
    told(&context)
}

/// What the platform is known by from now on: what it says itself, to somebody whom it convinced.
async fn known_by(client: &Client, trust: &Trust, given: Option<String>) -> Result<Option<String>, Failure> {
    let told = match trust {
        // Nothing of the platform's own is behind what the whole system trusts.
        Trust::System => return Ok(None),
        Trust::Bundle(_) | Trust::Fingerprint(_) => client.ca().await?.bundle,
    };
    match (told.is_empty(), given) {
        (false, _) => Ok(Some(told)),
        (true, Some(given)) => Ok(Some(given)),
        (true, None) => Err(Failure::new(
            Exit::Refused,
            "ca-unknown",
            "the platform does not say by which authority it is known, so a fingerprint cannot be kept",
            "ask its operator for the authority itself and give it with --ca-file",
        )),
    }
}

enum Asked {
    Password { email: String, password: Secret },
    Invitation { code: Secret, password: Secret },
    Reset { code: Secret, password: Secret },
    Elsewhere(External),
}

impl Login {
    /// At which provider, if it is to be one: the one that is named, or the only one where there are no passwords.
    async fn elsewhere(&self, client: &Client) -> Result<Option<External>, Failure> {
        let says_password = self.email.is_some() || self.password_file.is_some() || self.reset_file.is_some();
        if says_password {
            return Ok(None);
        }
        let provider = match &self.provider {
            Some(provider) => provider.clone(),
            None => match only_provider(&client.login_providers().await?, self.device)? {
                Some(provider) => provider,
                None => return Ok(None),
            },
        };
        let code = |file| ask::secret("Invitation code", Some(file));
        Ok(Some(External {
            provider,
            device: self.device,
            invitation: self.invitation_file.as_deref().map(code).transpose()?,
        }))
    }

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
        let pair = match self {
            Self::Password { email, password } => {
                let request = Request {
                    email: email.clone(),
                    password: password.reveal(),
                    project: project.map(str::to_owned),
                };
                client.login(&request).await?
            }
            Self::Invitation { code, password } => {
                let request = TakeUp {
                    code: code.reveal(),
                    password: password.reveal(),
                };
                client.accept_invitation(&request).await?
            }
            Self::Reset { code, password } => {
                let request = PasswordResetRequest {
                    code: code.reveal(),
                    password: password.reveal(),
                };
                client.reset_password(&request).await?
            }
            Self::Elsewhere(external) => external.login(client, project).await?,
        };
        Ok(pair)
    }
}

/// The provider to go to where none was named; none if it is to be a password.
fn only_provider(there: &LoginProviders, device: bool) -> Result<Option<String>, Failure> {
    let names: Vec<&str> = there
        .providers
        .iter()
        .map(|provider| provider.name.as_str())
        .collect();
    match &names[..] {
        [] if device => Err(Failure::new(
            Exit::Usage,
            "provider-none",
            "--device: this platform has no login provider",
            "log in with --email and your password",
        )),
        [only] if device || !there.password => Ok(Some((*only).to_owned())),
        names if device || !there.password => Err(Failure::new(
            Exit::Usage,
            "provider-missing",
            format!("this platform has several login providers: {}", names.join(", ")),
            "name one with --provider",
        )),
        [] => Ok(None),
        names => {
            eprintln!("you can also log in with --provider: {}", names.join(", "));
            Ok(None)
        }
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

#[cfg(test)]
mod tests {
    use api::tenant::LoginProviderView;

    use super::*;

    fn there(password: bool, names: &[&str]) -> LoginProviders {
        let provider = |name: &&str| LoginProviderView {
            name: (*name).to_owned(),
            issuer: "https://id.acme.example".to_owned(),
            device: true,
        };
        LoginProviders {
            password,
            providers: names.iter().map(provider).collect(),
        }
    }

    #[test]
    fn the_only_way_in_needs_no_name() {
        assert_eq!(only_provider(&there(true, &[]), false), Ok(None));
        assert_eq!(only_provider(&there(true, &["corp"]), false), Ok(None));
        let corp = Some("corp".to_owned());
        assert_eq!(only_provider(&there(true, &["corp"]), true), Ok(corp.clone()));
        assert_eq!(only_provider(&there(false, &["corp"]), false), Ok(corp));
        let two = only_provider(&there(false, &["corp", "lab"]), false).unwrap_err();
        assert!(two.cause.contains("corp, lab"), "{two}");
        assert_eq!(
            only_provider(&there(true, &[]), true).unwrap_err().code,
            "provider-none"
        );
    }
}
