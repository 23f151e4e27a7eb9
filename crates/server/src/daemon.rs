//! From settings to a served API and back: everything that can be refused is refused before anything is served.
//!
//! Stopping: watches end, requests under way finish, then background work; each has its bounded time. Work that is cut
//! off is safe, because the next start goes on from what was recorded.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
    sync::watch,
    task::JoinSet,
    time::timeout,
};
use types::Fault;
use vault::KeySource;

use crate::{
    backup::restore,
    config::Config,
    credentials,
    limits::{Limits, Rate},
    listener,
    lock::Lock,
    log,
    metrics::Metrics,
    router::{Api, Stop, router},
    state_dir::StateDir,
    tls::{self, Bounds, Tls},
    wiring::{self, Platform},
};

/// Whoever was quiet may ask for so many seconds' worth at once.
const BURST_S: f64 = 3.0;
const REQUESTS_GRACE: Duration = Duration::from_secs(10);
const BACKGROUND_GRACE: Duration = Duration::from_secs(20);

/// Runs until a signal asks it to stop.
pub async fn run(config: Config, master_key: KeySource) -> Result<(), Fault> {
    log::start(config.log_format);
    let stop = stop_on_signal()?;
    let state = StateDir::prepare(&config.state_dir)?;
    let _lock = Lock::take(&state)?;
    restore::refuse_half(&state)?;
    let listener = listener::bind(config.listen).await?;
    let address = listener
        .local_addr()
        .map_err(|error| Fault::internal("listen-address", error.to_string()))?;
    let secure = match &config.tls {
        Some(tls) => Some(listener::bind(tls.listen).await?),
        None => None,
    };
    let token = credentials::prepare(&state, address, &config.cache_dir)?;
    let Platform {
        surface,
        lists,
        tenants,
        logins,
        audit,
        keys,
        backup,
        mut background,
    } = wiring::build(&config, &state, master_key, stop.clone()).await?;
    let tls = match &config.tls {
        Some(settings) => {
            let tls = Arc::new(Tls::open(settings, &*surface).await?);
            background.spawn(tls::keep(
                tls.serving.clone(),
                surface.clone(),
                tls.own.clone(),
                stop.clone(),
            ));
            Some(tls)
        }
        None => None,
    };
    let api = Api {
        tls: tls.clone(),
        surface,
        lists,
        tenants,
        logins,
        token: Arc::new(token),
        limits: Arc::new(Limits::default()),
        seats: Arc::default(),
        rate: Rate {
            burst: config.requests_per_second * BURST_S,
            per_second: config.requests_per_second,
        },
        audit,
        keys,
        backup,
        metrics: Arc::new(Metrics::default()),
        uploads: Arc::new(state.uploads()),
        instance: config.instance.as_str().into(),
        stop,
    };
    tracing::info!(%address, instance = %config.instance, state = %state.path().display(), "serving");
    let secured = async {
        match secure.zip(tls) {
            Some((listener, tls)) => {
                let (router, stop) = (router(api.clone()), api.stop.clone());
                tracing::info!(endpoint = %tls.endpoint, "serving over TLS");
                tls::serve(listener, tls.serving.clone(), router, Bounds::default(), stop).await
            }
            None => Ok(()),
        }
    };
    tokio::try_join!(serve(listener, api.clone()), secured)?;
    finish(background).await;
    tracing::info!("stopped");
    Ok(())
}

/// Serves until told to stop.
pub async fn serve(listener: TcpListener, api: Api) -> Result<(), Fault> {
    let stop = api.stop.clone();
    let callers = router(api).into_make_service_with_connect_info::<SocketAddr>();
    let service = axum::serve(listener, callers).with_graceful_shutdown(stopped(stop.clone()));
    let serving = service.into_future();
    tokio::pin!(serving);
    let served = tokio::select! {
        served = &mut serving => served,
        () = stopped(stop) => match timeout(REQUESTS_GRACE, &mut serving).await {
            Ok(served) => served,
            Err(_) => {
                tracing::warn!("requests were still under way and are cut off");
                Ok(())
            }
        },
    };
    served.map_err(|error| Fault::internal("serve", error.to_string()))
}

async fn finish(mut background: JoinSet<()>) {
    let all = async { while background.join_next().await.is_some() {} };
    if timeout(BACKGROUND_GRACE, all).await.is_err() {
        tracing::warn!("background work was still under way and is cut off");
        background.shutdown().await;
    }
}

async fn stopped(mut stop: Stop) {
    let _ = stop.wait_for(|stop| *stop).await;
}

fn stop_on_signal() -> Result<Stop, Fault> {
    let failed = |error: std::io::Error| Fault::internal("signals", error.to_string());
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let (sender, receiver) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping");
        sender.send_replace(true);
    });
    Ok(receiver)
}
