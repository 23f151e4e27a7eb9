//! Reading an operation's server-sent events: lines of `data:`, an empty line ends one event, a comment is a sign of life.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::timeout;

use super::{ClientError, connection::Connection};
use crate::operation::OperationView;

/// The server says something at least three times in this while.
const SILENCE: Duration = Duration::from_secs(45);

#[derive(Debug)]
pub struct OperationWatch {
    connection: Connection,
    body: Incoming,
    parser: Parser,
}

impl OperationWatch {
    pub(super) fn new(connection: Connection, body: Incoming) -> Self {
        Self {
            connection,
            body,
            parser: Parser::default(),
        }
    }

    /// The next state, or nothing when the stream has ended, be it with the operation or with the server.
    pub async fn next(&mut self) -> Result<Option<OperationView>, ClientError> {
        loop {
            if let Some(data) = self.parser.event() {
                let operation = serde_json::from_str(&data);
                return operation.map(Some).map_err(|error| ClientError::Protocol {
                    detail: error.to_string(),
                });
            }
            let frame = timeout(SILENCE, self.body.frame())
                .await
                .map_err(|_| self.connection.timed_out(SILENCE))?;
            match frame {
                None => return Ok(None),
                Some(frame) => {
                    let frame = frame.map_err(|error| self.connection.unreachable(error))?;
                    if let Ok(data) = frame.into_data() {
                        self.parser.feed(&data);
                    }
                }
            }
        }
    }
}

/// Bytes in, whole events out; frames may split anywhere, also within a character.
#[derive(Debug, Default)]
struct Parser {
    pending: Vec<u8>,
}

impl Parser {
    fn feed(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }

    /// The data of the next event that is complete; comments and events without data are skipped.
    fn event(&mut self) -> Option<String> {
        loop {
            let end = self.pending.windows(2).position(|pair| pair == b"\n\n")?;
            let event: Vec<u8> = self.pending.drain(..end + 2).collect();
            let text = String::from_utf8_lossy(&event);
            let data: Vec<&str> = text
                .lines()
                .filter_map(|line| line.strip_prefix("data:"))
                .map(str::trim_start)
                .collect();
            if !data.is_empty() {
                return Some(data.join("\n"));
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
            "event: operation\ndata: {\"a\":\"ä\"}\n\n: alive\n\ndata: 1\ndata: 2\n\nevent: operation\nda"
                .as_bytes();
        for cut in 1..stream.len() {
            let mut parser = Parser::default();
            let mut seen = Vec::new();
            for piece in stream.chunks(cut) {
                parser.feed(piece);
                seen.extend(std::iter::from_fn(|| parser.event()));
            }
            assert_eq!(seen, ["{\"a\":\"ä\"}", "1\n2"], "cut at {cut}");
        }
    }
}
