//! SHA-256 digests in the form OCI writes them, and readers and writers that compute them on the way.

use std::fmt;
use std::io::{self, Read, Write};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// `sha256:<64 hex digits>`; the only algorithm in use.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(String);

#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a sha256 digest")]
pub struct DigestError(String);

impl Digest {
    /// Digest of bytes in memory.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self::from_hash(&Sha256::digest(bytes.as_ref()))
    }

    /// Digest and length of everything a reader gives.
    pub fn of_reader(mut reader: impl Read) -> io::Result<(Self, u64)> {
        let mut sink = HashWriter::new(io::sink());
        let size = copy(&mut reader, &mut sink)?;
        Ok((sink.finish().0, size))
    }

    /// The 64 hex digits.
    pub fn hex(&self) -> &str {
        &self.0
    }

    fn from_hash(hash: &[u8]) -> Self {
        use fmt::Write as _;
        let mut hex = String::with_capacity(64);
        for byte in hash {
            let _ = write!(hex, "{byte:02x}");
        }
        Self(hex)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let hex = text.strip_prefix("sha256:").unwrap_or(text);
        let valid = hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if valid {
            Ok(Self(hex.to_owned()))
        } else {
            Err(DigestError(text.to_owned()))
        }
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, DigestError> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

/// Hashes what passes through it.
pub(crate) struct HashWriter<W> {
    inner: W,
    hash: Sha256,
    size: u64,
}

impl<W: Write> HashWriter<W> {
    pub(crate) fn new(inner: W) -> Self {
        Self {
            inner,
            hash: Sha256::new(),
            size: 0,
        }
    }

    pub(crate) fn inner(&self) -> &W {
        &self.inner
    }

    pub(crate) fn finish(self) -> (Digest, u64, W) {
        (Digest::from_hash(&self.hash.finalize()), self.size, self.inner)
    }
}

impl<W: Write> Write for HashWriter<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(buf)?;
        self.hash.update(&buf[..n]);
        self.size += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// `io::copy` with a buffer that suits files of many megabytes.
pub(crate) fn copy(reader: &mut impl Read, writer: &mut impl Write) -> io::Result<u64> {
    let mut buf = vec![0; 256 * 1024];
    let mut total = 0;
    loop {
        match reader.read(&mut buf) {
            Ok(0) => return Ok(total),
            Ok(n) => {
                writer.write_all(&buf[..n])?;
                total += n as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_prints() {
        let digest = Digest::of("");
        assert_eq!(
            digest.to_string(),
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(digest.to_string().parse::<Digest>().unwrap(), digest);
        assert_eq!(digest.hex().parse::<Digest>().unwrap(), digest);
        for bad in [
            "",
            "sha256:",
            "sha512:00",
            "../../etc/passwd",
            &"g".repeat(64),
            &"A".repeat(64),
        ] {
            assert!(bad.parse::<Digest>().is_err(), "{bad}");
        }
    }
}
