//! Bodies of requests: JSON of a known shape. What does not fit is refused with the path of every field that does not,
//! not of the first one alone.

mod mend;
mod strict;
mod tree;

use axum::{
    body::Bytes,
    extract::{
        FromRequest, Request,
        rejection::{BytesRejection, FailedToBufferBody},
    },
    http::{HeaderMap, header},
};
use serde::de::DeserializeOwned;
use types::Fault;

use crate::answer::Refusal;
use strict::Misfit;

const REMEDY: &str = "send JSON as the document under /openapi.json describes it";

/// A JSON body of a known shape.
pub struct Given<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Given<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        if !is_json(request.headers()) {
            return Err(Refusal(Fault::invalid(
                "body-media-type",
                "the request's Content-Type is not application/json",
                REMEDY,
            )));
        }
        let body = Bytes::from_request(request, state).await;
        let body = body.map_err(|rejection| Refusal(unread(&rejection)))?;
        Ok(Self(read(&body)?))
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let given = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let essence = given
        .and_then(|given| given.split(';').next())
        .unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

fn unread(rejection: &BytesRejection) -> Fault {
    match rejection {
        BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_)) => Fault::invalid(
            "body-too-large",
            "the request's body is larger than this route takes",
            "send less",
        ),
        other => Fault::invalid("body-invalid", other.to_string(), REMEDY),
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Fault> {
    let given = tree::parse(body)
        .map_err(|error| Fault::invalid("body-invalid", format!("the body is not JSON: {error}"), REMEDY))?;
    strict::fit(&given).map_err(|first| mend::every(&given, first, |copy| strict::fit::<T>(copy).err()))
}

fn fault(misfit: &Misfit) -> Fault {
    let fault = Fault::invalid("body-invalid", misfit.detail.clone(), REMEDY);
    match misfit.path.as_slice() {
        [] => fault,
        path => fault.at(strict::told(path)),
    }
}

#[cfg(test)]
mod tests {
    use api::{cluster::ClusterCreate, tenant::QuotaView};

    use super::*;

    fn wrong<T: DeserializeOwned>(body: &str) -> Vec<(String, String)> {
        let Err(fault) = read::<T>(body.as_bytes()) else {
            panic!("{body} fits");
        };
        let told = |field: &types::FieldFault| (field.field.clone(), field.detail.clone());
        fault.fields.iter().map(told).collect()
    }

    fn fields<T: DeserializeOwned>(body: &str) -> Vec<String> {
        wrong::<T>(body).into_iter().map(|(field, _)| field).collect()
    }

    #[test]
    fn every_field_that_does_not_fit_is_named() {
        let body =
            r#"{"nmae":1,"spec":{"wrokers":1,"vpc":7,"nodeGroups":{"g":{"minReplicas":-1,"gpus":[{},5]}}}}"#;
        assert_eq!(
            fields::<ClusterCreate>(body),
            [
                "nmae",
                "spec.nodeGroups.g.gpus[0].name",
                "spec.nodeGroups.g.gpus[1]",
                "spec.nodeGroups.g.minReplicas",
                "spec.vpc",
                "spec.wrokers",
                "name",
            ]
        );
        assert_eq!(fields::<ClusterCreate>("{}"), ["name", "spec"]);
    }

    #[test]
    fn a_list_is_not_an_object_anywhere() {
        assert!(read::<QuotaView>(b"[null, null]").is_err());
        assert_eq!(
            fields::<ClusterCreate>(r#"{"name":"a","spec":["hosted"]}"#),
            ["spec"]
        );
    }

    #[test]
    fn what_fits_is_read_also_with_whole_numbers_written_as_fractions() {
        let quota = read::<QuotaView>(br#"{"clusters": 3.0, "memory": "1Gi"}"#).unwrap();
        assert_eq!((quota.clusters, quota.memory.as_deref()), (Some(3), Some("1Gi")));
        assert_eq!(fields::<QuotaView>(r#"{"clusters": 3.5}"#), ["clusters"]);
    }

    #[test]
    fn a_key_that_is_there_twice_is_refused() {
        let fault = read::<QuotaView>(br#"{"clusters": 1, "clusters": 2}"#).unwrap_err();
        assert!(fault.cause.contains("'clusters' is there twice"), "{fault}");
    }

    #[test]
    fn a_body_that_is_all_wrong_is_answered_soon() {
        let many: Vec<String> = (0..2000).map(|n| format!("\"k{n}\":{n}")).collect();
        let body = format!("{{{}}}", many.join(","));
        assert_eq!(fields::<QuotaView>(&body).len(), mend::MOST);
    }
}
