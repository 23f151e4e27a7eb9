//! Comparing two schemas, where what they describe is sent or where it is received.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Pair, entries, resolved};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// From client to server.
    In,
    /// From server to client.
    Out,
}

/// Deep enough for every document that is not written to be endless.
const DEEPEST: usize = 24;

pub(super) fn compare(
    pair: Pair<'_>,
    place: &str,
    old: &Value,
    new: &Value,
    direction: Direction,
    found: &mut Vec<String>,
) {
    let mut walk = Walk {
        pair,
        direction,
        found,
    };
    walk.schema(place, old, new, DEEPEST);
}

struct Walk<'a, 'f> {
    pair: Pair<'a>,
    direction: Direction,
    found: &'f mut Vec<String>,
}

/// Bounds, and whether a larger number admits less.
const BOUNDS: [(&str, bool); 9] = [
    ("minimum", true),
    ("exclusiveMinimum", true),
    ("minLength", true),
    ("minItems", true),
    ("minProperties", true),
    ("maximum", false),
    ("exclusiveMaximum", false),
    ("maxLength", false),
    ("maxItems", false),
];

impl Walk<'_, '_> {
    fn schema(&mut self, place: &str, old: &Value, new: &Value, left: usize) {
        if left == 0 {
            return;
        }
        // Two references to the same name are followed once, by whoever meets the name first from here.
        let (old, new) = (resolved(self.pair.old, old), resolved(self.pair.new, new));
        if old == new && !refers(old) {
            return;
        }
        self.set(place, "type", types(old), types(new));
        self.set(place, "value", words(old), words(new));
        self.bounds(place, old, new);
        self.properties(place, old, new, left);
        if let (Some(was), Some(is)) = (old.get("items"), new.get("items")) {
            self.schema(&format!("{place}[]"), was, is, left - 1);
        }
        match (&old["additionalProperties"], &new["additionalProperties"]) {
            (was @ Value::Object(_), is @ Value::Object(_)) => {
                self.schema(&format!("{place}.*"), was, is, left - 1);
            }
            (was, Value::Bool(false)) if *was != Value::Bool(false) && self.direction == Direction::In => {
                self.break_at(place, "fields that it does not know are no longer taken");
            }
            _ => {}
        }
        for choice in ["oneOf", "anyOf", "allOf"] {
            self.choices(place, &old[choice], &new[choice], left);
        }
    }

    fn break_at(&mut self, place: &str, what: impl std::fmt::Display) {
        self.found.push(format!("{place}: {what}"));
    }

    /// What is admitted must not become less where it is sent, nor more where it is received. `None` admits everything.
    fn set(&mut self, place: &str, what: &str, old: Option<BTreeSet<String>>, new: Option<BTreeSet<String>>) {
        let (was, is) = (old, new);
        match (self.direction, was, is) {
            (_, None, None) => {}
            (Direction::In, Some(_), None) | (Direction::Out, None, Some(_)) => {}
            (Direction::In, None, Some(is)) => {
                self.break_at(
                    place,
                    format_args!("only the {what}s {} are taken now", list(&is)),
                );
            }
            (Direction::Out, Some(_), None) => {
                self.break_at(place, format_args!("its {what} is no longer certain"));
            }
            (Direction::In, Some(was), Some(is)) => {
                for gone in was.difference(&is) {
                    self.break_at(place, format_args!("the {what} {gone} is no longer taken"));
                }
            }
            (Direction::Out, Some(was), Some(is)) => {
                for new in is.difference(&was) {
                    self.break_at(place, format_args!("the {what} {new} is new to whoever reads it"));
                }
            }
        }
    }

    fn bounds(&mut self, place: &str, old: &Value, new: &Value) {
        if self.direction == Direction::Out {
            return;
        }
        for (bound, larger_is_less) in BOUNDS {
            let (was, is) = (old[bound].as_f64(), new[bound].as_f64());
            let tighter = match (was, is) {
                (_, None) => false,
                (None, Some(_)) => true,
                (Some(was), Some(is)) if larger_is_less => is > was,
                (Some(was), Some(is)) => is < was,
            };
            if tighter {
                self.break_at(place, format_args!("{bound} is now {}", new[bound]));
            }
        }
        if new.get("pattern").is_some() && old["pattern"] != new["pattern"] {
            self.break_at(
                place,
                format_args!(
                    "it must now match {}, which may be less than before",
                    new["pattern"]
                ),
            );
        }
    }

    fn properties(&mut self, place: &str, old: &Value, new: &Value, left: usize) {
        let required = |schema: &Value| -> BTreeSet<String> {
            let all = schema["required"].as_array().into_iter().flatten();
            all.filter_map(|name| name.as_str().map(str::to_owned)).collect()
        };
        let (was, is) = (required(old), required(new));
        match self.direction {
            Direction::In => {
                for name in is.difference(&was) {
                    self.break_at(place, format_args!("the property {name} is now required"));
                }
            }
            Direction::Out => {
                for name in was.difference(&is) {
                    self.break_at(place, format_args!("the property {name} may be missing now"));
                }
            }
        }
        for (name, before) in entries(&old["properties"]) {
            let at = format!("{place}.{name}");
            match new["properties"].get(name) {
                Some(now) => self.schema(&at, before, now, left - 1),
                None if self.direction == Direction::In && new["additionalProperties"] != false => {}
                None => self.break_at(place, format_args!("the property {name} is gone")),
            }
        }
    }

    /// Alternatives are told apart by what they are, not by where they stand.
    fn choices(&mut self, place: &str, old: &Value, new: &Value, left: usize) {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let (was, is) = (list(old), list(new));
        if was.len() == is.len() {
            for (before, now) in was.iter().zip(&is) {
                self.schema(place, before, now, left - 1);
            }
            return;
        }
        let lost = was.iter().any(|before| !is.contains(before));
        let new_one = is.iter().any(|now| !was.contains(now));
        match self.direction {
            Direction::In if lost || was.is_empty() => {
                self.break_at(place, "one of its alternatives is no longer taken");
            }
            Direction::Out if new_one => self.break_at(place, "it may now be something else than before"),
            Direction::In | Direction::Out => {}
        }
    }
}

fn refers(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.contains_key("$ref") || map.values().any(refers),
        Value::Array(items) => items.iter().any(refers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn list(words: &BTreeSet<String>) -> String {
    words.iter().cloned().collect::<Vec<_>>().join(", ")
}

/// Every number is admitted where numbers are, whole ones too.
fn types(schema: &Value) -> Option<BTreeSet<String>> {
    let mut all: BTreeSet<String> = match &schema["type"] {
        Value::String(one) => BTreeSet::from([one.clone()]),
        Value::Array(several) => several
            .iter()
            .filter_map(|one| one.as_str().map(str::to_owned))
            .collect(),
        _ => return None,
    };
    if all.contains("number") {
        all.insert("integer".to_owned());
    }
    Some(all)
}

fn words(schema: &Value) -> Option<BTreeSet<String>> {
    if let Some(only) = schema.get("const") {
        return Some(BTreeSet::from([only.to_string()]));
    }
    let all = schema.get("enum")?.as_array()?;
    Some(all.iter().map(Value::to_string).collect())
}
