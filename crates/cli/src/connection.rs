//! Which platform, as whom, in which project: flags, then environment, then the current context, then the client file of
//! the platform on this host. A token goes to the platform it belongs to and to no other.

use std::{fs, path::PathBuf};

use api::client::{Client, Trust};
use clap::Args;
use types::{Secret, Timestamp};

use crate::{
    client_file::{self, ClientFile},
    credentials::{self, Context, LOCAL},
    failure::{Exit, Failure},
};

const DEFAULT_CACHE: &str = "/var/cache/plasmacloud";
const DEFAULT_PROJECT: &str = "default";
const TOKEN_VARIABLE: &str = "PLASMACLOUD_TOKEN";

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connection")]
pub struct Connection {
    /// The platform's API, such as http://127.0.0.1:7400
    #[arg(
        long,
        global = true,
        env = "PLASMACLOUD_ENDPOINT",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub endpoint: Option<String>,
    /// File that holds the token and nothing else [env: PLASMACLOUD_TOKEN=<the token itself>]
    #[arg(long, global = true, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// File with the authorities that vouch for an https:// endpoint, in PEM [default: the context's, else the system's]
    #[arg(
        long,
        global = true,
        env = "PLASMACLOUD_CA_FILE",
        hide_env_values = true,
        value_name = "FILE"
    )]
    pub ca_file: Option<PathBuf>,
    /// Context to use instead of the current one, see `cloud context list`
    #[arg(long, global = true, value_name = "NAME")]
    pub context: Option<String>,
    /// Project to work in [default: the context's, else 'default']
    #[arg(
        long,
        global = true,
        env = "PLASMACLOUD_PROJECT",
        hide_env_values = true,
        value_name = "NAME"
    )]
    pub project: Option<String>,
    /// For what the command makes: run again with the same key within 24 hours, it makes nothing twice
    #[arg(long, global = true, value_name = "KEY", value_parser = key)]
    pub idempotency_key: Option<String>,
}

fn key(given: &str) -> Result<String, String> {
    if api::terms::is_key(given) {
        return Ok(given.to_owned());
    }
    Err("a key is 1 to 255 visible ASCII characters".to_owned())
}

/// Where a command goes and as whom.
#[derive(Debug)]
pub struct Target {
    pub endpoint: String,
    token: Option<Secret>,
    pub project: String,
    /// Whose token it is, where it is a context's.
    pub context: Option<String>,
    trust: Trust,
}

/// Where to log in.
pub struct Platform {
    pub endpoint: String,
    pub email: Option<String>,
    pub ca: Option<String>,
}

/// What endpoint, token and project come from where they are not given.
enum Source {
    Local {
        file: ClientFile,
        project: Option<String>,
    },
    Login(Context),
}

impl Source {
    fn endpoint(&self) -> Result<&str, Failure> {
        match self {
            Self::Local { file, .. } => file.endpoint(),
            Self::Login(context) => Ok(&context.endpoint),
        }
    }

    fn project(&self) -> Option<&str> {
        match self {
            Self::Local { project, .. } => project.as_deref(),
            Self::Login(context) => context.project.as_deref(),
        }
    }

    fn ca(&self) -> Option<String> {
        match self {
            Self::Local { .. } => None,
            Self::Login(context) => context.ca.clone(),
        }
    }

    /// Its token, which is fetched anew when it ends soon, and its name.
    async fn token(self) -> Result<(Option<Secret>, String), Failure> {
        match self {
            Self::Local { file, .. } => Ok((file.token.map(Secret::new), LOCAL.to_owned())),
            Self::Login(context) => {
                let context = credentials::with_good_token(context).await?;
                Ok((Some(context.access), context.name))
            }
        }
    }
}

fn is_same(endpoint: &str, other: &str) -> bool {
    endpoint.trim_end_matches('/') == other.trim_end_matches('/')
}

