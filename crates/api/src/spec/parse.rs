//! From what was written to the domain's spec. Each refusal has a code of its own and names the field by its path.

use std::{collections::BTreeMap, fmt::Display, str::FromStr};

use types::{Fault, Labels, Name, cluster as domain, tenancy::PodSecurity};

use super::{
    Addon, Addons, ClusterSpec, Component, ControlPlane, IngressNginx, Konnectivity, NodeGroup, Ranges,
    Resources,
};
use crate::quantity::Quantity;

fn wrong(code: &'static str, field: &str, cause: impl Display, remedy: &str) -> Fault {
    Fault::invalid(code, format!("{field}: {cause}"), remedy)
}

/// A field whose type knows how to read itself; not given stays not given.
fn read<T>(given: Option<&str>, code: &'static str, field: &str, remedy: &str) -> Result<Option<T>, Fault>
where
    T: FromStr<Err: Display>,
{
    given
        .map(|given| {
            given
                .parse()
                .map_err(|cause: T::Err| wrong(code, field, cause, remedy))
        })
        .transpose()
}

fn quantity<T>(given: Option<&Quantity>, field: &str) -> Result<Option<T>, Fault>
where
    T: FromStr<Err: Display>,
{
    read(
        given.map(|q| q.0.as_str()),
        "quantity-invalid",
        field,
        "write the amount as Kubernetes does",
    )
}

pub fn name(given: &str, field: &str) -> Result<Name, Fault> {
    given.parse().map_err(|cause| {
        wrong(
            "name-invalid",
            field,
            cause,
            "choose a name of that form, such as dev-cluster",
        )
    })
}

pub fn labels(given: BTreeMap<String, String>, field: &str) -> Result<Labels, Fault> {
    given.try_into().map_err(|cause| {
        wrong(
            "labels-invalid",
            field,
            cause,
            "use Kubernetes' syntax, such as env=prod or example.com/team=shop",
        )
    })
}

impl TryFrom<&ClusterSpec> for domain::ClusterSpec {
    type Error = Fault;

    fn try_from(spec: &ClusterSpec) -> Result<Self, Fault> {
        let ClusterSpec {
            engine,
            version,
            vpc,
            host,
            storage_class,
            ..
        } = spec;
        let vpc = vpc.clone().filter(|vpc| !vpc.is_empty()).ok_or_else(|| {
            wrong(
                "vpc-missing",
                "spec.vpc",
                "the cluster names no VPC",
                "give the name or id of a VPC; `cloud vpc list` shows them",
            )
        })?;
        Ok(Self {
            engine: engine
                .as_deref()
                .map(parse_engine)
                .transpose()?
                .unwrap_or_default(),
            version: read(
                version.as_deref(),
                "version-invalid",
                "spec.version",
                "give a line such as v1.36 or a patch such as v1.36.4",
            )?,
            vpc,
            host: host.clone(),
            storage_class: storage_class.clone(),
            pod_security: spec
                .pod_security
                .as_deref()
                .map(parse_pod_security)
                .transpose()?
                .unwrap_or_default(),
            ranges: spec
                .ranges
                .as_ref()
                .map(parse_ranges)
                .transpose()?
                .unwrap_or_default(),
            control_plane: spec
                .control_plane
                .as_ref()
                .map(parse_control_plane)
                .transpose()?
                .unwrap_or_default(),
            node_groups: spec
                .node_groups
                .iter()
                .map(|(group, settings)| {
                    let field = format!("spec.nodeGroups.{group}");
                    Ok((name(group, &field)?, parse_node_group(settings, &field)?))
                })
                .collect::<Result<BTreeMap<_, _>, Fault>>()?,
            addons: spec
                .addons
                .as_ref()
                .map(parse_addons)
                .transpose()?
                .unwrap_or_default(),
        })
    }
}

fn parse_pod_security(given: &str) -> Result<PodSecurity, Fault> {
    match given {
        "baseline" => Ok(PodSecurity::Baseline),
        "restricted" => Ok(PodSecurity::Restricted),
        other => Err(wrong(
            "pod-security-unknown",
            "spec.podSecurity",
            format_args!("there is no Pod Security level '{other}' here"),
            "choose baseline or restricted",
        )),
    }
}

fn parse_engine(given: &str) -> Result<domain::Engine, Fault> {
    match given {
        "hosted" => Ok(domain::Engine::Hosted),
        "kubeadm" => Ok(domain::Engine::Kubeadm),
        "k3s" => Ok(domain::Engine::K3s),
        "cloud" => Ok(domain::Engine::Cloud),
        other => Err(wrong(
            "engine-unknown",
            "spec.engine",
            format_args!("there is no engine '{other}'"),
            "choose one of hosted, kubeadm, k3s, cloud",
        )),
    }
}

fn parse_ranges(ranges: &Ranges) -> Result<domain::Ranges, Fault> {
    const REMEDY: &str = "give a range in canonical form, such as 10.244.0.0/16";
    let Ranges {
        pods,
        services,
        node_ports,
        domain,
    } = ranges;
    let default = domain::Ranges::default();
    Ok(domain::Ranges {
        pods: read(pods.as_deref(), "cidr-invalid", "spec.ranges.pods", REMEDY)?.unwrap_or(default.pods),
        services: read(
            services.as_deref(),
            "cidr-invalid",
            "spec.ranges.services",
            REMEDY,
        )?
        .unwrap_or(default.services),
        node_ports: match node_ports {
            Some(given) => domain::PortRange::try_from(given.clone()).map_err(|cause| {
                wrong(
                    "port-range-invalid",
                    "spec.ranges.nodePorts",
                    cause,
                    "give the first and the last port",
                )
            })?,
            None => default.node_ports,
        },
        domain: domain.clone().unwrap_or(default.domain),
    })
}

fn parse_control_plane(plane: &ControlPlane) -> Result<domain::ControlPlane, Fault> {
    let ControlPlane {
        replicas,
        api_server,
        controller_manager,
        scheduler,
        konnectivity,
    } = plane;
    let server = konnectivity
        .as_ref()
        .and_then(|Konnectivity { server }| server.as_ref());
    Ok(domain::ControlPlane {
        replicas: *replicas,
        api_server: parse_component(api_server.as_ref(), "spec.controlPlane.apiServer")?,
        controller_manager: parse_component(
            controller_manager.as_ref(),
            "spec.controlPlane.controllerManager",
        )?,
        scheduler: parse_component(scheduler.as_ref(), "spec.controlPlane.scheduler")?,
        konnectivity: domain::Konnectivity {
            server: parse_component(server, "spec.controlPlane.konnectivity.server")?,
        },
    })
}

fn parse_component(component: Option<&Component>, field: &str) -> Result<domain::Component, Fault> {
    let Some(Component {
        resources,
        resources_preset,
    }) = component
    else {
        return Ok(domain::Component::default());
    };
    Ok(domain::Component {
        resources: parse_resources(resources.as_ref(), field)?,
        resources_preset: resources_preset.clone(),
    })
}

fn parse_resources(resources: Option<&Resources>, field: &str) -> Result<domain::Resources, Fault> {
    let Some(Resources { cpu, memory }) = resources else {
        return Ok(domain::Resources::default());
    };
    Ok(domain::Resources {
        cpu: quantity(cpu.as_ref(), &format!("{field}.resources.cpu"))?,
        memory: quantity(memory.as_ref(), &format!("{field}.resources.memory"))?,
    })
}

fn parse_node_group(group: &NodeGroup, field: &str) -> Result<domain::NodeGroup, Fault> {
    let NodeGroup {
        min_replicas,
        max_replicas,
        instance_type,
        ephemeral_storage,
        roles,
        resources,
        gpus,
    } = group;
    Ok(domain::NodeGroup {
        min_replicas: *min_replicas,
        max_replicas: *max_replicas,
        instance_type: instance_type.clone(),
        ephemeral_storage: quantity(ephemeral_storage.as_ref(), &format!("{field}.ephemeralStorage"))?,
        roles: roles
            .iter()
            .map(|role| name(role, &format!("{field}.roles")))
            .collect::<Result<_, _>>()?,
        resources: parse_resources(resources.as_ref(), field)?,
        gpus: gpus
            .iter()
            .map(|gpu| domain::Gpu {
                name: gpu.name.clone(),
            })
            .collect(),
    })
}

fn parse_addons(addons: &Addons) -> Result<domain::Addons, Fault> {
    let Addons {
        cert_manager,
        cilium,
        gateway_api,
        ingress_nginx,
        gpu_operator,
        fluxcd,
        ..
    } = addons;
    let Addons {
        monitoring_agents,
        vertical_pod_autoscaler,
        velero,
        coredns,
        ..
    } = addons;
    Ok(domain::Addons {
        cert_manager: parse_addon(cert_manager),
        cilium: parse_addon(cilium),
        gateway_api: parse_addon(gateway_api),
        ingress_nginx: parse_ingress_nginx(ingress_nginx)?,
        gpu_operator: parse_addon(gpu_operator),
        fluxcd: parse_addon(fluxcd),
        monitoring_agents: parse_addon(monitoring_agents),
        vertical_pod_autoscaler: parse_addon(vertical_pod_autoscaler),
        velero: parse_addon(velero),
        coredns: parse_addon(coredns),
    })
}

fn parse_addon(addon: &Option<Addon>) -> domain::Addon {
    let Addon {
        enabled,
        values_override,
    } = addon.clone().unwrap_or_default();
    domain::Addon {
        enabled,
        values_override,
    }
}

fn parse_ingress_nginx(addon: &Option<IngressNginx>) -> Result<domain::IngressNginx, Fault> {
    let IngressNginx {
        enabled,
        expose_method,
        hosts,
        values_override,
    } = addon.clone().unwrap_or_default();
    let expose_method = match expose_method.as_deref() {
        None => None,
        Some("Proxied") => Some(domain::ExposeMethod::Proxied),
        Some("LoadBalancer") => Some(domain::ExposeMethod::LoadBalancer),
        Some(other) => {
            return Err(wrong(
                "expose-method-unknown",
                "spec.addons.ingressNginx.exposeMethod",
                format_args!("there is no expose method '{other}'"),
                "choose Proxied or LoadBalancer",
            ));
        }
    };
    Ok(domain::IngressNginx {
        enabled,
        expose_method,
        hosts,
        values_override,
    })
}
