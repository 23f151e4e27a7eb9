//! Keys as hexadecimal text, without copies that stay behind in memory.

use zeroize::Zeroizing;

pub(crate) fn encode(bytes: &[u8], into: &mut Zeroizing<String>) {
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            into.push(char::from_digit(u32::from(digit), 16).unwrap_or_default());
        }
    }
}

pub(crate) fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let text = text.as_bytes();
    if text.len() != 2 * N {
        return None;
    }
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    let mut bytes = [0; N];
    for (at, pair) in text.chunks_exact(2).enumerate() {
        bytes[at] = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}
