//! As much of a DNS message as a forwarder must understand: the header and the one question. Bytes come from anyone, so
//! every length is checked against what is there; what follows the question is passed on as it is.

/// The largest message that is taken from or given to a datagram.
pub(super) const LARGEST_DATAGRAM: usize = 4096;

const HEADER: usize = 12;
const LONGEST_NAME: usize = 255;
const LONGEST_LABEL: u8 = 63;

// The bits of the third and fourth byte.
const ANSWER: u8 = 0x80;
const OPCODE: u8 = 0x78;
const TRUNCATED: u8 = 0x02;
const RECURSION_DESIRED: u8 = 0x01;
const RECURSION_AVAILABLE: u8 = 0x80;
const CODE: u8 = 0x0f;

const INCREMENTAL_TRANSFER: u16 = 251;
const TRANSFER: u16 = 252;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    FormatError = 1,
    ServerFailure = 2,
    NotImplemented = 4,
    Refused = 5,
}

/// What came from a client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Received {
    Query(Query),
    /// Nothing to relay; this is the answer.
    Refused(Vec<u8>),
    /// No query at all. An answer to an answer could go back and forth for ever.
    Noise,
}

/// A query with exactly one question.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Query {
    bytes: Vec<u8>,
    question_end: usize,
}

pub(super) fn receive(bytes: &[u8]) -> Received {
    if bytes.len() < HEADER || bytes[2] & ANSWER != 0 {
        return Received::Noise;
    }
    let question_end = match question_end(bytes) {
        Some(end) if bytes[2] & OPCODE == 0 && bytes.len() <= usize::from(u16::MAX) => end,
        _ => return Received::Refused(without_records(bytes, HEADER, Code::FormatError)),
    };
    // A transfer is many messages, and a resolver that allows it to its host did not mean our clients.
    let kind = u16::from_be_bytes([bytes[question_end - 4], bytes[question_end - 3]]);
    if matches!(kind, TRANSFER | INCREMENTAL_TRANSFER) {
        return Received::Refused(without_records(bytes, question_end, Code::Refused));
    }
    Received::Query(Query {
        bytes: bytes.to_vec(),
        question_end,
    })
}

impl Query {
    /// The query under another id.
    pub(super) fn under(&self, id: u16) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        bytes[..2].copy_from_slice(&id.to_be_bytes());
        bytes
    }

    /// What the client gets, if this is the answer to the query as it was sent under `id`.
    pub(super) fn answer(&self, id: u16, mut answer: Vec<u8>) -> Option<Vec<u8>> {
        let end = question_end(&answer)?;
        let expected = answer[..2] == id.to_be_bytes()
            && answer[2] & ANSWER != 0
            && answer[2] & OPCODE == 0
            && same_question(&answer[HEADER..end], &self.bytes[HEADER..self.question_end]);
        answer[..2].copy_from_slice(&self.bytes[..2]);
        expected.then_some(answer)
    }

    pub(super) fn failure(&self) -> Vec<u8> {
        without_records(&self.bytes, self.question_end, Code::ServerFailure)
    }
}

/// An answer that did not fit into a datagram, as one that says so: its client asks again over TCP.
pub(super) fn shortened(answer: &[u8]) -> Vec<u8> {
    let end = question_end(answer).unwrap_or(HEADER);
    let mut short = answer[..end].to_vec();
    short[2] |= TRUNCATED;
    short[6..HEADER].fill(0);
    short
}

/// Whether another resolver may know better.
pub(super) fn is_refusal(answer: &[u8]) -> bool {
    const REFUSALS: [u8; 3] = [
        Code::ServerFailure as u8,
        Code::NotImplemented as u8,
        Code::Refused as u8,
    ];
    answer
        .get(3)
        .is_some_and(|flags| REFUSALS.contains(&(flags & CODE)))
}

/// An answer of our own: the query up to `end` (all of its question, or only the header), and a code.
fn without_records(query: &[u8], end: usize, code: Code) -> Vec<u8> {
    let mut answer = query[..end].to_vec();
    answer[2] = ANSWER | query[2] & (OPCODE | RECURSION_DESIRED);
    answer[3] = RECURSION_AVAILABLE | code as u8;
    answer[4..HEADER].fill(0);
    answer[5] = u8::from(end > HEADER);
    answer
}

/// Where the question ends, if there is exactly one and all of it is there. The first name of a message has nothing
/// before it that it could point to, so it is plain labels.
fn question_end(bytes: &[u8]) -> Option<usize> {
    if bytes.get(4..6)? != [0, 1] {
        return None;
    }
    let mut position = HEADER;
    loop {
        let length = *bytes.get(position)?;
        position += 1;
        if length > LONGEST_LABEL || position + usize::from(length) - HEADER > LONGEST_NAME {
            return None;
        }
        if length == 0 {
            break;
        }
        position += usize::from(length);
    }
    let end = position + 4;
    (end <= bytes.len()).then_some(end)
}

/// Names are the same in any case; type and class are numbers.
fn same_question(one: &[u8], other: &[u8]) -> bool {
    match (one.split_last_chunk::<4>(), other.split_last_chunk::<4>()) {
        (Some((name, kind)), Some((other_name, other_kind))) => {
            kind == other_kind && name.eq_ignore_ascii_case(other_name)
        }
        _ => false,
    }
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
