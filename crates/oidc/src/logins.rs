//! Begin and complete.
//!
//! Two values tie a browser's login together. The handle is told to whoever began it and goes nowhere else: who reads the
//! browser's history or its requests cannot complete. The state travels through the browser: who slips somebody a code of
//! their own does not know it. The verifier and the nonce never leave the platform.

use std::{sync::Arc, time::Duration};

use iam::external::pkce;
use ports::Clock;
use tokio::{sync::Semaphore, time::sleep};
use types::{Fault, FaultKind, Secret};

use crate::{
    pending::{Browser, Device, LIVES_S, Login, Pending},
    provider::{Asserted, Poll, Provider},
    settings::Settings,
};

/// How long an answer about a device waits for its person, so that there are few of them.
const WAIT_MS: u64 = 20_000;
/// Whoever comes when so many wait is not waited for.
const WAITING: usize = 64;
/// What a provider asks for by `slow_down` (RFC 8628).
const SLOWER_S: u64 = 5;
const SLOWEST_S: u64 = 60;
/// No provider's are longer.
const LONGEST_CODE: usize = 4096;
/// Where a browser comes back to.
const CALLBACK: &str = "/callback";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Back to this port of the loopback interface of whoever logs in.
    Browser {
        port: u16,
    },
    Device,
}

#[derive(Debug)]
pub enum Begun {
    Browser {
        login: Secret,
        state: Secret,
        url: String,
        expires_in_s: u64,
    },
    Device {
        login: Secret,
        user_code: String,
        verification_uri: String,
        verification_uri_complete: Option<String>,
        expires_in_s: u64,
    },
}

#[derive(Debug)]
pub enum Outcome {
    Done(Asserted),
    /// The person has not finished at the provider; ask again after so long.
    Pending {
        retry_after_s: u64,
    },
}

/// A cheap handle.
#[derive(Clone)]
pub struct Logins(Arc<Inner>);

struct Inner {
    providers: Vec<Arc<Provider>>,
    pending: Pending,
    waiting: Semaphore,
    clock: Arc<dyn Clock>,
}

impl Logins {
    pub fn new(settings: Vec<Settings>, clock: Arc<dyn Clock>) -> Self {
        let provider = |settings| Arc::new(Provider::new(settings, clock.clone()));
        Self(Arc::new(Inner {
            providers: settings.into_iter().map(provider).collect(),
            pending: Pending::default(),
            waiting: Semaphore::new(WAITING),
            clock,
        }))
    }

    pub fn providers(&self) -> impl Iterator<Item = &Settings> {
        self.0.providers.iter().map(|provider| &provider.settings)
    }

    pub async fn begin(&self, provider: &str, flow: Flow) -> Result<Begun, Fault> {
        let found = self.0.providers.iter().find(|one| one.settings.name == provider);
        let Some(provider) = found.cloned() else {
            return Err(Fault::new(
                FaultKind::NotFound,
                "provider-not-found",
                "this platform has no login provider of that name",
                "`cloud login` without --provider says which there are",
            ));
        };
        match flow {
            Flow::Browser { port } => self.begin_browser(provider, port).await,
            Flow::Device => self.begin_device(provider).await,
        }
    }

    async fn begin_browser(&self, provider: Arc<Provider>, port: u16) -> Result<Begun, Fault> {
        let host = provider.settings.loopback.host();
        let browser = Browser {
            redirect_uri: format!("http://{host}:{port}{CALLBACK}"),
            state: pkce::random(),
            nonce: pkce::random(),
            verifier: pkce::random(),
            provider,
        };
        let url = browser
            .provider
            .authorization_url(
                &browser.state,
                &browser.nonce,
                &browser.verifier,
                &browser.redirect_uri,
            )
            .await?;
        let state = browser.state.clone();
        let login = Login::Browser(Box::new(browser));
        Ok(Begun::Browser {
            login: self.0.pending.put(login, LIVES_S, self.0.clock.monotonic_ms()),
            state,
            url,
            expires_in_s: LIVES_S,
        })
    }

