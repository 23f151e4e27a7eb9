//! A certificate on a screen.

use api::{certs::CertificateView, moment::from_wire};
use types::Timestamp;

use crate::output::{Row, dash};

impl Row for CertificateView {
    const TITLES: &'static [&'static str] = &[
        "WHAT",
        "OF",
        "STATE",
        "EXPIRES",
        "LEFT",
        "RENEWED",
        "+PROJECT",
        "+ORG",
        "+NOT BEFORE",
        "+SUBJECT",
        "+ISSUER",
        "+SERIAL",
    ];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        let shown = |value: &Option<String>| dash(value.as_deref().unwrap_or_default());
        let renewed = match (&self.renewed_from, &self.revoked) {
            (Some(at), _) => day(at),
            (None, Some(since)) => format!("revoked {}", day(since)),
            (None, None) => "-".to_owned(),
        };
        vec![
            self.what.clone(),
            shown(&self.of),
            self.state.to_uppercase(),
            self.not_after.as_deref().map_or_else(|| "-".to_owned(), day),
            left(self.not_after.as_deref(), now),
            renewed,
            shown(&self.project),
            shown(&self.org),
            shown(&self.not_before),
            shown(&self.subject),
            shown(&self.issuer),
            self.serial.clone(),
        ]
    }
}

fn day(moment: &str) -> String {
    moment.split('T').next().unwrap_or(moment).to_owned()
}

/// How long it is good for yet.
fn left(end: Option<&str>, now: Timestamp) -> String {
    let Some(end) = end.and_then(from_wire) else {
        return "-".to_owned();
    };
    match end.0.saturating_sub(now.0) {
        ..=0 => "0".to_owned(),
        seconds @ ..172_800 => format!("{}h", seconds / 3600),
        seconds => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left() {
        let now = Timestamp(1_794_776_400);
        for (end, shown) in [
            ("2026-11-15T20:00:00Z", "0"),
            ("2026-11-16T20:00:00Z", "23h"),
            ("2026-12-15T21:00:00Z", "30d"),
        ] {
            assert_eq!(left(Some(end), now), shown);
        }
        assert_eq!(left(None, now), "-");
    }
}
