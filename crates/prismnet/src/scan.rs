//! What on this host carries the instance's mark: namespaces, interfaces, tables. It reads no record.

use ports::scan::{Found, FoundKind};

use crate::{error::Error, names::Instance, remove::namespaces, tool, view::View};

pub(crate) fn scan(instance: &Instance) -> Result<Vec<Found>, Error> {
    let prefix = instance.namespace_prefix();
    let mut found: Vec<Found> = namespaces(&prefix)?
        .into_iter()
        .map(|name| Found {
            what: FoundKind::Namespace,
            owner: format!("vpc-{}", &name[prefix.len()..]),
            name,
        })
        .collect();
    let alias_prefix = instance.alias_prefix();
    for link in View::look()?.links.into_values() {
        let marked = link
            .ifalias
            .as_deref()
            .and_then(|alias| alias.strip_prefix(&alias_prefix));
        if marked.is_some() || link.ifname.starts_with(&instance.interface_prefix()) {
            let owner = marked
                .and_then(|ids| ids.split('/').next())
                .unwrap_or_default()
                .to_owned();
            found.push(Found {
                what: FoundKind::Interface,
                name: link.ifname,
                owner,
            });
        }
    }
    // One table serves all networks: it is left over only when none of them is there.
    let serves = found.iter().any(|found| found.what == FoundKind::Namespace);
    let table = instance.table();
    for entry in tool::nft_list(&["tables"])?.unwrap_or_default() {
        if !serves && entry["table"]["name"] == table.as_str() {
            let family = entry["table"]["family"].as_str().unwrap_or("inet");
            found.push(Found {
                what: FoundKind::Table,
                name: format!("{family} {table}"),
                owner: String::new(),
            });
        }
    }
    found.sort();
    Ok(found)
}
