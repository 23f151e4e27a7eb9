//! The firewall inside a network's namespace.
//!
//! The rules are the same for every port; what differs between ports is in sets, so adding a port adds elements in one
//! transaction and touches nothing else. The name of an empty chain carries the revision of the rules: where it differs,
//! the table is replaced whole, in one transaction as well.
//!
//! Realms (clusters whose pods may use equal ranges in one network): a packet is marked with the realm of the port it
//! came from. Traffic of pods is tracked in the realm's zone. Where the answer cannot know its realm, because it comes
//! from the outside or from the platform's own sockets, only the original direction is zoned; the answer is then told
//! apart by its NAT port and finds its realm in the connection's mark.

use std::collections::{BTreeMap, BTreeSet};

use ports::network::NetworkDesired;
use serde_json::Value;

use crate::{
    names::{Instance, UPLINK, hash},
    router::plain,
};

pub(crate) const TABLE: &str = "prismnet";
const REVISION: &str = "revision-";

/// Elements of each set, as text.
type Sets = BTreeMap<&'static str, BTreeSet<String>>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Firewall {
    rules: String,
    sets: Sets,
}

/// The sets and maps, with what each is for.
const SETS: [(&str, &str, &str); 5] = [
    // What a port may send from.
    ("sources", "set", "typeof iifname . ip saddr; flags interval;"),
    ("realms", "map", "typeof iifname : meta mark;"),
    ("zones", "map", "typeof iifname : ct zone;"),
    // Ranges behind the ports of a realm.
    ("ranges", "set", "typeof meta mark . ip daddr; flags interval;"),
    // The ports of a realm.
    ("members", "set", "typeof meta mark . oifname;"),
];

impl Firewall {
    pub(crate) fn desired(instance: &Instance, network: &NetworkDesired) -> Self {
        let mut sets: Sets = SETS.iter().map(|(name, _, _)| (*name, BTreeSet::new())).collect();
        let mut add = |set: &'static str, element: String| sets.entry(set).or_default().insert(element);
        for port in &network.ports {
            let name = instance.port(&port.id);
            let realm = port.realm;
            add("sources", format!("\"{name}\" . {}", port.address));
            add("members", format!("{realm} . \"{name}\""));
            for range in &port.routes {
                add("sources", format!("\"{name}\" . {}", plain(*range)));
                add("ranges", format!("{realm} . {}", plain(*range)));
            }
            if realm != 0 {
                add("realms", format!("\"{name}\" : {realm}"));
                add("zones", format!("\"{name}\" : {realm}"));
            }
        }
        Self {
            rules: rules(network),
            sets,
        }
    }

    fn revision(&self) -> String {
        format!("{REVISION}{:016x}", hash(&self.rules))
    }

    /// The transaction that leads from what is listed to what is desired; nothing when they agree.
    pub(crate) fn plan(&self, listed: Option<&[Value]>) -> Option<String> {
        let same_rules = listed.is_some_and(|entries| has_chain(entries, &self.revision()));
        let mut transaction = String::new();
        let observed = if same_rules {
            observed_sets(listed.unwrap_or_default())
        } else {
            transaction = format!(
                "table inet {TABLE} {{}}\ndelete table inet {TABLE}\ntable inet {TABLE} {{\n  chain {} {{ }}\n{}}}\n",
                self.revision(),
                self.rules
            );
            Sets::new()
        };
        let none = BTreeSet::new();
        for (set, desired) in &self.sets {
            let present = observed.get(set).unwrap_or(&none);
            for (verb, elements) in [
                ("delete", present.difference(desired)),
                ("add", desired.difference(present)),
            ] {
                let elements: Vec<&str> = elements.map(String::as_str).collect();
                if !elements.is_empty() {
                    transaction.push_str(&format!(
                        "{verb} element inet {TABLE} {set} {{ {} }}\n",
                        elements.join(", ")
                    ));
                }
            }
        }
        (!transaction.is_empty()).then_some(transaction)
    }
}

pub(crate) fn has_chain(listed: &[Value], name: &str) -> bool {
    listed.iter().any(|entry| entry["chain"]["name"] == name)
}

fn observed_sets(listed: &[Value]) -> Sets {
    SETS.iter()
        .map(|(name, kind, _)| {
            let elements = listed
                .iter()
                .filter(|entry| entry[*kind]["name"] == *name)
                .filter_map(|entry| entry[*kind]["elem"].as_array())
                .flatten()
                .map(element)
                .collect();
            (*name, elements)
        })
        .collect()
}

/// An element of a listing, written as we write it.
fn element(value: &Value) -> String {
    if let Some(parts) = value["concat"].as_array() {
        return parts.iter().map(element).collect::<Vec<_>>().join(" . ");
    }
    match value {
        Value::Array(pair) => pair.iter().map(element).collect::<Vec<_>>().join(" : "),
        Value::String(text) if text.parse::<std::net::Ipv4Addr>().is_ok() => text.clone(),
        Value::String(text) => format!("\"{text}\""),
        Value::Object(object) if object.contains_key("prefix") => {
            let prefix = &object["prefix"];
            format!(
                "{}/{}",
                prefix["addr"].as_str().unwrap_or_default(),
                prefix["len"]
            )
        }
        other => other.to_string(),
    }
}

fn rules(network: &NetworkDesired) -> String {
    let (cidr, gateway, platform) = (network.cidr, network.gateway, network.platform_address);
    let sets: String = SETS
        .iter()
        .map(|(name, kind, body)| format!("  {kind} {name} {{ {body} }}\n"))
        .collect();
    format!(
        r#"{sets}  counter forwarded {{ }}
  counter spoofed {{ }}
  chain arrive {{
    type filter hook prerouting priority raw - 10; policy accept;
    iifname {{ "lo", "{UPLINK}" }} return
    meta nfproto != ipv4 drop
    iifname . ip saddr != @sources counter name spoofed drop
    meta mark set iifname map @realms
    meta mark 0 return
    ip saddr {cidr} ip daddr {cidr} return
    meta mark . ip daddr @ranges ct zone set iifname map @zones return
    ip saddr {cidr} return
    ip daddr {cidr} ip daddr != {{ {gateway}, {platform} }} ct zone set iifname map @zones return
    ct original zone set iifname map @zones
  }}
  chain remember {{
    type filter hook prerouting priority mangle; policy accept;
    iifname "{UPLINK}" meta mark set ct mark return
    ct state new ct mark set meta mark
  }}
  chain answer {{
    type route hook output priority mangle; policy accept;
    ct direction reply meta mark set ct mark
  }}
  chain input {{
    type filter hook input priority filter; policy drop;
    iifname "lo" accept
    ct state established,related accept
    iifname "{UPLINK}" drop
    ip daddr {platform} accept
    ip daddr {gateway} icmp type echo-request accept
  }}
  chain groups {{
    comment "security groups come here; what they do not drop is accepted"
  }}
  chain forward {{
    type filter hook forward priority filter; policy drop;
    counter name forwarded
    ct state established,related accept
    iifname "{UPLINK}" drop
    ip daddr 169.254.0.0/16 drop
    ip saddr != {cidr} oifname != "{UPLINK}" meta mark . oifname != @members drop
    jump groups
    accept
  }}
  chain leave {{
    type nat hook postrouting priority srcnat; policy accept;
    oifname "{UPLINK}" masquerade
  }}
"#
    )
}

#[cfg(test)]
#[path = "firewall_tests.rs"]
mod tests;