impl Connection {
    pub async fn client(&self) -> Result<Client, Failure> {
        let client = self.target().await?.client()?;
        Ok(match &self.idempotency_key {
            Some(key) => client.with_idempotency_key(key.clone()),
            None => client,
        })
    }

    pub async fn target(&self) -> Result<Target, Failure> {
        let given = self.given_token()?;
        self.is_one_way(given.is_some())?;
        match (&self.endpoint, given) {
            (Some(endpoint), Some(token)) => self.at(endpoint, Some(token), None, None, None),
            (Some(endpoint), None) => {
                let Some(source) = self.source_of(endpoint) else {
                    return self.at(endpoint, None, None, None, None);
                };
                let (project, ca) = (source.project().map(str::to_owned), source.ca());
                let (token, name) = source.token().await?;
                self.at(endpoint, token, project.as_deref(), Some(name), ca)
            }
            (None, given) => {
                let source = self.source()?;
                let endpoint = source.endpoint()?.to_owned();
                let (project, ca) = (source.project().map(str::to_owned), source.ca());
                let (token, name) = match given {
                    Some(token) => (Some(token), None),
                    None => {
                        let (token, name) = source.token().await?;
                        (token, Some(name))
                    }
                };
                self.at(&endpoint, token, project.as_deref(), name, ca)
            }
        }
    }

    /// The platform to log in to; with the address, where a context is named.
    pub fn platform(&self) -> Result<Platform, Failure> {
        self.is_one_way(false)?;
        if let Some(endpoint) = &self.endpoint {
            return Ok(Platform {
                endpoint: endpoint.trim_end_matches('/').to_owned(),
                email: None,
                ca: self.given_ca()?,
            });
        }
        let source = self.source()?;
        let endpoint = source.endpoint()?.to_owned();
        let ca = match self.given_ca()? {
            Some(given) => Some(given),
            None => source.ca(),
        };
        let email = match source {
            Source::Login(context) if self.context.is_some() => Some(context.email),
            Source::Login(_) | Source::Local { .. } => None,
        };
        Ok(Platform { endpoint, email, ca })
    }

    /// The login a command is about, if it is one.
    pub fn login(&self) -> Result<Option<Context>, Failure> {
        let given = self.given_token()?;
        self.is_one_way(given.is_some())?;
        let source = match (&self.endpoint, given) {
            (_, Some(_)) => None,
            (Some(endpoint), None) => self.source_of(endpoint),
            (None, None) => Some(self.source()?),
        };
        Ok(source.and_then(|source| match source {
            Source::Login(context) => Some(context),
            Source::Local { .. } => None,
        }))
    }

    /// After the platform refused the token: where it is a login's, the next command asks for another one. Roles that
    /// were changed end tokens, not logins.
    pub fn spent(&self, failure: Failure) -> Failure {
        let Ok(Some(context)) = self.login() else {
            return failure;
        };
        let forgotten = credentials::lock().and_then(|locked| {
            let mut credentials = locked.read()?;
            credentials.get_mut(&context.name)?.access_ends = Timestamp(0);
            locked.write(&credentials)
        });
        match forgotten {
            Ok(()) => Failure {
                remedy: "try again: a new token is asked for then".to_owned(),
                ..failure
            },
            Err(_) => failure,
        }
    }

