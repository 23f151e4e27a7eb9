//! Taking a network away, whole or half-made. What is not there is no error.

use std::{fs, io};

use types::NetworkId;

use crate::{
    driver::Shared,
    error::{Error, look_again},
    host,
    names::{Instance, NETNS_DIR},
    namespace::{Presence, inside, presence},
    tool,
    view::View,
};

pub(crate) fn remove(shared: &Shared, network: &NetworkId) -> Result<(), Error> {
    let instance = &shared.options.instance;
    let _host = shared
        .host
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    look_again(|| take_away(instance, network))?;
    shared.records.forget(network)
}

fn take_away(instance: &Instance, network: &NetworkId) -> Result<(), Error> {
    let path = instance.namespace_path(network);
    match presence(&path)? {
        Presence::Mounted => {
            // A socket somewhere may keep the namespace alive beyond its name; its links go now in any case.
            inside(&path, || {
                let view = View::look()?;
                let links = view.links.keys().filter(|name| *name != "lo");
                tool::ip_batch(
                    &links
                        .map(|name| format!("link del dev {name}"))
                        .collect::<Vec<_>>(),
                )
            })?;
            tool::ip_batch(&[format!("netns del {}", instance.namespace(network))])?;
        }
        Presence::HalfMade => {
            fs::remove_file(&path).map_err(|source| Error::File {
                what: "removing",
                path,
                source,
            })?;
        }
        Presence::Absent => {}
    }
    let view = View::look()?;
    let mark = format!("{}{network}/", instance.alias_prefix());
    let ours = |alias: &Option<String>| alias.as_ref().is_some_and(|alias| alias.starts_with(&mark));
    let leftovers = view.links.values().filter(|link| ours(&link.ifalias));
    tool::ip_batch(
        &leftovers
            .map(|link| format!("link del dev {}", link.ifname))
            .collect::<Vec<_>>(),
    )?;
    let uplinks_left = view
        .links
        .values()
        .any(|link| link.ifname.starts_with(&instance.uplink_prefix()) && !ours(&link.ifalias));
    if !uplinks_left && namespaces(&instance.namespace_prefix())?.is_empty() {
        host::remove_table(instance)?;
    }
    Ok(())
}

/// Named namespaces (or what was going to be one) whose name begins so.
pub(crate) fn namespaces(prefix: &str) -> Result<Vec<String>, Error> {
    let failed = |source: io::Error| Error::File {
        what: "listing",
        path: NETNS_DIR.into(),
        source,
    };
    let entries = match fs::read_dir(NETNS_DIR) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if name.starts_with(prefix) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}
