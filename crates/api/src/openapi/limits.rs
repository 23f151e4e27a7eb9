//! What the wire types cannot say of themselves: patterns, words to choose from, bounds. What is said here is what the
//! server refuses with 400; what it refuses for another reason is 422.

use serde_json::{Map, Value, json};

const NAME: &str = "^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$";
const VERSION: &str = r"^v?[0-9]{1,4}(\.[0-9]{1,4}){1,2}$";
/// Together never more than 64 bits hold.
const SIZE: &str = r"^([0-9]{1,3}(\.[0-9]{1,3})?Pi?|[0-9]{1,6}(\.[0-9]{1,3})?Ti?|[0-9]{1,9}(\.[0-9]{1,3})?Gi?|[0-9]{1,12}(\.[0-9]{1,3})?Mi?|[0-9]{1,15}(\.[0-9]{1,3})?(Ki|k)|[0-9]{1,19}(\.[0-9]{1,3})?)$";
const CPU: &str = r"^([0-9]{1,12}(\.[0-9]{1,3})?|[0-9]{1,15}m)$";
const OCTET: &str = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const EMAIL: &str = r"^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?){0,3}$";
const ROLES: [&str; 5] = [
    "project_viewer",
    "project_member",
    "project_admin",
    "org_admin",
    "platform_admin",
];

fn cidr() -> String {
    format!(r"^{OCTET}(\.{OCTET}){{3}}/(3[0-2]|[12]?[0-9])$")
}

fn or_null(words: &[&str]) -> Value {
    let mut all: Vec<Value> = words.iter().map(|word| json!(word)).collect();
    all.push(Value::Null);
    json!(all)
}

/// Properties of schemas, and what is said of them besides.
fn table() -> Vec<(&'static str, &'static str, Value)> {
    let name = json!({ "pattern": NAME });
    let mut rows = vec![
        ("NetworkCreate", "cidr", json!({ "pattern": cidr() })),
        ("NetworkApply", "cidr", json!({ "pattern": cidr() })),
        ("Ranges", "pods", json!({ "pattern": cidr() })),
        ("Ranges", "services", json!({ "pattern": cidr() })),
        ("ClusterSpec", "version", json!({ "pattern": VERSION })),
        (
            "ClusterSpec",
            "engine",
            json!({ "enum": or_null(&["hosted", "kubeadm", "k3s", "cloud"]) }),
        ),
        (
            "ClusterSpec",
            "podSecurity",
            json!({ "enum": or_null(&["baseline", "restricted"]) }),
        ),
        (
            "ClusterSpec",
            "nodeGroups",
            json!({ "propertyNames": { "pattern": NAME } }),
        ),
        ("ClusterSpec", "vpc", json!({ "type": "string", "minLength": 1 })),
        (
            "NodeGroup",
            "roles",
            json!({ "items": { "type": "string", "pattern": NAME } }),
        ),
        (
            "IngressNginx",
            "exposeMethod",
            json!({ "enum": or_null(&["Proxied", "LoadBalancer"]) }),
        ),
        ("QuotaView", "memory", json!({ "pattern": SIZE })),
        ("QuotaView", "storage", json!({ "pattern": SIZE })),
        ("Invite", "email", json!({ "pattern": EMAIL, "maxLength": 254 })),
        ("Invite", "role", json!({ "enum": ROLES })),
        ("ServiceAccountCreate", "role", json!({ "enum": or_null(&ROLES) })),
        (
            "TokenCreate",
            "ttlSeconds",
            json!({ "minimum": 60, "maximum": 86_400 }),
        ),
        (
            "CredentialsRequest",
            "kind",
            json!({ "enum": ["admin.conf", "admin.svc", "super-admin.conf", "super-admin.svc"] }),
        ),
    ];
    for schema in [
        "NetworkCreate",
        "ClusterCreate",
        "PlanRequest",
        "OrgCreate",
        "ProjectCreate",
        "ServiceAccountCreate",
        "SecretCreate",
        "SshKeyCreate",
    ] {
        rows.push((schema, "name", name.clone()));
    }
    // Every number is as large as its type holds.
    for (schema, property) in [
        ("ControlPlane", "replicas"),
        ("NodeGroup", "minReplicas"),
        ("NodeGroup", "maxReplicas"),
        ("OrgCreate", "maxProjects"),
        ("QuotaView", "clusters"),
        ("QuotaView", "vcpu"),
        ("QuotaView", "loadbalancers"),
    ] {
        rows.push((schema, property, json!({ "maximum": u32::MAX })));
    }
    rows
}

/// `document` is whole but for this.
pub fn lay_down(document: &mut Value) {
    let schemas = &mut document["components"]["schemas"];
    for (schema, property, more) in table() {
        let place = schemas[schema]["properties"][property]
            .as_object_mut()
            .unwrap_or_else(|| panic!("{schema} has no {property}"));
        place.extend(object(more));
    }
    // A cluster without a VPC cannot be; without a default it is not said to be optional either.
    let spec = &mut schemas["ClusterSpec"];
    spec["required"] = json!(["vpc"]);
    if let Some(vpc) = spec["properties"]["vpc"].as_object_mut() {
        vpc.remove("default");
    }
    // An amount of memory has units that one of CPU has not.
    let amount = |pattern: &str| {
        json!({ "oneOf": [
            { "type": "string", "pattern": pattern },
            { "type": "number", "minimum": 0, "maximum": 1_000_000_000 },
            { "type": "null" },
        ] })
    };
    let cpu = amount(CPU);
    let size = amount(SIZE);
    for (schema, property, amount) in [
        ("Resources", "cpu", &cpu),
        ("Resources", "memory", &size),
        ("NodeGroup", "ephemeralStorage", &size),
    ] {
        let place = schemas[schema]["properties"][property].as_object_mut();
        place.expect("an amount").extend(object(amount.clone()));
    }
    if let Some(schemas) = schemas.as_object_mut() {
        schemas.remove("Quantity");
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is not an object"),
    }
}

/// Of a parameter in a path. What a route makes by its path is named there as in a body.
pub fn in_path(name: &str, made_there: bool) -> Value {
    let reference = "^[a-z0-9][-a-z0-9]{0,62}$";
    match name {
        "reference" if made_there => json!({ "type": "string", "pattern": NAME }),
        // A project may be named as `organisation/project`, escaped.
        "project" => {
            json!({ "type": "string", "pattern": "^[a-z0-9][-a-z0-9]{0,62}(/[a-z0-9][-a-z0-9]{0,62})?$" })
        }
        "member" | "invitation" => json!({ "type": "string", "pattern": r"^[A-Za-z0-9._%+@-]{1,254}$" }),
        _ => json!({ "type": "string", "pattern": reference }),
    }
}
