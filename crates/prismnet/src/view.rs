//! What the kernel shows of one network namespace: links, addresses, routes, rules. One process answers all of it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::{error::Error, tool};

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Link {
    pub ifname: String,
    pub flags: Vec<String>,
    pub ifalias: Option<String>,
}

impl Link {
    pub(crate) fn is_up(&self) -> bool {
        self.flags.iter().any(|flag| flag == "UP")
    }
}

/// A route as we compare it; what the kernel adds by itself (scope, flags) is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Route {
    /// Absent: the main table.
    pub table: Option<u32>,
    pub kind: RouteKind,
    pub to: String,
    pub via: Option<String>,
    pub dev: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RouteKind {
    #[default]
    Unicast,
    Unreachable,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct View {
    pub links: BTreeMap<String, Link>,
    /// Interface and `address/prefix`.
    pub addresses: BTreeSet<(String, String)>,
    pub routes: BTreeSet<Route>,
    /// Tables that a mark leads to, by the rules at our priority.
    pub rules: BTreeSet<u32>,
}

pub(crate) const RULE_PRIORITY: u32 = 1000;

#[derive(Deserialize)]
struct Addressed {
    #[serde(default)]
    ifname: String,
    #[serde(default)]
    addr_info: Vec<AddressInfo>,
}

#[derive(Deserialize)]
struct AddressInfo {
    local: String,
    prefixlen: u8,
}

#[derive(Deserialize)]
struct RouteInfo {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    dst: String,
    gateway: Option<String>,
    dev: Option<String>,
    table: Option<String>,
}

#[derive(Deserialize)]
struct RuleInfo {
    priority: u32,
    table: Option<String>,
}

impl View {
    /// Looks at the namespace of the calling thread.
    pub(crate) fn look() -> Result<Self, Error> {
        let mut answers =
            tool::ip_ask(&["link show", "addr show", "route show table all", "rule show"])?.into_iter();
        let mut next = || answers.next().unwrap_or_default();
        let links: Vec<Link> = tool::decode("ip", next())?;
        let addressed: Vec<Addressed> = tool::decode("ip", next())?;
        let routes: Vec<RouteInfo> = tool::decode("ip", next())?;
        let rules: Vec<RuleInfo> = tool::decode("ip", next())?;
        Ok(Self {
            links: links
                .into_iter()
                .filter(|link| !link.ifname.is_empty())
                .map(|link| (link.ifname.clone(), link))
                .collect(),
            addresses: addressed
                .into_iter()
                .flat_map(|link| {
                    link.addr_info
                        .into_iter()
                        .map(move |info| (link.ifname.clone(), format!("{}/{}", info.local, info.prefixlen)))
                })
                .collect(),
            routes: routes.into_iter().filter_map(RouteInfo::into_route).collect(),
            rules: rules
                .into_iter()
                .filter(|rule| rule.priority == RULE_PRIORITY)
                .filter_map(|rule| rule.table?.parse().ok())
                .collect(),
        })
    }
}

impl View {
    /// Takes an interface out of the view, with what goes with it.
    pub(crate) fn forget(&mut self, dev: &str) {
        self.links.remove(dev);
        self.addresses.retain(|(of, _)| of != dev);
        self.routes.retain(|route| route.dev.as_deref() != Some(dev));
    }
}

impl RouteInfo {
    /// Routes the kernel keeps for itself (table `local`) are left out.
    fn into_route(self) -> Option<Route> {
        let kind = match self.kind.as_deref() {
            None | Some("unicast") => RouteKind::Unicast,
            Some("unreachable") => RouteKind::Unreachable,
            Some(_) => return None,
        };
        let table = match self.table.as_deref() {
            None | Some("main") => None,
            Some(number) => Some(number.parse().ok()?),
        };
        Some(Route {
            table,
            kind,
            to: self.dst,
            via: self.gateway,
            dev: self.dev,
        })
    }
}
