//! Reading a spec and showing it again.

use proptest::prelude::*;

use types::{Fault, cluster as domain};

use super::ClusterSpec;

fn parse(json: &str) -> Result<domain::ClusterSpec, Fault> {
    domain::ClusterSpec::try_from(&serde_json::from_str::<ClusterSpec>(json).unwrap())
}

#[test]
fn a_refusal_names_the_field_and_has_its_own_code() {
    for (json, code, field) in [
        ("{}", "vpc-missing", "spec.vpc"),
        (r#"{"vpc":""}"#, "vpc-missing", "spec.vpc"),
        (r#"{"vpc":"v","engine":"magic"}"#, "engine-unknown", "spec.engine"),
        (
            r#"{"vpc":"v","version":"latest"}"#,
            "version-invalid",
            "spec.version",
        ),
        (
            r#"{"vpc":"v","ranges":{"pods":"10.1.2.3/8"}}"#,
            "cidr-invalid",
            "spec.ranges.pods",
        ),
        (
            r#"{"vpc":"v","ranges":{"nodePorts":"9-1"}}"#,
            "port-range-invalid",
            "spec.ranges.nodePorts",
        ),
        (
            r#"{"vpc":"v","nodeGroups":{"A":{}}}"#,
            "name-invalid",
            "spec.nodeGroups.A",
        ),
        (
            r#"{"vpc":"v","nodeGroups":{"a":{"ephemeralStorage":"-1Gi"}}}"#,
            "quantity-invalid",
            "spec.nodeGroups.a.ephemeralStorage",
        ),
        (
            r#"{"vpc":"v","controlPlane":{"apiServer":{"resources":{"cpu":"much"}}}}"#,
            "quantity-invalid",
            "spec.controlPlane.apiServer.resources.cpu",
        ),
    ] {
        let fault = parse(json).unwrap_err();
        assert_eq!(fault.code, code, "{json}");
        assert!(fault.cause.starts_with(field), "{json}: {}", fault.cause);
    }
}

#[test]
fn numbers_are_amounts_too() {
    let json = r#"{"vpc":"v","nodeGroups":{"a":{"resources":{"cpu":2,"memory":"1.5Gi"}}}}"#;
    let spec = parse(json).unwrap();
    let group = spec.node_groups.values().next().unwrap();
    assert_eq!(group.resources.cpu, Some(types::MilliCpu(2000)));
    assert_eq!(group.resources.memory, Some(types::Bytes::mib(1536)));
}

#[test]
fn what_is_shown_parses_to_the_same() {
    let json = r#"{"vpc":"v","version":"v1.36","ranges":{"domain":"lab.local"},"controlPlane":{"replicas":1,
        "apiServer":{"resourcesPreset":"small"},"konnectivity":{"server":{"resources":{"cpu":"500m"}}}},
        "nodeGroups":{"md0":{"minReplicas":0,"maxReplicas":3,"instanceType":"u1.medium","roles":["ingress"],
        "gpus":[{"name":"a10"}]}},"addons":{"ingressNginx":{"enabled":true,"exposeMethod":"Proxied"},
        "gatewayAPI":{"enabled":false},"coredns":{"valuesOverride":{"a":{"b":1}}}}}"#;
    let spec = parse(json).unwrap();
    let shown = ClusterSpec::from(&spec);
    assert_eq!(domain::ClusterSpec::try_from(&shown).unwrap(), spec);
}

/// Values for fields whose names are right.
fn value() -> impl Strategy<Value = serde_json::Value> {
    prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<u32>().prop_map(Into::into),
        "[a-z0-9./:-]{0,30}".prop_map(Into::into),
        "\\PC{0,30}".prop_map(Into::into),
        proptest::collection::vec(any::<u8>().prop_map(serde_json::Value::from), 0..3).prop_map(Into::into),
    ]
}

proptest! {
    #[test]
    fn hostile_specs_are_read_or_refused_by_name(
        top in value(), range in value(), group in value(), count in value(), size in value(), name in "\\PC{0,20}",
    ) {
        let given = serde_json::json!({
            "version": top, "vpc": "lab", "ranges": {"pods": range},
            "nodeGroups": {name: {"instanceType": group, "minReplicas": count, "ephemeralStorage": size}},
        });
        if let Ok(spec) = serde_json::from_value::<ClusterSpec>(given) {
            match types::cluster::ClusterSpec::try_from(&spec) {
                // There and back again is the same.
                Ok(read) => {
                    let shown = ClusterSpec::from(&read);
                    prop_assert_eq!(types::cluster::ClusterSpec::try_from(&shown), Ok(read));
                }
                Err(fault) => prop_assert!(!fault.cause.is_empty() && !fault.remedy.is_empty()),
            }
        }
    }
}
