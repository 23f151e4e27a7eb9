//! Each kind of change, on a small document: that those that break somebody are found, and that the others are not.

use serde_json::{Value, json};

use super::breaks;

fn document() -> Value {
    json!({
        "security": [{ "bearer": [] }],
        "paths": {
            "/things": {
                "get": {
                    "operationId": "listThings",
                    "parameters": [{ "name": "limit", "in": "query", "schema": { "type": "integer", "minimum": 1, "maximum": 10 } }],
                    "responses": { "200": { "headers": { "ETag": {} }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Thing" } } } },
                        "404": { "$ref": "#/components/responses/Problem" } },
                },
                "post": {
                    "operationId": "createThing",
                    "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Make" } } } },
                    "responses": { "202": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Thing" } } } } },
                },
            },
            "/open": { "get": { "operationId": "open", "security": [], "responses": { "200": {} } } },
        },
        "components": {
            "responses": { "Problem": { "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Thing" } } } } },
            "schemas": {
                "Thing": { "type": "object", "required": ["id"], "properties": {
                    "id": { "type": "string" },
                    "phase": { "enum": ["new", "old"] },
                    "note": { "type": ["string", "null"] },
                    "parts": { "type": "array", "items": { "$ref": "#/components/schemas/Part" } },
                } },
                "Part": { "type": "object", "properties": { "size": { "type": "integer" } } },
                "Make": { "type": "object", "additionalProperties": false, "required": ["name"], "properties": {
                    "name": { "type": "string", "maxLength": 40 },
                    "kind": { "enum": ["a", "b"] },
                    "count": { "type": ["integer", "null"] },
                    "amount": { "oneOf": [{ "type": "string" }, { "type": "number" }] },
                } },
            },
        },
    })
}

/// What is found when the value at a pointer is replaced, or taken away.
fn after(pointer: &str, value: Option<Value>) -> Vec<String> {
    let old = document();
    let mut new = document();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let name = name.replace("~1", "/");
    let parent = new.pointer_mut(parent).unwrap_or_else(|| panic!("{pointer}"));
    match (parent, value) {
        (Value::Object(map), Some(value)) => {
            map.insert(name, value);
        }
        (Value::Object(map), None) => {
            map.remove(&name).unwrap_or_else(|| panic!("{pointer}"));
        }
        (other, _) => panic!("{other} at {pointer}"),
    }
    breaks(&old, &new)
}

const LIST: &str = "/paths/~1things/get";
const MAKE: &str = "/components/schemas/Make";
const THING: &str = "/components/schemas/Thing";

#[test]
fn a_document_may_take_its_own_place() {
    assert_eq!(breaks(&document(), &document()), [""; 0]);
}

