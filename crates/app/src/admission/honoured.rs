//! Fields that were set and that nothing honours yet.

use ports::edge::TUNNELS;
use types::{
    Fault, Findings,
    catalogue::resource_preset,
    cluster::{Addon, ClusterSpec, Component, Engine, Resources},
};

pub fn check(spec: &ClusterSpec, found: &mut Findings) {
    match spec.engine {
        Engine::Hosted => {}
        Engine::Kubeadm | Engine::K3s | Engine::Cloud => found.note(unsupported(
            "engine",
            "only the hosted engine runs clusters in this release",
            "use engine: hosted",
        )),
    }
    match spec.control_plane.replicas {
        None | Some(1) => {}
        Some(n) => found.note(unsupported(
            "controlPlane.replicas",
            &format!("{n} control-plane replicas are not supported in this release"),
            "leave it out or set it to 1",
        )),
    }
    for (field, component) in [
        ("controlPlane.apiServer", &spec.control_plane.api_server),
        (
            "controlPlane.controllerManager",
            &spec.control_plane.controller_manager,
        ),
        ("controlPlane.scheduler", &spec.control_plane.scheduler),
    ] {
        component_is_sane(field, component, found);
    }
    if spec.control_plane.konnectivity.server != Component::default() {
        found.note(unsupported(
            "controlPlane.konnectivity",
            "the control plane is on the VPC and reaches nodes directly; there is no konnectivity server to size",
            "leave controlPlane.konnectivity out",
        ));
    }
    if spec.storage_class.is_some() {
        found.note(unsupported(
            "storageClass",
            "no storage classes exist in this release",
            "leave storageClass out",
        ));
    }
    if let Some(host) = &spec.host {
        found.keep(host_is_a_name(host));
    }
    addons(spec, found);
}

fn component_is_sane(field: &str, component: &Component, found: &mut Findings) {
    if let Some(preset) = &component.resources_preset {
        let known = resource_preset(preset);
        found.keep(known.map_err(|fault| fault.at(format!("spec.{field}.resourcesPreset"))));
    }
    let Resources { cpu, memory } = component.resources;
    for (resource, zero) in [
        ("cpu", cpu.is_some_and(|c| c.0 == 0)),
        ("memory", memory.is_some_and(|m| m.0 == 0)),
    ] {
        if zero {
            found.note(
                Fault::unfit(
                    "resources-zero",
                    "an amount of zero",
                    "give more than zero, or leave it out for the preset",
                )
                .at(format!("spec.{field}.resources.{resource}")),
            );
        }
    }
}

fn host_is_a_name(host: &str) -> Result<(), Fault> {
    let label = |l: &str| {
        !l.is_empty()
            && l.len() <= 63
            && !l.starts_with('-')
            && !l.ends_with('-')
            && l.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    if host.ends_with(TUNNELS) {
        return Err(Fault::invalid(
            "host-reserved",
            format!("names that end in '{TUNNELS}' are the platform's own"),
            "give a name of a domain of yours",
        ));
    }
    if host.len() <= 253 && host.contains('.') && host.split('.').all(label) {
        return Ok(());
    }
    Err(Fault::unfit(
        "host-invalid",
        format!("'{host}' is not a host name"),
        "give a name such as dev.example.org",
    )
    .at("spec.host"))
}

fn addons(spec: &ClusterSpec, found: &mut Findings) {
    let addons = &spec.addons;
    let plain: [(&str, &Addon); 9] = [
        ("certManager", &addons.cert_manager),
        ("cilium", &addons.cilium),
        ("gatewayAPI", &addons.gateway_api),
        ("gpuOperator", &addons.gpu_operator),
        ("fluxcd", &addons.fluxcd),
        ("monitoringAgents", &addons.monitoring_agents),
        ("verticalPodAutoscaler", &addons.vertical_pod_autoscaler),
        ("velero", &addons.velero),
        ("coredns", &addons.coredns),
    ];
    let wanted = |enabled: Option<bool>, values_set: bool| enabled == Some(true) || values_set;
    let set = plain
        .iter()
        .filter(|(_, addon)| wanted(addon.enabled, !addon.values_override.is_empty()))
        .map(|(name, _)| *name);
    let ingress = &addons.ingress_nginx;
    let ingress_set = wanted(ingress.enabled, !ingress.values_override.is_empty())
        || ingress.expose_method.is_some()
        || !ingress.hosts.is_empty();
    for name in set.chain(ingress_set.then_some("ingressNginx")) {
        found.note(unsupported(
            &format!("addons.{name}"),
            "add-ons are not installed by the platform in this release",
            "leave it out and install it yourself with helm",
        ));
    }
}

fn unsupported(field: &str, cause: &str, remedy: &str) -> Fault {
    Fault::refused("field-not-supported", cause, remedy).at(format!("spec.{field}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(spec: &ClusterSpec) -> Result<(), Fault> {
        let mut found = Findings::default();
        check(spec, &mut found);
        found.verdict()
    }

    #[test]
    fn every_field_that_nothing_honours_is_refused_by_name() {
        for (yaml_like, field) in [
            (r#"{"engine":"k3s"}"#, "engine"),
            (r#"{"controlPlane":{"replicas":2}}"#, "controlPlane.replicas"),
            (
                r#"{"controlPlane":{"konnectivity":{"server":{"resourcesPreset":"nano"}}}}"#,
                "konnectivity",
            ),
            (r#"{"storageClass":"replicated"}"#, "storageClass"),
            (
                r#"{"addons":{"certManager":{"enabled":true}}}"#,
                "addons.certManager",
            ),
            (
                r#"{"addons":{"gatewayAPI":{"enabled":true}}}"#,
                "addons.gatewayAPI",
            ),
            (
                r#"{"addons":{"ingressNginx":{"hosts":["a.b"]}}}"#,
                "addons.ingressNginx",
            ),
            (
                r#"{"addons":{"coredns":{"valuesOverride":{"a":1}}}}"#,
                "addons.coredns",
            ),
        ] {
            let spec: ClusterSpec = serde_json::from_str(yaml_like).unwrap();
            let fault = verdict(&spec).unwrap_err();
            assert!(fault.cause.contains(field), "{fault}");
        }
        assert!(
            verdict(&serde_json::from_str(r#"{"addons":{"velero":{"enabled":false}}}"#).unwrap()).is_ok()
        );
    }
}
