//! Whether one OpenAPI document may take the place of another: everything a client of the old one may send is still
//! taken, and everything it may be answered it can still read.
//!
//! What goes in may become wider, what comes out may become narrower; not the other way round. A property, a route or an
//! optional parameter may be added on either side. Schemas are compared where they are used: the same one may be fine
//! in a request and break an answer.

mod schema;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use schema::{Direction, compare as compare_schemas};

const METHODS: [&str; 7] = ["get", "put", "post", "delete", "patch", "head", "options"];

/// Two documents, for looking up what is only referred to.
#[derive(Clone, Copy)]
struct Pair<'a> {
    old: &'a Value,
    new: &'a Value,
}

/// Every change that breaks somebody, in words.
pub fn breaks(old: &Value, new: &Value) -> Vec<String> {
    let pair = Pair { old, new };
    let mut found = Vec::new();
    for (path, old_item) in entries(&old["paths"]) {
        let new_item = &new["paths"][path];
        for method in METHODS {
            let (was, is) = (&old_item[method], &new_item[method]);
            let place = format!("{} {path}", method.to_uppercase());
            match (was.is_null(), is.is_null()) {
                (true, _) => {}
                (false, true) => found.push(format!("{place}: the operation is gone")),
                (false, false) => operation(pair, &place, was, is, &mut found),
            }
        }
    }
    found
}

fn operation(pair: Pair<'_>, place: &str, was: &Value, is: &Value, found: &mut Vec<String>) {
    if was["operationId"] != is["operationId"] {
        found.push(format!(
            "{place}: its operationId {} is now {}; generated clients name their functions by it",
            was["operationId"], is["operationId"]
        ));
    }
    let locked = |document: &Value, operation: &Value| {
        let own = operation.get("security").unwrap_or(&document["security"]);
        own.as_array().is_some_and(|all| !all.is_empty())
    };
    if !locked(pair.old, was) && locked(pair.new, is) {
        found.push(format!("{place}: it was open, and now takes a token"));
    }
    parameters(pair, place, was, is, found);
    body(pair, place, was, is, found);
    answers(pair, place, was, is, found);
}

fn parameters(pair: Pair<'_>, place: &str, was: &Value, is: &Value, found: &mut Vec<String>) {
    let key = |parameter: &Value| {
        (
            parameter["in"].to_string(),
            parameter["name"].to_string().to_lowercase(),
        )
    };
    let empty = Vec::new();
    let list = |operation: &Value| operation["parameters"].as_array().unwrap_or(&empty).clone();
    let (old, new) = (list(was), list(is));
    for parameter in &new {
        let before = old.iter().find(|other| key(other) == key(parameter));
        let required = parameter["required"] == true;
        let name = parameter["name"].as_str().unwrap_or_default();
        match before {
            None if required => found.push(format!("{place}: the parameter {name} is new and required")),
            None => {}
            Some(before) => {
                if required && before["required"] != true {
                    found.push(format!("{place}: the parameter {name} is now required"));
                }
                let at = format!("{place}: parameter {name}");
                compare_schemas(
                    pair,
                    &at,
                    &before["schema"],
                    &parameter["schema"],
                    Direction::In,
                    found,
                );
            }
        }
    }
    for parameter in &old {
        if !new.iter().any(|other| key(other) == key(parameter)) {
            let name = parameter["name"].as_str().unwrap_or_default();
            found.push(format!("{place}: the parameter {name} is gone"));
        }
    }
}

fn body(pair: Pair<'_>, place: &str, was: &Value, is: &Value, found: &mut Vec<String>) {
    let (old, new) = (&was["requestBody"], &is["requestBody"]);
    if new["required"] == true && old["required"] != true {
        found.push(format!("{place}: a body is now required"));
    }
    for (media, before) in entries(&old["content"]) {
        match new["content"].get(media) {
            None => found.push(format!("{place}: a body of {media} is no longer taken")),
            Some(now) => {
                let at = format!("{place}: body");
                compare_schemas(pair, &at, &before["schema"], &now["schema"], Direction::In, found);
            }
        }
    }
}

fn answers(pair: Pair<'_>, place: &str, was: &Value, is: &Value, found: &mut Vec<String>) {
    for (status, before) in entries(&was["responses"]) {
        let Some(now) = is["responses"].get(status) else {
            found.push(format!("{place}: the status {status} is gone"));
            continue;
        };
        let before = resolved(pair.old, before);
        let now = resolved(pair.new, now);
        for (media, schema) in entries(&before["content"]) {
            let at = format!("{place}: answer {status}");
            match now["content"].get(media) {
                None => found.push(format!("{at}: it is no longer {media}")),
                Some(now) => compare_schemas(
                    pair,
                    &at,
                    &schema["schema"],
                    &now["schema"],
                    Direction::Out,
                    found,
                ),
            }
        }
        for (header, _) in entries(&before["headers"]) {
            if now["headers"].get(header).is_none() {
                found.push(format!("{place}: answer {status}: the header {header} is gone"));
            }
        }
    }
    // A success that a client has never heard of is one it does not understand.
    let successes = |operation: &Value| -> BTreeSet<String> {
        let all = entries(&operation["responses"]).map(|(status, _)| status.clone());
        all.filter(|status| status.starts_with('2')).collect()
    };
    for status in successes(is).difference(&successes(was)) {
        found.push(format!("{place}: the status {status} is new, and means success"));
    }
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

/// What a reference refers to.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let target = value.get("$ref").and_then(Value::as_str);
    let pointer = target.map(|target| target.trim_start_matches('#'));
    pointer
        .and_then(|pointer| document.pointer(pointer))
        .unwrap_or(value)
}