    async fn begin_device(&self, provider: Arc<Provider>) -> Result<Begun, Fault> {
        let code = provider.begin_device().await?;
        let now_ms = self.0.clock.monotonic_ms();
        let interval_s = code.interval_s.clamp(1, SLOWEST_S);
        let expires_in_s = code.expires_in_s.min(LIVES_S);
        let device = Device {
            provider,
            code: code.code,
            interval_s,
            next_ms: now_ms + interval_s * 1000,
            done: false,
        };
        let login = Login::Device(Arc::new(tokio::sync::Mutex::new(device)));
        Ok(Begun::Device {
            login: self.0.pending.put(login, expires_in_s, now_ms),
            user_code: code.user_code,
            verification_uri: code.verification_uri,
            verification_uri_complete: code.verification_uri_complete,
            expires_in_s,
        })
    }

    /// `answer`: the state and the code that a browser came back with.
    pub async fn complete(&self, login: &Secret, answer: Option<(Secret, Secret)>) -> Result<Outcome, Fault> {
        let found = self.0.pending.take(login, self.0.clock.monotonic_ms());
        match (found, answer) {
            (Some(Login::Browser(browser)), Some((state, code))) => {
                if state != browser.state || code.expose().len() > LONGEST_CODE {
                    return Err(unknown());
                }
                let Browser {
                    provider,
                    nonce,
                    verifier,
                    redirect_uri,
                    ..
                } = &*browser;
                let asserted = provider.redeem(&code, verifier, nonce, redirect_uri).await?;
                Ok(Outcome::Done(asserted))
            }
            (Some(Login::Device(device)), None) => self.ask_for_device(login, &device).await,
            (Some(Login::Browser(_)), None) | (Some(Login::Device(_)), Some(_)) | (None, _) => Err(unknown()),
        }
    }

    async fn ask_for_device(
        &self,
        login: &Secret,
        device: &tokio::sync::Mutex<Device>,
    ) -> Result<Outcome, Fault> {
        let clock = &self.0.clock;
        let waits = self.0.waiting.try_acquire().ok();
        let until_ms = clock.monotonic_ms() + waits.as_ref().map_or(0, |_| WAIT_MS);
        let mut device = device.lock().await;
        loop {
            if device.done {
                return Err(unknown());
            }
            let now_ms = clock.monotonic_ms();
            if device.next_ms > until_ms {
                let retry_after_s = device.next_ms.saturating_sub(now_ms).div_ceil(1000).max(1);
                return Ok(Outcome::Pending { retry_after_s });
            }
            sleep(Duration::from_millis(device.next_ms.saturating_sub(now_ms))).await;
            let polled = device.provider.poll_device(&device.code).await;
            match polled {
                Ok(Poll::Pending) => {}
                Ok(Poll::SlowDown) => device.interval_s = (device.interval_s + SLOWER_S).min(SLOWEST_S),
                // A provider that is away for a moment costs nobody their login.
                Err(fault) if fault.kind == FaultKind::Unavailable => {
                    device.next_ms = clock.monotonic_ms() + device.interval_s * 1000;
                    return Err(fault);
                }
                ended => {
                    device.done = true;
                    self.0.pending.end(login);
                    return match ended? {
                        Poll::Done(asserted) => Ok(Outcome::Done(asserted)),
                        Poll::Pending | Poll::SlowDown => Err(unknown()),
                    };
                }
            }
            device.next_ms = clock.monotonic_ms() + device.interval_s * 1000;
        }
    }
}

/// Never begun, finished, out of time, or of another kind: told apart by nobody.
fn unknown() -> Fault {
    Fault::new(
        FaultKind::Unauthenticated,
        "login-refused",
        "this login was not begun, is over, or took too long",
        "begin again with `cloud login`",
    )
}
