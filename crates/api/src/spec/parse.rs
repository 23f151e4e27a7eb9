//! From what was written to the domain's spec. Each refusal has a code of its own and names the field by its path; all
//! that is wrong is told at once.

use std::{collections::BTreeMap, fmt::Display, str::FromStr};

use types::{
    Cidr, Fault, Findings, Labels, Name, cidr::CidrError, cluster as domain, label::LabelError,
    tenancy::PodSecurity,
};

use super::{
    Addon, Addons, ClusterSpec, Component, ControlPlane, IngressNginx, Konnectivity, NodeGroup, Ranges,
    Resources,
};
use crate::quantity::Quantity;

fn wrong(code: &'static str, field: &str, cause: impl Display, remedy: &str) -> Fault {
    Fault::invalid(code, cause.to_string(), remedy).at(field)
}

/// A field whose type knows how to read itself; not given stays not given, and so does what is noted as wrong.
fn read<T>(
    given: Option<&str>,
    (code, field): (&'static str, &str),
    remedy: &str,
    found: &mut Findings,
) -> Option<T>
where
    T: FromStr<Err: Display>,
{
    let parsed = given?.parse();
    found.keep(parsed.map_err(|cause: T::Err| wrong(code, field, cause, remedy)))
}

/// One of a few words.
fn one_of<T: Copy>(
    given: Option<&str>,
    (code, field): (&'static str, &str),
    what: &str,
    words: &[(&str, T)],
    found: &mut Findings,
) -> Option<T> {
    let given = given?;
    let meant = words.iter().find(|(word, _)| *word == given);
    if meant.is_none() {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let remedy = format!("choose one of {}", names.join(", "));
        found.note(wrong(
            code,
            field,
            format_args!("there is no {what} '{given}'"),
            &remedy,
        ));
    }
    meant.map(|(_, value)| *value)
}

fn quantity<T>(given: Option<&Quantity>, field: &str, found: &mut Findings) -> Option<T>
where
    T: FromStr<Err: Display>,
{
    let given = given.map(|q| q.0.as_str());
    read(
        given,
        ("quantity-invalid", field),
        "write the amount as Kubernetes does",
        found,
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
    given.try_into().map_err(|cause: LabelError| {
        let remedy = "use Kubernetes' syntax, such as env=prod or example.com/team=shop";
        Fault::unfit("labels-invalid", cause.to_string(), remedy).at(field)
    })
}

/// A range of addresses. One that is written as a range and has bits behind its prefix fits the document, and is refused.
pub fn cidr(given: &str, field: &str) -> Result<Cidr, Fault> {
    const REMEDY: &str = "give a private IPv4 range in canonical form, such as 10.20.0.0/16";
    given.parse().map_err(|cause| {
        let fault = match cause {
            CidrError::Syntax(_) => Fault::invalid,
            CidrError::HostBits { .. } => Fault::unfit,
        };
        fault("cidr-invalid", cause.to_string(), REMEDY).at(field)
    })
}

impl ClusterSpec {
    /// The domain's spec; what is wrong is noted, and stands in it as if it had not been given.
    pub fn parse(&self, found: &mut Findings) -> domain::ClusterSpec {
        let text = |field: &Option<String>| field.clone();
        domain::ClusterSpec {
            engine: parse_engine(self.engine.as_deref(), found).unwrap_or_default(),
            version: read(
                self.version.as_deref(),
                ("version-invalid", "spec.version"),
                "give a line such as v1.36 or a patch such as v1.36.4",
                found,
            ),
            vpc: parse_vpc(self.vpc.as_deref(), found),
            host: text(&self.host),
            storage_class: text(&self.storage_class),
            pod_security: parse_pod_security(self.pod_security.as_deref(), found).unwrap_or_default(),
            ranges: parse_ranges(&self.ranges.clone().unwrap_or_default(), found),
            control_plane: parse_control_plane(&self.control_plane.clone().unwrap_or_default(), found),
            node_groups: parse_node_groups(&self.node_groups, found),
            addons: parse_addons(&self.addons.clone().unwrap_or_default(), found),
        }
    }
}

impl TryFrom<&ClusterSpec> for domain::ClusterSpec {
    type Error = Fault;

    fn try_from(spec: &ClusterSpec) -> Result<Self, Fault> {
        let mut found = Findings::default();
        let parsed = spec.parse(&mut found);
        found.unless_any(parsed)
    }
}

fn parse_vpc(given: Option<&str>, found: &mut Findings) -> String {
    let given = given.unwrap_or_default();
    if given.is_empty() {
        found.note(wrong(
            "vpc-missing",
            "spec.vpc",
            "the cluster names no VPC",
            "give the name or id of a VPC; `cloud vpc list` shows them",
        ));
    }
    given.to_owned()
}

fn parse_node_groups(
    groups: &BTreeMap<String, NodeGroup>,
    found: &mut Findings,
) -> BTreeMap<Name, domain::NodeGroup> {
    let mut parsed = BTreeMap::new();
    for (group, settings) in groups {
        let field = format!("spec.nodeGroups.{group}");
        let settings = parse_node_group(settings, &field, found);
        if let Some(name) = found.keep(name(group, &field)) {
            parsed.insert(name, settings);
        }
    }
    parsed
}

fn parse_pod_security(given: Option<&str>, found: &mut Findings) -> Option<PodSecurity> {
    one_of(
        given,
        ("pod-security-unknown", "spec.podSecurity"),
        "Pod Security level here called",
        &[
            ("baseline", PodSecurity::Baseline),
            ("restricted", PodSecurity::Restricted),
        ],
        found,
    )
}

fn parse_engine(given: Option<&str>, found: &mut Findings) -> Option<domain::Engine> {
    one_of(
        given,
        ("engine-unknown", "spec.engine"),
        "engine",
        &[
            ("hosted", domain::Engine::Hosted),
            ("kubeadm", domain::Engine::Kubeadm),
            ("k3s", domain::Engine::K3s),
            ("cloud", domain::Engine::Cloud),
        ],
        found,
    )
}

fn parse_ranges(ranges: &Ranges, found: &mut Findings) -> domain::Ranges {
    let Ranges {
        pods,
        services,
        node_ports,
        domain,
    } = ranges;
    let default = domain::Ranges::default();
    let mut range = |given: &Option<String>, field: &str| {
        let given = given.as_deref()?;
        found.keep(cidr(given, field))
    };
    let pods = range(pods, "spec.ranges.pods").unwrap_or(default.pods);
    let services = range(services, "spec.ranges.services").unwrap_or(default.services);
    let ports = node_ports.clone().map(|given| {
        domain::PortRange::try_from(given).map_err(|cause| {
            Fault::unfit(
                "port-range-invalid",
                cause.to_string(),
                "give the first and the last port",
            )
            .at("spec.ranges.nodePorts")
        })
    });
    domain::Ranges {
        pods,
        services,
        node_ports: ports
            .and_then(|ports| found.keep(ports))
            .unwrap_or(default.node_ports),
        domain: domain.clone().unwrap_or(default.domain),
    }
}

fn parse_control_plane(plane: &ControlPlane, found: &mut Findings) -> domain::ControlPlane {
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
    let mut component = |given: Option<&Component>, field: &str| {
        parse_component(given, &format!("spec.controlPlane.{field}"), found)
    };
    domain::ControlPlane {
        replicas: *replicas,
        api_server: component(api_server.as_ref(), "apiServer"),
        controller_manager: component(controller_manager.as_ref(), "controllerManager"),
        scheduler: component(scheduler.as_ref(), "scheduler"),
        konnectivity: domain::Konnectivity {
            server: component(server, "konnectivity.server"),
        },
    }
}

fn parse_component(component: Option<&Component>, field: &str, found: &mut Findings) -> domain::Component {
    let Some(Component {
        resources,
        resources_preset,
    }) = component
    else {
        return domain::Component::default();
    };
    domain::Component {
        resources: parse_resources(resources.as_ref(), field, found),
        resources_preset: resources_preset.clone(),
    }
}

fn parse_resources(resources: Option<&Resources>, field: &str, found: &mut Findings) -> domain::Resources {
    let Some(Resources { cpu, memory }) = resources else {
        return domain::Resources::default();
    };
    domain::Resources {
        cpu: quantity(cpu.as_ref(), &format!("{field}.resources.cpu"), found),
        memory: quantity(memory.as_ref(), &format!("{field}.resources.memory"), found),
    }
}

fn parse_node_group(group: &NodeGroup, field: &str, found: &mut Findings) -> domain::NodeGroup {
    let NodeGroup {
        min_replicas,
        max_replicas,
        instance_type,
        ephemeral_storage,
        roles,
        resources,
        gpus,
    } = group;
    let disk = format!("{field}.ephemeralStorage");
    domain::NodeGroup {
        min_replicas: *min_replicas,
        max_replicas: *max_replicas,
        instance_type: instance_type.clone(),
        ephemeral_storage: quantity(ephemeral_storage.as_ref(), &disk, found),
        roles: roles
            .iter()
            .enumerate()
            .filter_map(|(at, role)| found.keep(name(role, &format!("{field}.roles[{at}]"))))
            .collect(),
        resources: parse_resources(resources.as_ref(), field, found),
        gpus: gpus
            .iter()
            .map(|gpu| domain::Gpu {
                name: gpu.name.clone(),
            })
            .collect(),
    }
}

fn parse_addons(addons: &Addons, found: &mut Findings) -> domain::Addons {
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
    domain::Addons {
        cert_manager: parse_addon(cert_manager),
        cilium: parse_addon(cilium),
        gateway_api: parse_addon(gateway_api),
        ingress_nginx: parse_ingress_nginx(ingress_nginx, found),
        gpu_operator: parse_addon(gpu_operator),
        fluxcd: parse_addon(fluxcd),
        monitoring_agents: parse_addon(monitoring_agents),
        vertical_pod_autoscaler: parse_addon(vertical_pod_autoscaler),
        velero: parse_addon(velero),
        coredns: parse_addon(coredns),
    }
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

fn parse_ingress_nginx(addon: &Option<IngressNginx>, found: &mut Findings) -> domain::IngressNginx {
    let IngressNginx {
        enabled,
        expose_method,
        hosts,
        values_override,
    } = addon.clone().unwrap_or_default();
    let expose_method = one_of(
        expose_method.as_deref(),
        ("expose-method-unknown", "spec.addons.ingressNginx.exposeMethod"),
        "expose method",
        &[
            ("Proxied", domain::ExposeMethod::Proxied),
            ("LoadBalancer", domain::ExposeMethod::LoadBalancer),
        ],
        found,
    );
    domain::IngressNginx {
        enabled,
        expose_method,
        hosts,
        values_override,
    }
}
