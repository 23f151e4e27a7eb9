//! What a route may answer, each status with what it carries. Nothing is left to `default`: a status that is not named
//! here is a defect, and the contract test finds it.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use types::access::Access;

use super::content;
use crate::{
    problem,
    routes::{Content, Method, Route},
    terms::Repeat,
};

pub fn answers(route: &Route) -> Value {
    let mut answers: BTreeMap<String, Value> = BTreeMap::new();
    let mut done = json!({ "description": "Done or accepted", "content": content(route.answer) });
    if is_watched(route) {
        let stream = "text/event-stream";
        done["content"][stream] = content(Content::Media(stream))[stream].take();
    }
    if route.is_tagged() {
        done["headers"] = json!({ "ETag": { "required": true, "schema": { "type": "string" },
            "description": "What `If-None-Match` here and `If-Match` on a change take" } });
    }
    if route.repeat() == Repeat::Keyed {
        done["headers"] = json!({ "Idempotency-Replayed": { "schema": { "const": "true" },
            "description": "This call was carried out before; the answer is the first one's" } });
    }
    if route.may_create() {
        answers.insert("200".to_owned(), done.clone());
    }
    answers.insert(route.status.to_string(), done);
    if route.is_tagged() {
        answers.insert(
            "304".to_owned(),
            json!({ "description": "It is as `If-None-Match` names it", "headers": { "ETag": { "required": true,
                "schema": { "type": "string" } } } }),
        );
    }
    for status in problems(route) {
        let answer = json!({ "$ref": format!("#/components/responses/Problem{status}") });
        answers.insert(status.to_string(), answer);
    }
    json!(answers)
}

/// Each problem once; routes refer to those they may answer.
pub fn all_problems() -> Value {
    let mut all: BTreeMap<String, Value> = BTreeMap::new();
    for (status, description) in PROBLEMS {
        let mut answer = json!({
            "description": description,
            "content": { problem::MEDIA_TYPE: { "schema": { "$ref": "#/components/schemas/Problem" } } },
        });
        if status == 401 {
            answer["headers"] =
                json!({ "WWW-Authenticate": { "required": true, "schema": { "const": "Bearer" } } });
        }
        if status == 429 {
            answer["headers"] = json!({ "Retry-After": { "required": true,
                "description": "Seconds to wait", "schema": { "type": "integer", "minimum": 1 } } });
        }
        if status == 412 {
            answer["headers"] = json!({ "ETag": { "description": "What it is now, when it is there",
                "schema": { "type": "string" } } });
        }
        all.insert(format!("Problem{status}"), answer);
    }
    json!(all)
}

/// Whether it answers with a stream where that is asked for.
fn is_watched(route: &Route) -> bool {
    route.query.iter().any(|parameter| parameter.name == "watch")
}

const PROBLEMS: [(u16, &str); 12] = [
    (
        400,
        "The request does not fit this document; `errors` names every field that does not",
    ),
    (401, "No valid token, or the wrong words to get one"),
    (403, "Seen, and not allowed to the caller"),
    (404, "Not there, or not the caller's to see"),
    (409, "Something else stands in the way"),
    (410, "Too much has changed since the point to resume at"),
    (412, "It is not as `If-Match` or `If-None-Match` asks"),
    (
        422,
        "It fits this document, and is refused; `errors` names the fields where there are some",
    ),
    (429, "Asked for too often"),
    (500, "A defect of the platform"),
    (503, "Something did not answer"),
    (507, "The host lacks something"),
];

fn problems(route: &Route) -> Vec<u16> {
    let changes = route.method != Method::Get;
    let known = route.access != Access::Open;
    let by_role = !matches!(route.access, Access::Open | Access::SignedIn | Access::OrgSeen);
    let named = route.path.contains('{');
    let may = |status: u16| match status {
        401 | 429 => known || changes,
        403 => by_role,
        404 => named || changes || route.id == "listAudit",
        409 => named || changes,
        410 => is_watched(route),
        412 => route.is_conditional(),
        422 => changes || !route.query.is_empty(),
        507 => changes,
        _ => true,
    };
    let all = PROBLEMS.iter().map(|(status, _)| *status);
    all.filter(|status| may(*status)).collect()
}
