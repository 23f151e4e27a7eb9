//! What the drivers are told at start, checked once.

use std::path::{Path, PathBuf};

/// How the host is shared out. CPU is a weight with bursting, so more may be promised than there is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overcommit {
    /// Virtual CPUs promised for each of the host's.
    pub cpu: f64,
    /// Memory promised for each byte of the host's, after the reserve.
    pub memory: f64,
    /// Memory that is the host's own.
    pub memory_reserve: types::Bytes,
}

impl Default for Overcommit {
    fn default() -> Self {
        Self {
            cpu: 8.0,
            memory: 1.0,
            memory_reserve: types::Bytes::mib(512),
        }
    }
}

#[derive(Debug, Clone)]
pub struct NspawnOptions {
    /// Marks everything of this instance of the platform on the host.
    instance: String,
    state: PathBuf,
    keeper: PathBuf,
    overcommit: Overcommit,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum OptionsError {
    #[error("'{0}' is not an instance id: 1 to 12 characters of a-z and 0-9")]
    Instance(String),
    #[error(
        "'{0}' is not usable as a state directory: it must be absolute and hold no ',', ':', '\\' or white space"
    )]
    State(PathBuf),
}

impl NspawnOptions {
    pub fn new(
        instance: &str,
        state: &Path,
        keeper: &Path,
        overcommit: Overcommit,
    ) -> Result<Self, OptionsError> {
        let id = |b: u8| b.is_ascii_digit() || b.is_ascii_lowercase();
        if instance.is_empty() || instance.len() > 12 || !instance.bytes().all(id) {
            return Err(OptionsError::Instance(instance.to_owned()));
        }
        // Overlay takes its directories as one string in which these have a meaning; mountinfo escapes white space.
        let awkward = |b: &u8| matches!(b, b',' | b':' | b'\\') || b.is_ascii_whitespace();
        if !state.is_absolute() || state.as_os_str().as_encoded_bytes().iter().any(awkward) {
            return Err(OptionsError::State(state.to_owned()));
        }
        Ok(Self {
            instance: instance.to_owned(),
            state: state.to_owned(),
            keeper: keeper.to_owned(),
            overcommit,
        })
    }

    pub fn instance(&self) -> &str {
        &self.instance
    }

    pub fn state(&self) -> &Path {
        &self.state
    }

    pub fn keeper(&self) -> &Path {
        &self.keeper
    }

    pub fn overcommit(&self) -> Overcommit {
        self.overcommit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_break_a_mount_or_a_name_is_refused() {
        let make = |instance: &str, state: &str| {
            NspawnOptions::new(instance, Path::new(state), Path::new("/k"), Overcommit::default())
        };
        assert!(make("a1b2c3", "/var/lib/plasmacloud").is_ok());
        for bad in ["", "A", "a-b", "toolongtoolong"] {
            assert!(make(bad, "/s").is_err(), "{bad}");
        }
        for bad in ["relative", "/a:b", "/a b", "/a,b"] {
            assert!(make("a", bad).is_err(), "{bad}");
        }
    }
}