    /// The words that make another `cloud` go to the same platform as the same person, whatever is current then.
    pub async fn again(&self) -> Result<Vec<String>, Failure> {
        let target = self.target().await?;
        if let Some(context) = target.context {
            return Ok(vec!["--context".to_owned(), context]);
        }
        let mut words = vec!["--endpoint".to_owned(), target.endpoint];
        let absolute = |path: &PathBuf| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            path.display().to_string()
        };
        for (flag, file) in [("--ca-file", &self.ca_file), ("--token-file", &self.token_file)] {
            if let Some(file) = file {
                words.extend([flag.to_owned(), absolute(file)]);
            }
        }
        Ok(words)
    }

    /// What in the environment goes before the current context, if something does.
    pub fn before_contexts() -> Option<&'static str> {
        ["PLASMACLOUD_ENDPOINT", TOKEN_VARIABLE, client_file::VARIABLE]
            .into_iter()
            .find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
    }

    fn at(
        &self,
        endpoint: &str,
        token: Option<Secret>,
        project: Option<&str>,
        context: Option<String>,
        ca: Option<String>,
    ) -> Result<Target, Failure> {
        let project = self.project.as_deref().or(project).unwrap_or(DEFAULT_PROJECT);
        let ca = match self.given_ca()? {
            Some(given) => Some(given),
            None => ca,
        };
        Ok(Target {
            endpoint: endpoint.to_owned(),
            token,
            project: project.to_owned(),
            context,
            trust: ca.map_or(Trust::System, Trust::Bundle),
        })
    }

    /// What `--ca-file` holds.
    pub fn given_ca(&self) -> Result<Option<String>, Failure> {
        let Some(path) = &self.ca_file else {
            return Ok(None);
        };
        fs::read_to_string(path).map(Some).map_err(|error| {
            Failure::new(
                Exit::Usage,
                "ca-file-unreadable",
                format!("--ca-file: {} cannot be read: {error}", path.display()),
                "give a file with authorities in PEM, as `cloud admin ca` prints them",
            )
        })
    }

    fn is_one_way(&self, token_given: bool) -> Result<(), Failure> {
        if self.context.is_none() || (self.endpoint.is_none() && !token_given) {
            return Ok(());
        }
        Err(Failure::new(
            Exit::Usage,
            "context-and-endpoint",
            "a context says which platform and as whom, and so do --endpoint and the token",
            "give one of them; PLASMACLOUD_ENDPOINT and PLASMACLOUD_TOKEN count too",
        ))
    }

    fn source(&self) -> Result<Source, Failure> {
        let local = |project| client_file::read().map(|file| Source::Local { file, project });
        if self.context.is_none() && client_file::is_named() {
            return local(None);
        }
        let credentials = credentials::read()?;
        match self.context.as_ref().or(credentials.current.as_ref()) {
            Some(name) if name != LOCAL => Ok(Source::Login(credentials.get(name)?.clone())),
            Some(_) | None => local(credentials.local_project),
        }
    }

    /// The same, if it is this platform's; this host's own otherwise, if it is this platform's.
    fn source_of(&self, endpoint: &str) -> Option<Source> {
        let of_it = |source: &Source| source.endpoint().is_ok_and(|other| is_same(endpoint, other));
        let local = || client_file::read().map(|file| Source::Local { file, project: None });
        self.source()
            .ok()
            .filter(of_it)
            .or_else(|| local().ok().filter(of_it))
    }

    fn given_token(&self) -> Result<Option<Secret>, Failure> {
        let Some(path) = &self.token_file else {
            return Ok(std::env::var(TOKEN_VARIABLE)
                .ok()
                .filter(|token| !token.is_empty())
                .map(Secret::new));
        };
        let text = fs::read_to_string(path).map_err(|error| {
            Failure::new(
                Exit::Usage,
                "token-file-unreadable",
                format!("--token-file: {} cannot be read: {error}", path.display()),
                "give a file that holds the token and that you may read",
            )
        })?;
        Ok(Some(Secret::new(text.trim())))
    }
}

impl Target {
    pub fn client(&self) -> Result<Client, Failure> {
        let token = self.token.as_ref().and_then(|token| token.expose_str().ok());
        let token = token.map(str::to_owned);
        Ok(Client::trusting(
            &self.endpoint,
            token,
            &self.project,
            &self.trust,
        )?)
    }
}

/// Where bundles are: where it was said, else where the platform on this host has them.
pub fn cache_dir(given: Option<PathBuf>) -> PathBuf {
    let from_file = || client_file::read().ok().and_then(|file| file.cache_dir);
    given.or_else(from_file).unwrap_or_else(|| DEFAULT_CACHE.into())
}
