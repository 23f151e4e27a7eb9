//! Time on the wire: RFC 3339 in UTC, which people and every client library read.

use time::{
    OffsetDateTime,
    format_description::{BorrowedFormatItem, well_known::Rfc3339},
    macros::format_description,
};
use types::Timestamp;

const MILLISECONDS: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

pub fn to_wire(at: Timestamp) -> String {
    let at = OffsetDateTime::from_unix_timestamp(at.0).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    at.format(&Rfc3339).unwrap_or_default()
}

/// Nothing when it is not a moment: an age that cannot be told is shown as unknown, not as an error.
pub fn from_wire(given: &str) -> Option<Timestamp> {
    OffsetDateTime::parse(given, &Rfc3339)
        .ok()
        .map(|at| Timestamp(at.unix_timestamp()))
}

/// The same to the millisecond, for what has to be told apart within a second.
pub fn to_wire_ms(at_ms: i64) -> String {
    let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(at_ms) * 1_000_000)
        .unwrap_or(OffsetDateTime::UNIX_EPOCH);
    at.format(&MILLISECONDS).unwrap_or_default()
}

pub fn from_wire_ms(given: &str) -> Option<i64> {
    let at = OffsetDateTime::parse(given, &Rfc3339).ok()?;
    i64::try_from(at.unix_timestamp_nanos().div_euclid(1_000_000)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        assert_eq!(to_wire(Timestamp(1_794_776_400)), "2026-11-15T21:00:00Z");
        assert_eq!(
            from_wire("2026-11-15T22:00:00+01:00"),
            Some(Timestamp(1_794_776_400))
        );
        assert_eq!(from_wire("yesterday"), None);
        assert_eq!(to_wire(Timestamp(i64::MAX)), "1970-01-01T00:00:00Z");
        assert_eq!(to_wire_ms(1_794_776_400_007), "2026-11-15T21:00:00.007Z");
        assert_eq!(from_wire_ms("2026-11-15T21:00:00.007Z"), Some(1_794_776_400_007));
        assert_eq!(to_wire_ms(i64::MIN), "1970-01-01T00:00:00.000Z");
    }
}
