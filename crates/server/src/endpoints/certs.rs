//! `/admin/certs` and `/ca`

use api::{
    certs::{CaView, CertificateList, CertificateView, RotateCertificates, RotationView},
    moment::to_wire,
};
use app::identity::{Certificate, Level, Progress};
use axum::{Json, extract::State, response::Response};
use serde_json::json;
use types::Fault;

use crate::{
    answer::{Answer, accepted},
    audit::Note,
    body::Given,
    router::Api,
};

pub async fn list(State(api): State<Api>) -> Answer<Json<CertificateList>> {
    let all = api.surface.certificates().await?;
    Ok(Json(CertificateList {
        certificates: all.certificates.into_iter().map(view).collect(),
        rotation: all.rotation.map(progress),
    }))
}

pub async fn rotate(State(api): State<Api>, Given(request): Given<RotateCertificates>) -> Answer<Response> {
    let level = match request.level.as_str() {
        "root" => Level::Root,
        "services" => Level::Services,
        other => {
            let cause = format!("there is no authority '{other}' to replace");
            let fault = Fault::unfit("level-unknown", cause, "give root or services");
            return Err(fault.at("level").into());
        }
    };
    let rotation = progress(api.surface.rotate_certificates(level, request.force).await?);
    let change = json!({"level": request.level, "force": request.force, "began": rotation.began});
    Ok(Note::of(&request.level, &request.level)
        .change(change)
        .on(accepted(rotation)))
}

pub async fn ca(State(api): State<Api>) -> Answer<Json<CaView>> {
    let trust = match &api.tls {
        Some(tls) => tls.trust(&*api.surface).await?,
        None => api.surface.trust().await?,
    };
    let fingerprints = trust.fingerprints.iter().map(|hex| format!("sha256:{hex}"));
    Ok(Json(CaView {
        fingerprints: fingerprints.collect(),
        bundle: trust.bundle_pem,
        endpoint: api.tls.as_ref().map(|tls| tls.endpoint.clone()),
    }))
}

fn progress(progress: Progress) -> RotationView {
    RotationView {
        level: progress.level.as_str().to_owned(),
        stage: progress.stage.as_str().to_owned(),
        began: to_wire(progress.began),
        forced: progress.forced,
        waiting_for: progress.waiting_for,
    }
}

fn view(certificate: Certificate) -> CertificateView {
    let Certificate {
        what,
        of,
        project,
        org,
        facts,
        serial,
        renewed_from,
        revoked,
        state,
    } = certificate;
    CertificateView {
        what: what.to_owned(),
        of,
        project,
        org,
        subject: facts.as_ref().map(|facts| facts.subject.clone()),
        issuer: facts.as_ref().map(|facts| facts.issuer.clone()),
        names: facts
            .as_ref()
            .map(|facts| facts.names.clone())
            .unwrap_or_default(),
        fingerprint: facts.as_ref().map(|facts| facts.fingerprint.clone()),
        not_before: facts.as_ref().map(|facts| to_wire(facts.not_before)),
        not_after: facts.as_ref().map(|facts| to_wire(facts.not_after)),
        serial,
        renewed_from: renewed_from.map(to_wire),
        revoked: revoked.map(to_wire),
        state: state.as_str().to_owned(),
    }
}
