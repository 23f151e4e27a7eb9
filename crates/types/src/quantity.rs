//! Kubernetes quantities, parsed once: `4Gi` is bytes, `500m` is thousandths of a CPU.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bytes(pub u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MilliCpu(pub u64);

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{given}' is not {expected}")]
pub struct QuantityError {
    given: String,
    expected: &'static str,
}

const BINARY: [(&str, u64); 5] = [
    ("Ki", 1 << 10),
    ("Mi", 1 << 20),
    ("Gi", 1 << 30),
    ("Ti", 1 << 40),
    ("Pi", 1 << 50),
];
const DECIMAL: [(&str, u64); 5] = [
    ("k", 1_000),
    ("M", 1_000_000),
    ("G", 1_000_000_000),
    ("T", 1_000_000_000_000),
    ("P", 1_000_000_000_000_000),
];

impl Bytes {
    pub const fn mib(n: u64) -> Self {
        Self(n << 20)
    }

    pub const fn gib(n: u64) -> Self {
        Self(n << 30)
    }
}

/// `12` or `1.5` as thousandths, of which there may be more than the whole has room for. A sign, an exponent or a bare point is refused.
fn thousandths(given: &str) -> Option<u128> {
    let (whole, fraction) = given.split_once('.').unwrap_or((given, "0"));
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > 3 {
        return None;
    }
    let fraction: u128 = format!("{fraction:0<3}").parse().ok()?;
    whole
        .parse::<u128>()
        .ok()?
        .checked_mul(1000)?
        .checked_add(fraction)
}

impl FromStr for Bytes {
    type Err = QuantityError;
    fn from_str(given: &str) -> Result<Self, QuantityError> {
        let error = || QuantityError {
            given: given.to_owned(),
            expected: "an amount such as 512Mi, 20Gi or 1.5Gi",
        };
        let suffixes = BINARY.iter().chain(&DECIMAL);
        let (number, unit) = suffixes
            .filter_map(|(suffix, unit)| given.strip_suffix(suffix).map(|number| (number, *unit)))
            .next()
            .unwrap_or((given, 1));
        let milli = thousandths(number).ok_or_else(error)?;
        let all = milli.checked_mul(u128::from(unit)).ok_or_else(error)?;
        u64::try_from(all / 1000).map(Self).map_err(|_| error())
    }
}

impl FromStr for MilliCpu {
    type Err = QuantityError;
    fn from_str(given: &str) -> Result<Self, QuantityError> {
        let error = || QuantityError {
            given: given.to_owned(),
            expected: "an amount of CPU such as 2, 0.5 or 500m",
        };
        match given.strip_suffix('m') {
            Some(milli) if !milli.is_empty() && milli.bytes().all(|b| b.is_ascii_digit()) => {
                milli.parse().map(Self).map_err(|_| error())
            }
            Some(_) => Err(error()),
            None => {
                let milli = thousandths(given).ok_or_else(error)?;
                u64::try_from(milli).map(Self).map_err(|_| error())
            }
        }
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = BINARY
            .iter()
            .rev()
            .find(|(_, unit)| self.0 >= *unit && self.0.is_multiple_of(*unit));
        match unit {
            Some((suffix, unit)) => write!(f, "{}{suffix}", self.0 / unit),
            None => write!(f, "{}", self.0),
        }
    }
}

impl fmt::Display for MilliCpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_multiple_of(1000) {
            write!(f, "{}", self.0 / 1000)
        } else {
            write!(f, "{}m", self.0)
        }
    }
}

macro_rules! as_string {
    ($($name:ty),*) => {$(
        impl TryFrom<String> for $name {
            type Error = QuantityError;
            fn try_from(given: String) -> Result<Self, QuantityError> {
                given.parse()
            }
        }
        impl From<$name> for String {
            fn from(q: $name) -> String {
                q.to_string()
            }
        }
    )*};
}
as_string!(Bytes, MilliCpu);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_people_write() {
        assert_eq!("512Mi".parse::<Bytes>().unwrap(), Bytes::mib(512));
        assert_eq!("1.5Gi".parse::<Bytes>().unwrap(), Bytes::mib(1536));
        assert_eq!("2k".parse::<Bytes>().unwrap(), Bytes(2000));
        assert_eq!("500m".parse::<MilliCpu>().unwrap(), MilliCpu(500));
        assert_eq!("0.5".parse::<MilliCpu>().unwrap(), MilliCpu(500));
        for bad in [
            "",
            "Gi",
            "-1Gi",
            "1e3",
            "1 Gi",
            "1.",
            ".5",
            "99999999999999999999",
        ] {
            assert!(bad.parse::<Bytes>().is_err(), "{bad}");
        }
        assert!("m".parse::<MilliCpu>().is_err());
        assert!("16384Pi".parse::<Bytes>().is_err());
    }

    proptest::proptest! {
        #[test]
        fn what_is_printed_parses_to_the_same(n: u64) {
            proptest::prop_assert_eq!(Bytes(n).to_string().parse::<Bytes>().unwrap(), Bytes(n));
            proptest::prop_assert_eq!(MilliCpu(n).to_string().parse::<MilliCpu>().unwrap(), MilliCpu(n));
        }
    }
}
