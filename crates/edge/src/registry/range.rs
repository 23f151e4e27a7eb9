//! The `Range` header, as far as a client that resumes a download uses it: one range of bytes.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    Whole,
    Part(Range<u64>),
    /// Beyond the end.
    Unsatisfiable,
}

/// What is not understood is ignored, as the protocol allows: the whole is a correct answer.
pub(super) fn wanted(header: Option<&str>, size: u64) -> Wanted {
    let Some((first, last)) = header
        .and_then(|h| h.trim().strip_prefix("bytes="))
        .and_then(|r| r.split_once('-'))
    else {
        return Wanted::Whole;
    };
    let range = match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => first..last.saturating_add(1).min(size),
        (Ok(first), Err(_)) if last.is_empty() => first..size,
        (Err(_), Ok(count)) if first.is_empty() => size.saturating_sub(count)..size,
        _ => return Wanted::Whole,
    };
    if range.start >= range.end {
        Wanted::Unsatisfiable
    } else {
        Wanted::Part(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_as_clients_send_them() {
        for (header, expected) in [
            (None, Wanted::Whole),
            (Some("bytes=0-"), Wanted::Part(0..10)),
            (Some("bytes=4-"), Wanted::Part(4..10)),
            (Some("bytes=4-6"), Wanted::Part(4..7)),
            (Some("bytes=4-99"), Wanted::Part(4..10)),
            (Some("bytes=-3"), Wanted::Part(7..10)),
            (Some("bytes=-99"), Wanted::Part(0..10)),
            (Some("bytes=10-"), Wanted::Unsatisfiable),
            (Some("bytes=99-100"), Wanted::Unsatisfiable),
            (Some("bytes=6-4"), Wanted::Whole),
            (Some("bytes=0-1,4-5"), Wanted::Whole),
            (Some("lines=0-1"), Wanted::Whole),
            (
                Some("bytes=18446744073709551615-18446744073709551615"),
                Wanted::Unsatisfiable,
            ),
        ] {
            assert_eq!(wanted(header, 10), expected, "{header:?}");
        }
        assert_eq!(wanted(Some("bytes=0-"), 0), Wanted::Unsatisfiable);
    }
}
