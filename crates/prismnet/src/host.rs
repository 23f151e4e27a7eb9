//! The host's side of the uplinks: one nftables table of ours, the same for any number of networks.
//!
//! It lets networks out and answers in. It decides only on packets of our own uplinks; the host's other tables are
//! neither read nor changed. A network reaches no service of the host: the uplink's input is closed.

use types::Cidr;

use crate::{
    error::Error,
    firewall::has_chain,
    names::{Instance, hash},
    tool,
};

/// Puts the table in force unless it is. Someone who flushes the whole ruleset takes it away: hence a look each time.
pub(crate) fn ensure_table(instance: &Instance, uplinks: Cidr) -> Result<(), Error> {
    let table = instance.table();
    let rules = rules(&instance.uplink_prefix(), uplinks);
    let revision = format!("revision-{:016x}", hash(&rules));
    let listed = tool::nft_list(&["table", "inet", &table])?;
    if listed.is_some_and(|entries| has_chain(&entries, &revision)) {
        return Ok(());
    }
    tool::nft_load(&format!(
        "table inet {table} {{}}\ndelete table inet {table}\ntable inet {table} {{\n  chain {revision} {{ }}\n{rules}}}\n"
    ))
}

pub(crate) fn remove_table(instance: &Instance) -> Result<(), Error> {
    let table = instance.table();
    // Declared first, so that removing what is not there succeeds.
    tool::nft_load(&format!("table inet {table} {{}}\ndelete table inet {table}\n"))
}

fn rules(uplink: &str, uplinks: Cidr) -> String {
    format!(
        r#"  chain input {{
    type filter hook input priority filter - 5; policy accept;
    iifname "{uplink}*" drop
  }}
  chain forward {{
    type filter hook forward priority filter - 5; policy accept;
    iifname "{uplink}*" oifname "{uplink}*" drop
    iifname "{uplink}*" ip saddr != {uplinks} drop
    iifname "{uplink}*" meta nfproto != ipv4 drop
    iifname "{uplink}*" ip daddr 169.254.0.0/16 drop
    oifname "{uplink}*" ct state established,related accept
    oifname "{uplink}*" drop
  }}
  chain leave {{
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr {uplinks} oifname != "{uplink}*" masquerade
  }}
"#
    )
}
