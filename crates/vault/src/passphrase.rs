//! A stream sealed under a passphrase, for what has to be opened where no other key of the platform is left.
//!
//! | bytes | what |
//! |---|---|
//! | 16 | `plasmacloud bk 1` |
//! | 12 | Argon2id's memory in KiB, passes and lanes, 4 bytes each, little-endian |
//! | 16 | salt |
//! | 65536 + 16 each | pieces under AES-256-GCM-SIV; the last is shorter, or empty |
//!
//! The key is Argon2id of passphrase and salt, so it is used for this stream only; a piece's nonce is its number and
//! whether it is the last one, and all that comes before the pieces is authenticated with each. So no piece can be
//! changed, moved, left out or added, and a stream that was cut does not open to its end.

use std::io::{self, Read, Write};

use aes_gcm_siv::{
    Aes256GcmSiv, KeyInit, Nonce,
    aead::{Aead, Payload},
};
use argon2::{Algorithm, Argon2, Params, Version};
use types::{Fault, Secret};
use zeroize::Zeroizing;

use crate::{
    envelope::{NONCE_LEN, random},
    keyring::KEY_LEN,
};

const NAME: &[u8; 16] = b"plasmacloud bk 1";
const SALT_LEN: usize = 16;
const HEAD_LEN: usize = NAME.len() + 12 + SALT_LEN;
const PIECE: usize = 64 * 1024;
const TAG: usize = 16;
const SHORTEST: usize = 12;

/// What a new stream is made with: tenths of a second for whoever has the passphrase, years for whoever guesses.
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;
const LANES: u32 = 1;
/// What a stream may ask of whoever opens it.
const MOST_MEMORY_KIB: u32 = 1024 * 1024;
const MOST_PASSES: u32 = 16;

struct Pieces {
    cipher: Aes256GcmSiv,
    head: [u8; HEAD_LEN],
    number: u64,
}

impl Pieces {
    fn new(passphrase: &Secret, head: [u8; HEAD_LEN]) -> Result<Self, Fault> {
        let number = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
        let (memory, passes, lanes) = (number(16), number(20), number(24));
        let params = Params::new(memory, passes, lanes, Some(KEY_LEN));
        let sound = memory <= MOST_MEMORY_KIB && passes <= MOST_PASSES && lanes <= 4;
        let params = params
            .ok()
            .filter(|_| sound && head.starts_with(NAME))
            .ok_or_else(|| {
                Fault::invalid(
                    "backup-format",
                    "this is not a backup, or one of a newer release",
                    "give a file that `cloud admin backup` made, and the release that made it or a newer one",
                )
            })?;
        let mut key = Zeroizing::new([0; KEY_LEN]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(passphrase.expose(), &head[28..], &mut *key)
            .map_err(|error| Fault::internal("backup-key", error.to_string()))?;
        Ok(Self {
            cipher: Aes256GcmSiv::new((&*key).into()),
            head,
            number: 0,
        })
    }

    fn nonce(&mut self, last: bool) -> Nonce {
        let mut nonce = [0; NONCE_LEN];
        nonce[..8].copy_from_slice(&self.number.to_le_bytes());
        nonce[8] = u8::from(last);
        self.number += 1;
        Nonce::from(nonce)
    }

    fn seal(&mut self, piece: &[u8], last: bool) -> io::Result<Vec<u8>> {
        let nonce = self.nonce(last);
        let (msg, aad) = (piece, &self.head[..]);
        let sealed = self.cipher.encrypt(&nonce, Payload { msg, aad });
        sealed.map_err(|_| io::Error::other("a piece could not be sealed"))
    }

    fn open(&mut self, sealed: &[u8], last: bool) -> io::Result<Vec<u8>> {
        let nonce = self.nonce(last);
        let (msg, aad) = (sealed, &self.head[..]);
        let piece = self.cipher.decrypt(&nonce, Payload { msg, aad });
        piece.map_err(|_| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "the passphrase is another one, or the file was changed or cut",
            )
        })
    }
}

/// Seals what is written to it. Nothing is whole before `finish`.
pub struct SealedWriter<W: Write> {
    to: W,
    pieces: Pieces,
    pending: Zeroizing<Vec<u8>>,
}

impl<W: Write> SealedWriter<W> {
    /// Refuses a passphrase that is too short to protect anything.
    pub fn new(mut to: W, passphrase: &Secret) -> Result<Self, Fault> {
        if passphrase.expose().len() < SHORTEST {
            return Err(Fault::invalid(
                "passphrase-short",
                format!("a passphrase of fewer than {SHORTEST} characters is guessed soon"),
                "take a longer one, such as the output of `openssl rand -base64 24`",
            ));
        }
        let salt =
            random::<SALT_LEN>().map_err(|error| Fault::internal("vault-random", error.to_string()))?;
        let mut head = [0; HEAD_LEN];
        let parts = [
            &NAME[..],
            &MEMORY_KIB.to_le_bytes(),
            &PASSES.to_le_bytes(),
            &LANES.to_le_bytes(),
            &*salt,
        ];
        head.copy_from_slice(&parts.concat());
        let pieces = Pieces::new(passphrase, head)?;
        to.write_all(&head).map_err(unwritable)?;
        Ok(Self {
            to,
            pieces,
            pending: Zeroizing::new(Vec::with_capacity(PIECE)),
        })
    }

    pub fn finish(mut self) -> Result<W, Fault> {
        let last = self.pieces.seal(&self.pending, true).map_err(unwritable)?;
        self.to.write_all(&last).map_err(unwritable)?;
        self.to.flush().map_err(unwritable)?;
        Ok(self.to)
    }
}

