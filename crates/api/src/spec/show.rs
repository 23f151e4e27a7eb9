//! From the domain's spec to what is shown. What nobody set is left out, so that a shown spec can be applied again.

use types::cluster as domain;

use super::{
    Addon, Addons, ClusterSpec, Component, ControlPlane, Gpu, IngressNginx, Konnectivity, NodeGroup, Ranges,
    Resources,
};
use crate::quantity::Quantity;

/// Nothing in the place of a part in which nothing is set.
fn unless_default<D: Default + PartialEq, W>(part: &D, show: impl FnOnce(&D) -> W) -> Option<W> {
    (*part != D::default()).then(|| show(part))
}

impl From<&domain::ClusterSpec> for ClusterSpec {
    fn from(spec: &domain::ClusterSpec) -> Self {
        let domain::ClusterSpec {
            version,
            vpc,
            host,
            storage_class,
            ranges,
            control_plane,
            node_groups,
            ..
        } = spec;
        Self {
            engine: Some(spec.engine.as_str().to_owned()),
            version: version.map(|version| version.to_string()),
            vpc: Some(vpc.clone()),
            host: host.clone(),
            storage_class: storage_class.clone(),
            pod_security: unless_default(&spec.pod_security, |level| level.as_str().to_owned()),
            ranges: Some(show_ranges(ranges)),
            control_plane: unless_default(control_plane, show_control_plane),
            node_groups: node_groups
                .iter()
                .map(|(name, group)| (name.to_string(), show_node_group(group)))
                .collect(),
            addons: unless_default(&spec.addons, show_addons),
        }
    }
}

fn show_ranges(ranges: &domain::Ranges) -> Ranges {
    let domain::Ranges {
        pods,
        services,
        node_ports,
        domain,
    } = ranges;
    Ranges {
        pods: Some(pods.to_string()),
        services: Some(services.to_string()),
        node_ports: Some(String::from(*node_ports)),
        domain: Some(domain.clone()),
    }
}

fn show_control_plane(plane: &domain::ControlPlane) -> ControlPlane {
    let domain::ControlPlane {
        replicas,
        api_server,
        controller_manager,
        scheduler,
        konnectivity,
    } = plane;
    ControlPlane {
        replicas: *replicas,
        api_server: unless_default(api_server, show_component),
        controller_manager: unless_default(controller_manager, show_component),
        scheduler: unless_default(scheduler, show_component),
        konnectivity: unless_default(konnectivity, |domain::Konnectivity { server }| Konnectivity {
            server: unless_default(server, show_component),
        }),
    }
}

fn show_component(component: &domain::Component) -> Component {
    let domain::Component {
        resources,
        resources_preset,
    } = component;
    Component {
        resources: unless_default(resources, show_resources),
        resources_preset: resources_preset.clone(),
    }
}

fn show_resources(resources: &domain::Resources) -> Resources {
    let domain::Resources { cpu, memory } = resources;
    Resources {
        cpu: cpu.map(|cpu| Quantity(cpu.to_string())),
        memory: memory.map(|memory| Quantity(memory.to_string())),
    }
}

fn show_node_group(group: &domain::NodeGroup) -> NodeGroup {
    let domain::NodeGroup {
        min_replicas,
        max_replicas,
        instance_type,
        ephemeral_storage,
        roles,
        resources,
        gpus,
    } = group;
    NodeGroup {
        min_replicas: *min_replicas,
        max_replicas: *max_replicas,
        instance_type: instance_type.clone(),
        ephemeral_storage: ephemeral_storage.map(|size| Quantity(size.to_string())),
        roles: roles.iter().map(ToString::to_string).collect(),
        resources: unless_default(resources, show_resources),
        gpus: gpus
            .iter()
            .map(|domain::Gpu { name }| Gpu { name: name.clone() })
            .collect(),
    }
}

fn show_addons(addons: &domain::Addons) -> Addons {
    let domain::Addons {
        cert_manager,
        cilium,
        gateway_api,
        ingress_nginx,
        gpu_operator,
        fluxcd,
        ..
    } = addons;
    let domain::Addons {
        monitoring_agents,
        vertical_pod_autoscaler,
        velero,
        coredns,
        ..
    } = addons;
    Addons {
        cert_manager: unless_default(cert_manager, show_addon),
        cilium: unless_default(cilium, show_addon),
        gateway_api: unless_default(gateway_api, show_addon),
        ingress_nginx: unless_default(ingress_nginx, show_ingress_nginx),
        gpu_operator: unless_default(gpu_operator, show_addon),
        fluxcd: unless_default(fluxcd, show_addon),
        monitoring_agents: unless_default(monitoring_agents, show_addon),
        vertical_pod_autoscaler: unless_default(vertical_pod_autoscaler, show_addon),
        velero: unless_default(velero, show_addon),
        coredns: unless_default(coredns, show_addon),
    }
}

fn show_addon(addon: &domain::Addon) -> Addon {
    let domain::Addon {
        enabled,
        values_override,
    } = addon;
    Addon {
        enabled: *enabled,
        values_override: values_override.clone(),
    }
}

fn show_ingress_nginx(addon: &domain::IngressNginx) -> IngressNginx {
    let domain::IngressNginx {
        enabled,
        expose_method,
        hosts,
        values_override,
    } = addon;
    IngressNginx {
        enabled: *enabled,
        expose_method: expose_method.map(|method| {
            match method {
                domain::ExposeMethod::Proxied => "Proxied",
                domain::ExposeMethod::LoadBalancer => "LoadBalancer",
            }
            .to_owned()
        }),
        hosts: hosts.clone(),
        values_override: values_override.clone(),
    }
}
