//! Logging in at a provider: in a browser on this machine, or anywhere with a code.

use std::{
    env,
    process::{Command, Stdio},
    time::Duration,
};

use api::{
    client::{Client, ClientError},
    tenant::{LoginBegin, LoginBegun, LoginComplete, LoginFlow, TokenPair},
};
use tokio::time::{Instant, sleep, timeout_at};
use types::Secret;

use super::callback::Callback;
use crate::failure::{Exit, Failure};

/// Between two tries of a platform or a provider that is away for a moment.
const AGAIN: Duration = Duration::from_secs(3);

pub struct External {
    pub provider: String,
    pub device: bool,
    /// The code of an invitation to take up.
    pub invitation: Option<Secret>,
}

impl External {
    pub async fn login(&self, client: &Client, project: Option<&str>) -> Result<TokenPair, Failure> {
        if self.device {
            self.with_code(client, project).await
        } else {
            self.in_browser(client, project).await
        }
    }

    async fn in_browser(&self, client: &Client, project: Option<&str>) -> Result<TokenPair, Failure> {
        let callback = Callback::listen().await?;
        let begun = self
            .begin(client, LoginFlow::Browser, Some(callback.port))
            .await?;
        let (Some(url), Some(state)) = (&begun.authorization_url, &begun.state) else {
            return Err(unexpected());
        };
        eprintln!("log in with your browser; if none opens, go to\n\n  {url}\n");
        open(url);
        let returned = timeout_at(end(&begun), callback.returned(state)).await;
        let returned = returned.map_err(|_| too_late())?;
        let done = match &returned.answer {
            Ok(code) => {
                let mut request = self.complete(&begun, project);
                request.state = Some(state.clone());
                request.code = Some(code.reveal());
                let done = client.complete_login(&request).await.map_err(Failure::from);
                done.and_then(|progress| progress.tokens.ok_or_else(unexpected))
            }
            Err(said) => Err(Failure::new(
                Exit::Refused,
                "login-refused",
                format!("'{}' did not let you in: {said}", self.provider),
                "try again; else ask whoever runs it",
            )),
        };
        returned.tell(done.is_ok()).await;
        done
    }

    async fn with_code(&self, client: &Client, project: Option<&str>) -> Result<TokenPair, Failure> {
        let begun = self.begin(client, LoginFlow::Device, None).await?;
        let (Some(code), Some(address)) = (&begun.user_code, &begun.verification_uri) else {
            return Err(unexpected());
        };
        eprintln!("on any device, go to\n\n  {address}\n\nand type in the code\n\n  {code}\n");
        if let Some(whole) = &begun.verification_uri_complete {
            eprintln!("or go to\n\n  {whole}\n");
        }
        let end = end(&begun);
        loop {
            let request = self.complete(&begun, project);
            let wait = match client.complete_login(&request).await {
                Ok(progress) => match progress.tokens {
                    Some(tokens) => return Ok(tokens),
                    None => Duration::from_secs(progress.retry_after.unwrap_or(1).clamp(1, 60)),
                },
                // Somebody is typing elsewhere; a moment's absence does not undo that.
                Err(error) if is_passing(&error) => AGAIN,
                Err(error) => return Err(error.into()),
            };
            if Instant::now() + wait >= end {
                return Err(too_late());
            }
            sleep(wait).await;
        }
    }

    async fn begin(
        &self,
        client: &Client,
        flow: LoginFlow,
        port: Option<u16>,
    ) -> Result<LoginBegun, Failure> {
        let request = LoginBegin {
            provider: self.provider.clone(),
            flow,
            redirect_port: port,
        };
        Ok(client.begin_login(&request).await?)
    }

    fn complete(&self, begun: &LoginBegun, project: Option<&str>) -> LoginComplete {
        LoginComplete {
            login: begun.login.clone(),
            state: None,
            code: None,
            invitation: self.invitation.as_ref().map(Secret::reveal),
            project: project.map(str::to_owned),
        }
    }
}

fn end(begun: &LoginBegun) -> Instant {
    Instant::now() + Duration::from_secs(begun.expires_in)
}

fn is_passing(error: &ClientError) -> bool {
    match error {
        ClientError::Problem(problem) => problem.status == 503 || problem.status == 429,
        other => other.is_unreachable(),
    }
}

/// A browser, where somebody looks at a screen. What is in the address is of no use without what stays here.
fn open(url: &str) {
    let screen = ["DISPLAY", "WAYLAND_DISPLAY"]
        .into_iter()
        .any(|name| env::var_os(name).is_some());
    if !screen {
        return;
    }
    let mut browser = Command::new("xdg-open");
    browser
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // Where there is none, the address was printed.
    let _ = browser.spawn();
}

fn too_late() -> Failure {
    Failure::new(
        Exit::Refused,
        "login-too-late",
        "nobody logged in within the time there is",
        "begin again with `cloud login`",
    )
}

fn unexpected() -> Failure {
    Failure::new(
        Exit::Failed,
        "answer-unexpected",
        "the platform's answer is not about such a login",
        "check that `cloud` and the platform have the same version: `cloud version`",
    )
}
