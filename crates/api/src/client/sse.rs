//! Server-sent events: lines of `event:`, `id:` and `data:`, an empty line ends one event, a comment is a sign of life.

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Event {
    pub name: String,
    pub id: Option<String>,
    pub data: String,
}

/// Bytes in, whole events out; frames may split anywhere, also within a character.
#[derive(Debug, Default)]
pub(super) struct Parser {
    pending: Vec<u8>,
}

impl Parser {
    pub fn feed(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }

    /// The next event that is complete; comments are skipped.
    pub fn event(&mut self) -> Option<Event> {
        loop {
            let end = self.pending.windows(2).position(|pair| pair == b"\n\n")?;
            let event: Vec<u8> = self.pending.drain(..end + 2).collect();
            let text = String::from_utf8_lossy(&event);
            let lines = |field: &str| -> Vec<&str> {
                text.lines()
                    .filter_map(|line| line.strip_prefix(field)?.strip_prefix(':'))
                    .map(|value| value.strip_prefix(' ').unwrap_or(value))
                    .collect()
            };
            let (name, id, data) = (lines("event"), lines("id"), lines("data"));
            if !name.is_empty() || !data.is_empty() {
                return Some(Event {
                    name: name.last().map(|name| (*name).to_owned()).unwrap_or_default(),
                    id: id.last().map(|id| (*id).to_owned()),
                    data: data.join("\n"),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_whole_however_they_are_cut() {
        let stream =
            "event: operation\nid: 7\ndata: {\"a\":\"ä\"}\n\n: alive\n\ndata: 1\ndata: 2\n\nevent: operation\nda"
                .as_bytes();
        let event = |name: &str, id: Option<&str>, data: &str| Event {
            name: name.to_owned(),
            id: id.map(str::to_owned),
            data: data.to_owned(),
        };
        let whole = [
            event("operation", Some("7"), "{\"a\":\"ä\"}"),
            event("", None, "1\n2"),
        ];
        for cut in 1..stream.len() {
            let mut parser = Parser::default();
            let mut seen = Vec::new();
            for piece in stream.chunks(cut) {
                parser.feed(piece);
                seen.extend(std::iter::from_fn(|| parser.event()));
            }
            assert_eq!(seen, whole, "cut at {cut}");
        }
    }
}
