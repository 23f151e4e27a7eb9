//! The names of what we make on the host. A name tells whose it is: instance first, then what.
//! An interface name has at most 15 bytes, so a port's is a hash; its alias carries the ids in full.

use std::{fmt, path::PathBuf, str::FromStr};

use types::{NetworkId, PortId};

/// Where `ip netns` keeps named namespaces.
pub(crate) const NETNS_DIR: &str = "/run/netns";
/// The namespace's end of the link to the host.
pub(crate) const UPLINK: &str = "uplink";

/// No `i`, `l`, `o`, `u`: so a port's hash never begins like an uplink's number.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const LONGEST_INSTANCE: usize = 6;

/// The short id of one platform on this host, such as `a1b2c3`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Instance(String);

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{0}' is not an instance id: give 3 to {LONGEST_INSTANCE} lower-case letters and digits")]
pub struct InstanceError(String);

impl FromStr for Instance {
    type Err = InstanceError;
    fn from_str(given: &str) -> Result<Self, InstanceError> {
        let plain = given
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if !(3..=LONGEST_INSTANCE).contains(&given.len()) || !plain {
            return Err(InstanceError(given.to_owned()));
        }
        Ok(Self(given.to_owned()))
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Instance {
    /// What a namespace's name begins with.
    pub(crate) fn namespace_prefix(&self) -> String {
        format!("pc-{self}-")
    }

    pub(crate) fn namespace(&self, network: &NetworkId) -> String {
        format!("pc-{self}-{}", network.tail())
    }

    pub(crate) fn namespace_path(&self, network: &NetworkId) -> PathBuf {
        PathBuf::from(NETNS_DIR).join(self.namespace(network))
    }

    /// What every interface's name begins with.
    pub(crate) fn interface_prefix(&self) -> String {
        format!("{self}-")
    }

    /// Both ends of a port's veth are called this: one on the host until a machine takes it, one in the namespace.
    pub(crate) fn port(&self, port: &PortId) -> String {
        let mut rest = hash(port.as_str());
        let digits: String = (0..8)
            .map(|_| {
                let digit = ALPHABET[(rest & 31) as usize] as char;
                rest >>= 5;
                digit
            })
            .collect();
        format!("{self}-{digits}")
    }

    pub(crate) fn uplink_prefix(&self) -> String {
        format!("{self}-u")
    }

    /// The host's end of a network's link to the outside.
    pub(crate) fn uplink(&self, number: u32) -> String {
        format!("{self}-u{number}")
    }

    /// The host's nftables table.
    pub(crate) fn table(&self) -> String {
        format!("pc-{self}")
    }

    pub(crate) fn alias_prefix(&self) -> String {
        format!("plasmacloud/{self}/")
    }

    pub(crate) fn port_alias(&self, network: &NetworkId, port: &PortId) -> String {
        format!("plasmacloud/{self}/{network}/{port}")
    }

    pub(crate) fn uplink_alias(&self, network: &NetworkId) -> String {
        format!("plasmacloud/{self}/{network}/{UPLINK}")
    }

    /// The port whose alias this is.
    pub(crate) fn port_of_alias(&self, alias: &str) -> Option<PortId> {
        alias
            .strip_prefix(&self.alias_prefix())?
            .split_once('/')?
            .1
            .parse()
            .ok()
    }
}

/// FNV-1a, finished by a mixer so that every bit of the result depends on every byte.
pub(crate) fn hash(text: &str) -> u64 {
    let mut hash = text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_fit_the_kernel_and_do_not_meet() {
        let instance: Instance = "a1b2c3".parse().unwrap();
        let ports: HashSet<String> = (0..20_000).map(|_| instance.port(&PortId::generate())).collect();
        assert_eq!(ports.len(), 20_000);
        assert!(
            ports
                .iter()
                .all(|name| name.len() == 15 && !name.starts_with(&instance.uplink_prefix()))
        );
        assert!(instance.uplink(9_999_999).len() <= 15);
    }

    #[test]
    fn an_alias_gives_its_port_back() {
        let instance: Instance = "a1b2c3".parse().unwrap();
        let (network, port) = (NetworkId::generate(), PortId::generate());
        assert_eq!(
            instance.port_of_alias(&instance.port_alias(&network, &port)),
            Some(port)
        );
        assert_eq!(instance.port_of_alias(&instance.uplink_alias(&network)), None);
    }

    #[test]
    fn odd_instances_are_refused() {
        for bad in ["", "ab", "a1b2c3d", "A1B2C3", "a-b", "a/b"] {
            assert!(bad.parse::<Instance>().is_err(), "{bad}");
        }
    }
}
