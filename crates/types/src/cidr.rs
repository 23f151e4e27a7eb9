//! IPv4 ranges in canonical form: `10.20.0.0/16`, never `10.20.3.4/16`.

use std::{fmt, net::Ipv4Addr, str::FromStr};

use ipnet::Ipv4Net;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cidr(Ipv4Net);

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CidrError {
    #[error("'{0}' is not an IPv4 range such as 10.20.0.0/16")]
    Syntax(String),
    #[error("'{given}' has bits set behind its prefix; did you mean {canonical}?")]
    HostBits { given: String, canonical: String },
}

impl Cidr {
    pub fn prefix_len(self) -> u8 {
        self.0.prefix_len()
    }

    pub fn network(self) -> Ipv4Addr {
        self.0.network()
    }

    pub fn contains(self, addr: Ipv4Addr) -> bool {
        self.0.contains(&addr)
    }

    pub fn contains_range(self, other: Self) -> bool {
        self.0.contains(&other.0)
    }

    pub fn overlaps(self, other: Self) -> bool {
        self.contains_range(other) || other.contains_range(self)
    }

    /// The n-th address of the range, the network address being the 0th.
    pub fn nth(self, n: u32) -> Option<Ipv4Addr> {
        let addr = Ipv4Addr::from(u32::from(self.network()).checked_add(n)?);
        self.contains(addr).then_some(addr)
    }

    /// The n-th sub-range with the given prefix length.
    pub fn nth_subnet(self, prefix_len: u8, n: u32) -> Option<Self> {
        let step = 1u64.checked_shl(u32::from(32u8.checked_sub(prefix_len)?))?;
        let base = u64::from(u32::from(self.network())) + step * u64::from(n);
        let sub = Ipv4Net::new(Ipv4Addr::from(u32::try_from(base).ok()?), prefix_len).ok()?;
        self.0.contains(&sub).then_some(Self(sub))
    }

    /// How many addresses the range has.
    pub fn size(self) -> u64 {
        1u64 << (32 - self.prefix_len())
    }

    pub fn last(self) -> Ipv4Addr {
        self.0.broadcast()
    }
}

impl FromStr for Cidr {
    type Err = CidrError;
    fn from_str(given: &str) -> Result<Self, CidrError> {
        let net: Ipv4Net = given.parse().map_err(|_| CidrError::Syntax(given.to_owned()))?;
        if net.trunc() != net {
            return Err(CidrError::HostBits {
                given: given.to_owned(),
                canonical: net.trunc().to_string(),
            });
        }
        Ok(Self(net))
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TryFrom<String> for Cidr {
    type Error = CidrError;
    fn try_from(given: String) -> Result<Self, CidrError> {
        given.parse()
    }
}

impl From<Cidr> for String {
    fn from(cidr: Cidr) -> String {
        cidr.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(s: &str) -> Cidr {
        s.parse().unwrap()
    }

    #[test]
    fn host_bits_are_named_with_the_canonical_form() {
        let error = "10.20.3.4/16".parse::<Cidr>().unwrap_err();
        assert!(error.to_string().contains("10.20.0.0/16"), "{error}");
        assert!("10.20.0.0".parse::<Cidr>().is_err());
        assert!("fd00::/8".parse::<Cidr>().is_err());
    }

    #[test]
    fn overlap_is_symmetric_containment() {
        assert!(c("10.0.0.0/8").overlaps(c("10.20.0.0/16")));
        assert!(c("10.20.0.0/16").overlaps(c("10.0.0.0/8")));
        assert!(!c("10.20.0.0/16").overlaps(c("10.21.0.0/16")));
    }

    #[test]
    fn addresses_and_subnets_by_number_stay_inside() {
        assert_eq!(c("10.244.0.0/16").nth_subnet(24, 3), Some(c("10.244.3.0/24")));
        assert_eq!(c("10.244.0.0/16").nth_subnet(24, 256), None);
        assert_eq!(c("10.96.0.0/12").nth(10), Some(Ipv4Addr::new(10, 96, 0, 10)));
        assert_eq!(c("10.0.0.0/30").nth(4), None);
        assert_eq!(c("255.255.255.0/24").nth_subnet(24, 1), None);
    }
}