impl<W: Write> Write for SealedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A full piece is written when more comes: the last one is never full unless it ends there.
        if self.pending.len() == PIECE {
            let piece = self.pieces.seal(&self.pending, false)?;
            self.to.write_all(&piece)?;
            self.pending.clear();
        }
        let taken = bytes.len().min(PIECE - self.pending.len());
        self.pending.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

fn unwritable(error: io::Error) -> Fault {
    Fault::unavailable(
        "backup-unwritable",
        format!("the backup cannot be written: {error}"),
        "make room on the disk of the state directory and try again",
    )
}

/// Opens what a [`SealedWriter`] sealed. The end of what it reads is the end of what was written, or an error.
pub struct SealedReader<R: Read> {
    from: R,
    pieces: Pieces,
    /// One byte more than a piece is asked for, to know whether it is the last.
    ahead: Vec<u8>,
    open: Zeroizing<Vec<u8>>,
    at: usize,
    ended: bool,
}

impl<R: Read> SealedReader<R> {
    pub fn new(mut from: R, passphrase: &Secret) -> Result<Self, Fault> {
        let mut head = [0; HEAD_LEN];
        from.read_exact(&mut head).map_err(|error| {
            Fault::invalid(
                "backup-format",
                format!("this is not a backup: {error}"),
                "give a file that `cloud admin backup` made",
            )
        })?;
        Ok(Self {
            from,
            pieces: Pieces::new(passphrase, head)?,
            ahead: Vec::new(),
            open: Zeroizing::new(Vec::new()),
            at: 0,
            ended: false,
        })
    }

    fn next(&mut self) -> io::Result<()> {
        let wanted = (PIECE + TAG + 1 - self.ahead.len()) as u64;
        self.from.by_ref().take(wanted).read_to_end(&mut self.ahead)?;
        let last = self.ahead.len() <= PIECE + TAG;
        let rest = if last {
            Vec::new()
        } else {
            self.ahead.split_off(PIECE + TAG)
        };
        self.open = Zeroizing::new(self.pieces.open(&self.ahead, last)?);
        self.ahead = rest;
        self.at = 0;
        self.ended = last;
        Ok(())
    }
}

impl<R: Read> Read for SealedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.open.len() {
            if self.ended {
                return Ok(0);
            }
            self.next()?;
        }
        let given = into.len().min(self.open.len() - self.at);
        into[..given].copy_from_slice(&self.open[self.at..self.at + given]);
        self.at += given;
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passphrase() -> Secret {
        Secret::new("correct horse battery")
    }

    fn sealed(content: &[u8]) -> Vec<u8> {
        let mut writer = SealedWriter::new(Vec::new(), &passphrase()).unwrap();
        writer.write_all(content).unwrap();
        writer.finish().unwrap()
    }

    fn opened(sealed: &[u8], passphrase: &Secret) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        let reader = SealedReader::new(sealed, passphrase);
        reader
            .map_err(|fault| io::Error::other(fault.to_string()))?
            .read_to_end(&mut content)?;
        Ok(content)
    }

    #[test]
    fn what_is_sealed_opens_whatever_its_length() {
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 5] {
            let content: Vec<u8> = (0..length).map(|n| (n % 251) as u8).collect();
            let sealed = sealed(&content);
            assert_eq!(opened(&sealed, &passphrase()).unwrap(), content, "{length}");
            assert!(length < 16 || !sealed.windows(16).any(|window| window == &content[..16]));
        }
    }

    #[test]
    fn nothing_of_it_can_be_changed_cut_or_moved() {
        let content = vec![7; 2 * PIECE + 100];
        let good = sealed(&content);
        let first = HEAD_LEN..HEAD_LEN + PIECE + TAG;
        let second = first.end..first.end + PIECE + TAG;
        let mut swapped = good[..HEAD_LEN].to_vec();
        swapped.extend([&good[second.clone()], &good[first.clone()], &good[second.end..]].concat());
        let cases = [
            ("cut within a piece", good[..good.len() - 1].to_vec()),
            ("cut between pieces", good[..second.end].to_vec()),
            ("cut after the first", good[..first.end].to_vec()),
            ("no piece", good[..HEAD_LEN].to_vec()),
            ("more behind it", [&good[..], b"x"].concat()),
            ("moved", swapped),
        ];
        for (what, bad) in cases {
            assert!(opened(&bad, &passphrase()).is_err(), "{what}");
        }
        for at in [0, 17, 21, 25, 30, HEAD_LEN, HEAD_LEN + PIECE, good.len() - 1] {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(opened(&bad, &passphrase()).is_err(), "byte {at}");
        }
    }

    #[test]
    fn another_passphrase_does_not_open_it_and_a_short_one_seals_nothing() {
        let error = opened(&sealed(b"x"), &Secret::new("correct horse batter!")).unwrap_err();
        assert!(error.to_string().contains("passphrase"), "{error}");
        let refused = SealedWriter::new(Vec::new(), &Secret::new("hunter2"));
        assert_eq!(refused.err().unwrap().code, "passphrase-short");
    }

    #[test]
    fn a_stream_cannot_ask_for_all_the_memory_there_is() {
        let mut greedy = sealed(b"x");
        greedy[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
        let fault = SealedReader::new(&greedy[..], &passphrase()).err().unwrap();
        assert_eq!(fault.code, "backup-format");
    }
}
