//! How long, as people type it: 30m, 1h, 24h.

use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetime {
    pub seconds: i64,
}

impl FromStr for Lifetime {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let wrong = || "give a number with s, m, h or d, such as 30m or 1h".to_owned();
        let number = given.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit = match &given[number.len()..] {
            "s" => 1,
            "m" => 60,
            "h" => 3600,
            "d" => 86_400,
            _ => return Err(wrong()),
        };
        if !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        let number: i64 = number.parse().map_err(|_| wrong())?;
        let seconds = number.checked_mul(unit).ok_or_else(wrong)?;
        Ok(Self { seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_duration() {
        for (given, seconds) in [
            ("90s", 90),
            ("30m", 1800),
            ("1h", 3600),
            ("24h", 86_400),
            ("1d", 86_400),
        ] {
            assert_eq!(given.parse(), Ok(Lifetime { seconds }), "{given}");
        }
        for given in [
            "",
            "h",
            "1",
            "-1h",
            "+1h",
            "1.5h",
            "1 h",
            "1h30m",
            "1w",
            "99999999999999999999h",
            "9223372036854775807d",
        ] {
            assert!(given.parse::<Lifetime>().is_err(), "{given}");
        }
    }
}