#[test]
fn what_breaks_somebody_is_found_and_named() {
    let gone: Option<Value> = None;
    for (pointer, value, word) in [
        (
            "/paths/~1things".to_owned(),
            gone.clone(),
            "GET /things: the operation is gone",
        ),
        (
            "/paths/~1things/post".to_owned(),
            gone.clone(),
            "POST /things: the operation is gone",
        ),
        (format!("{LIST}/operationId"), Some(json!("list")), "operationId"),
        (
            "/paths/~1open/get/security".to_owned(),
            gone.clone(),
            "now takes a token",
        ),
        (
            format!("{LIST}/responses/404"),
            gone.clone(),
            "the status 404 is gone",
        ),
        (
            format!("{LIST}/responses/204"),
            Some(json!({})),
            "the status 204 is new",
        ),
        (
            format!("{LIST}/responses/200/headers/ETag"),
            gone.clone(),
            "the header ETag is gone",
        ),
        (
            format!("{LIST}/responses/200/content/application~1json"),
            gone.clone(),
            "no longer application/json",
        ),
        (
            format!("{LIST}/parameters"),
            gone.clone(),
            "the parameter limit is gone",
        ),
        (
            format!("{LIST}/parameters"),
            Some(
                json!([{ "name": "limit", "in": "query", "required": true, "schema": { "type": "integer", "minimum": 1, "maximum": 10 } }]),
            ),
            "the parameter limit is now required",
        ),
        (
            format!("{LIST}/parameters"),
            Some(
                json!([{ "name": "limit", "in": "query", "schema": { "type": "integer", "minimum": 1, "maximum": 5 } }]),
            ),
            "maximum is now 5",
        ),
        (
            "/paths/~1open/get/parameters".to_owned(),
            Some(json!([{ "name": "who", "in": "query", "required": true, "schema": {} }])),
            "the parameter who is new and required",
        ),
        (
            "/paths/~1things/post/requestBody/required".to_owned(),
            Some(json!(true)),
            "a body is now required",
        ),
        (
            format!("{MAKE}/required"),
            Some(json!(["name", "kind"])),
            "the property kind is now required",
        ),
        (
            format!("{MAKE}/properties/kind"),
            gone.clone(),
            "the property kind is gone",
        ),
        (
            format!("{MAKE}/properties/kind/enum"),
            Some(json!(["a"])),
            "the value \"b\" is no longer taken",
        ),
        (
            format!("{MAKE}/properties/count/type"),
            Some(json!("integer")),
            "the type null is no longer taken",
        ),
        (
            format!("{MAKE}/properties/name/maxLength"),
            Some(json!(20)),
            "maxLength is now 20",
        ),
        (
            format!("{MAKE}/properties/name/pattern"),
            Some(json!("^a$")),
            "must now match",
        ),
        (
            format!("{MAKE}/properties/name/type"),
            Some(json!("integer")),
            "the type string is no longer taken",
        ),
        (
            format!("{MAKE}/properties/amount/oneOf"),
            Some(json!([{ "type": "string" }])),
            "alternatives",
        ),
        (
            format!("{THING}/properties/note"),
            gone.clone(),
            "the property note is gone",
        ),
        (
            format!("{THING}/required"),
            Some(json!([])),
            "the property id may be missing now",
        ),
        (
            format!("{THING}/properties/phase/enum"),
            Some(json!(["new", "old", "odd"])),
            "the value \"odd\" is new",
        ),
        (
            format!("{THING}/properties/id/type"),
            Some(json!(["string", "null"])),
            "the type null is new",
        ),
        (
            format!("{THING}/properties/id/type"),
            gone.clone(),
            "its type is no longer certain",
        ),
        (
            "/components/schemas/Part/properties/size/type".to_owned(),
            Some(json!("string")),
            "parts[].size",
        ),
    ] {
        let found = after(&pointer, value);
        assert!(
            found.iter().any(|one| one.contains(word)),
            "{pointer}: {word} is not in {found:#?}"
        );
    }
}

#[test]
fn what_breaks_nobody_is_let_pass() {
    for (pointer, value) in [
        (
            "/paths/~1more".to_owned(),
            Some(json!({ "get": { "operationId": "more", "responses": { "200": {} } } })),
        ),
        (
            format!("{LIST}/responses/409"),
            Some(json!({ "$ref": "#/components/responses/Problem" })),
        ),
        (
            format!("{LIST}/parameters"),
            Some(json!([
                { "name": "limit", "in": "query", "schema": { "type": "integer", "minimum": 0, "maximum": 100 } },
                { "name": "cursor", "in": "query", "schema": { "type": "string" } },
            ])),
        ),
        (
            format!("{MAKE}/properties/more"),
            Some(json!({ "type": "string" })),
        ),
        (
            format!("{MAKE}/properties/kind/enum"),
            Some(json!(["a", "b", "c"])),
        ),
        (format!("{MAKE}/properties/name/maxLength"), Some(json!(60))),
        (
            format!("{MAKE}/properties/count/type"),
            Some(json!(["number", "null"])),
        ),
        (
            format!("{THING}/properties/more"),
            Some(json!({ "type": "string" })),
        ),
        (format!("{THING}/properties/phase/enum"), Some(json!(["new"]))),
        (format!("{THING}/properties/note/type"), Some(json!("string"))),
        (format!("{THING}/required"), Some(json!(["id", "note"]))),
    ] {
        assert_eq!(after(&pointer, value), [""; 0], "{pointer}");
    }
}
