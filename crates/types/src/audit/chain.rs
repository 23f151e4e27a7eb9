//! Walking the chain. The records come in pages, oldest first; the walk says the first that is not as it was written.
//!
//! A hash needs no key, so whoever can write to the log can make a new, sound chain. What they cannot make is the head
//! that the vault sealed: the walk ends by comparing the last record with it.

use super::{AuditRecord, Head};

/// How a record is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Breakage {
    /// Its content is not what was hashed.
    Changed,
    /// It is there, but not in a form that was ever written.
    Unreadable { detail: String },
    /// Records before it are missing.
    Gap { expected: u64 },
    /// Its number was there before.
    Order { expected: u64 },
    /// It does not carry the hash of the record before it.
    Unlinked,
    /// It is the last one, but the sealed head says that more were written.
    Cut { sealed: u64 },
    /// It was added by somebody who could not seal the head.
    Unsealed,
    /// It is not the record whose hash was sealed, or noted down, under this number.
    OtherThan { expected: Head },
    /// There are records, but the sealed head is gone or cannot be opened.
    HeadLost,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The first record that is not as it was written; 0 when there is none at all.
    pub sequence: u64,
    pub how: Breakage,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = self.sequence;
        match &self.how {
            Breakage::Changed => write!(f, "record {at} was changed: its hash is not that of its content"),
            Breakage::Unreadable { detail } => write!(f, "record {at} cannot be read: {detail}"),
            Breakage::Gap { expected } if *expected + 1 == at => write!(f, "record {expected} is missing"),
            Breakage::Gap { expected } => write!(f, "records {expected} to {} are missing", at - 1),
            Breakage::Order { expected } => write!(f, "record {at} comes where {expected} should"),
            Breakage::Unlinked => write!(f, "record {at} does not follow the one before it"),
            Breakage::Cut { sealed } => {
                write!(f, "the log ends with record {at}, but {sealed} were written")
            }
            Breakage::Unsealed => write!(f, "record {at} was not written by this platform"),
            Breakage::OtherThan { expected } => {
                write!(f, "record {at} is not the one that was known as {expected}")
            }
            Breakage::HeadLost => write!(
                f,
                "record {at} is the last, but the sealed head of the log is gone"
            ),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// How many records were looked at.
    pub records: u64,
    /// The last one that is good.
    pub head: Head,
    pub broken: Option<Broken>,
}

/// Goes along the chain, from before its first record.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    records: u64,
    head: Head,
    known: Option<Head>,
}

impl Walk {
    /// `known` is a place somebody noted down earlier: the chain must still pass through it.
    pub fn new(known: Option<Head>) -> Self {
        Self {
            known,
            ..Self::default()
        }
    }

    /// After which record the next page begins.
    pub fn at(&self) -> u64 {
        self.head.sequence
    }

    pub fn step(&mut self, record: &AuditRecord) -> Result<(), Broken> {
        self.records += 1;
        let expected = self.head.sequence + 1;
        let how = if record.sequence > expected {
            Some(Breakage::Gap { expected })
        } else if record.sequence < expected {
            Some(Breakage::Order { expected })
        } else if record.hash != record.computed() {
            Some(Breakage::Changed)
        } else if record.previous != self.head.hash {
            Some(Breakage::Unlinked)
        } else {
            self.other_than_known(record.head())
        };
        match how {
            Some(how) => Err(Broken {
                sequence: record.sequence,
                how,
            }),
            None => {
                self.head = record.head();
                Ok(())
            }
        }
    }

    fn other_than_known(&self, here: Head) -> Option<Breakage> {
        let known = self.known.filter(|known| known.sequence == here.sequence)?;
        (known != here).then_some(Breakage::OtherThan { expected: known })
    }

    /// After the last record. `sealed` was read before the page that showed that there are no more.
    pub fn end(self, sealed: Option<Head>) -> Verdict {
        let how = match sealed {
            None if self.head == Head::default() => None,
            None => Some(Breakage::HeadLost),
            Some(sealed) if sealed.sequence > self.head.sequence => Some(Breakage::Cut {
                sealed: sealed.sequence,
            }),
            Some(sealed) if sealed.sequence < self.head.sequence => Some(Breakage::Unsealed),
            Some(sealed) if sealed != self.head => Some(Breakage::OtherThan { expected: sealed }),
            Some(_) => None,
        };
        let beyond = self.known.filter(|known| known.sequence > self.head.sequence);
        let how = how.or(beyond.map(|known| Breakage::Cut {
            sealed: known.sequence,
        }));
        let sequence = self.head.sequence;
        self.verdict(how.map(|how| Broken { sequence, how }))
    }

    pub fn broken(self, broken: Broken) -> Verdict {
        self.verdict(Some(broken))
    }

    fn verdict(self, broken: Option<Broken>) -> Verdict {
        Verdict {
            records: self.records,
            head: self.head,
            broken,
        }
    }
}
