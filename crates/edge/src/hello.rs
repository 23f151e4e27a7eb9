//! Reading the server name out of a TLS ClientHello, without ending TLS. Bytes come from anyone, so every length is
//! checked against what is there; a hello may be spread over several records, and records over several reads.

/// How much of a connection is looked at before it is given up.
pub(crate) const LIMIT: usize = 16 * 1024;

const RECORD_HEADER: usize = 5;
const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const SERVER_NAME: u16 = 0;
const HOST_NAME: u8 = 0;
const LONGEST_NAME: usize = 255;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hello {
    /// So far it may become a hello.
    Incomplete,
    /// The name asked for, in lower case.
    Name(String),
    /// A hello that asks for no name.
    Nameless,
    NotTls,
}

pub(crate) fn parse(bytes: &[u8]) -> Hello {
    let mut message = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        if rest[0] != HANDSHAKE || rest.get(1).is_some_and(|major| *major != 3) {
            return Hello::NotTls;
        }
        if rest.len() < RECORD_HEADER {
            break;
        }
        let length = usize::from(u16::from_be_bytes([rest[3], rest[4]]));
        if length == 0 || length > LIMIT {
            return Hello::NotTls;
        }
        let end = rest.len().min(RECORD_HEADER + length);
        message.extend_from_slice(&rest[RECORD_HEADER..end]);
        rest = &rest[end..];
        match complete(&message) {
            Err(()) => return Hello::NotTls,
            Ok(Some(body)) => return name(body).unwrap_or(Hello::NotTls),
            Ok(None) => {}
        }
    }
    if bytes.len() >= LIMIT {
        Hello::NotTls
    } else {
        Hello::Incomplete
    }
}

/// The body of the handshake message once all of it is there.
fn complete(message: &[u8]) -> Result<Option<&[u8]>, ()> {
    if message.first().is_some_and(|kind| *kind != CLIENT_HELLO) {
        return Err(());
    }
    let Some([_, a, b, c]) = message.first_chunk::<4>() else {
        return Ok(None);
    };
    let length = usize::try_from(u32::from_be_bytes([0, *a, *b, *c])).map_err(|_| ())?;
    if length > LIMIT {
        return Err(());
    }
    Ok(message.get(4..4 + length))
}

/// What is left of a message; every step takes exactly what it names or fails.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2)?.try_into().ok().map(u16::from_be_bytes)
    }

    /// A vector with a length of one byte before it.
    fn short(&mut self) -> Option<&'a [u8]> {
        let length = self.u8()?;
        self.take(length.into())
    }

    /// A vector with a length of two bytes before it.
    fn long(&mut self) -> Option<&'a [u8]> {
        let length = self.u16()?;
        self.take(length.into())
    }
}

fn name(body: &[u8]) -> Option<Hello> {
    let mut hello = Cursor(body);
    hello.take(2 + 32)?; // version and random
    hello.short()?; // session
    hello.long()?; // cipher suites
    hello.short()?; // compression
    if hello.0.is_empty() {
        return Some(Hello::Nameless);
    }
    let mut extensions = Cursor(hello.long()?);
    while !extensions.0.is_empty() {
        let kind = extensions.u16()?;
        let content = extensions.long()?;
        if kind == SERVER_NAME {
            return host_name(content);
        }
    }
    Some(Hello::Nameless)
}

fn host_name(content: &[u8]) -> Option<Hello> {
    let mut names = Cursor(Cursor(content).long()?);
    while !names.0.is_empty() {
        let kind = names.u8()?;
        let name = names.long()?;
        if kind == HOST_NAME {
            let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
            if name.is_empty() || name.len() > LONGEST_NAME || !name.iter().all(plain) {
                return None;
            }
            return Some(Hello::Name(String::from_utf8(name.to_ascii_lowercase()).ok()?));
        }
    }
    Some(Hello::Nameless)
}

#[cfg(test)]
#[path = "hello_tests.rs"]
mod tests;
