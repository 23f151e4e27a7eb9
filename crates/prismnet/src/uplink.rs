//! The links between networks and the host: two addresses each, out of a range that is this instance's own.
//!
//! The range is a function of the instance's id, so it is the same after a reinstall; where the host already routes it,
//! the next free one is taken and recorded.

use std::net::Ipv4Addr;

use types::{Cidr, NetworkId};

use crate::{
    error::Error,
    names::{Instance, hash},
    record::Records,
    view::{RouteKind, View},
};

/// The size of an instance's range: 2,048 networks.
const CARVE: u8 = 20;

/// One network's link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// The instance's whole range, from which the host masquerades.
    pub carve: Cidr,
    pub range: Cidr,
    pub host: Ipv4Addr,
    pub namespace: Ipv4Addr,
}

impl Link {
    fn numbered(carve: Cidr, number: u32) -> Result<Self, Error> {
        let range = carve
            .nth_subnet(31, number)
            .ok_or(Error::UplinkExhausted { number, range: carve })?;
        let [host, namespace] = [0, 1].map(|n| range.nth(n).expect("a /31 has two addresses"));
        Ok(Self {
            carve,
            range,
            host,
            namespace,
        })
    }
}

/// The link of a network, given what the host routes already.
pub(crate) fn link(
    instance: &Instance,
    pool: Cidr,
    records: &Records,
    host: &View,
    network: &NetworkId,
    number: u32,
) -> Result<Link, Error> {
    let foreign = foreign_routes(instance, pool, host);
    let recorded = records.uplinks()?.filter(|range| pool.contains_range(*range));
    if let Some(carve) = recorded {
        let link = Link::numbered(carve, number)?;
        match foreign.iter().find(|route| route.overlaps(link.range)) {
            None => return Ok(link),
            // Networks that run keep their addresses; the operator has to choose.
            Some(route)
                if host
                    .links
                    .keys()
                    .any(|name| name.starts_with(&instance.uplink_prefix())) =>
            {
                return Err(Error::UplinkOverlaps {
                    network: network.clone(),
                    range: link.range,
                    route: route.to_string(),
                });
            }
            Some(_) => {}
        }
    }
    let carve = pick(instance, pool, &foreign)?;
    records.write_uplinks(carve)?;
    Link::numbered(carve, number)
}

fn pick(instance: &Instance, pool: Cidr, foreign: &[Cidr]) -> Result<Cidr, Error> {
    let prefix = CARVE.max(pool.prefix_len());
    let count = 1u32 << (prefix - pool.prefix_len());
    let first = (hash(&instance.to_string()) % u64::from(count)) as u32;
    (0..count)
        .filter_map(|step| pool.nth_subnet(prefix, (first + step) % count))
        .find(|carve| !foreign.iter().any(|route| route.overlaps(*carve)))
        .ok_or(Error::PoolExhausted { pool })
}

/// Ranges that the host routes elsewhere than to our own uplinks. A route wider than the pool is a default by another
/// name; the link's own, longer route wins over it.
fn foreign_routes(instance: &Instance, pool: Cidr, host: &View) -> Vec<Cidr> {
    host.routes
        .iter()
        .filter(|route| route.kind == RouteKind::Unicast)
        .filter(|route| {
            !route
                .dev
                .as_deref()
                .is_some_and(|dev| dev.starts_with(&instance.uplink_prefix()))
        })
        .filter_map(|route| {
            route
                .to
                .parse()
                .or_else(|_| format!("{}/32", route.to).parse())
                .ok()
        })
        .filter(|range: &Cidr| range.prefix_len() >= pool.prefix_len() && pool.overlaps(*range))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Route;

    fn host(routes: &[&str]) -> View {
        View {
            routes: routes
                .iter()
                .map(|to| Route {
                    to: (*to).to_owned(),
                    dev: Some("eth0".to_owned()),
                    ..Route::default()
                })
                .collect(),
            ..View::default()
        }
    }

    fn ask(host: &View, dir: &tempfile::TempDir, number: u32) -> Result<Link, Error> {
        let records = Records::new(dir.path().to_owned());
        let pool = "100.64.0.0/10".parse().unwrap();
        link(
            &"a1b2c3".parse().unwrap(),
            pool,
            &records,
            host,
            &NetworkId::generate(),
            number,
        )
    }

    #[test]
    fn the_same_instance_gets_the_same_range_wherever_it_is_free() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let link = ask(&host(&["default", "0.0.0.0/1"]), &one, 3).unwrap();
        assert_eq!(link, ask(&host(&["192.0.2.0/24"]), &two, 3).unwrap());
        assert_eq!(link.carve.prefix_len(), CARVE);
        assert_eq!(link.range, link.carve.nth_subnet(31, 3).unwrap());
        assert_ne!(link.host, link.namespace);
    }

    #[test]
    fn a_range_the_host_routes_is_stepped_over_and_the_choice_stays() {
        let dir = tempfile::tempdir().unwrap();
        let usual = ask(&host(&[]), &tempfile::tempdir().unwrap(), 0).unwrap().carve;
        let other = ask(&host(&[&usual.nth(9).unwrap().to_string()]), &dir, 0)
            .unwrap()
            .carve;
        assert_ne!(usual, other);
        assert_eq!(ask(&host(&[]), &dir, 0).unwrap().carve, other);
    }

    #[test]
    fn running_networks_are_not_moved_and_the_end_of_the_range_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let range = ask(&host(&[]), &dir, 0).unwrap().range;
        let mut taken = host(&[&range.to_string()]);
        taken
            .links
            .insert("a1b2c3-u7".to_owned(), crate::view::Link::default());
        assert!(matches!(ask(&taken, &dir, 0), Err(Error::UplinkOverlaps { .. })));
        assert!(matches!(
            ask(&host(&[]), &dir, 2048),
            Err(Error::UplinkExhausted { .. })
        ));
        let fresh = tempfile::tempdir().unwrap();
        assert!(matches!(
            ask(&host(&["100.64.0.0/10"]), &fresh, 0),
            Err(Error::PoolExhausted { .. })
        ));
    }
}
