//! Reading what is to be kept running. A configuration that cannot be honoured is refused whole: half a control plane
//! is worse than the one that runs already.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use types::keeper::KeeperConfig;

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path} is not a configuration: {source}")]
    Parse {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("process name '{0}' is not usable as a file name")]
    Name(String),
    #[error("process '{0}' is listed twice")]
    Twice(String),
    #[error("process '{0}' has no command")]
    NoCommand(String),
}

pub fn load(path: &Path) -> Result<KeeperConfig, ConfigError> {
    let text = std::fs::read(path).map_err(|source| ConfigError::Read {
        path: path.to_owned(),
        source,
    })?;
    let config = serde_json::from_slice(&text).map_err(|source| ConfigError::Parse {
        path: path.to_owned(),
        source,
    })?;
    check(&config)?;
    Ok(config)
}

fn check(config: &KeeperConfig) -> Result<(), ConfigError> {
    let mut names = BTreeSet::new();
    for process in &config.processes {
        let safe = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        if process.name.is_empty() || process.name.len() > 64 || !process.name.bytes().all(safe) {
            return Err(ConfigError::Name(process.name.clone()));
        }
        if !names.insert(&process.name) {
            return Err(ConfigError::Twice(process.name.clone()));
        }
        if process.argv.is_empty() {
            return Err(ConfigError::NoCommand(process.name.clone()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(processes: &str) -> KeeperConfig {
        serde_json::from_str(&format!(r#"{{"logDir":"/l","processes":[{processes}]}}"#)).unwrap()
    }

    #[test]
    fn names_that_leave_the_log_directory_are_refused() {
        assert!(matches!(
            check(&with(r#"{"name":"../x","argv":["a"]}"#)),
            Err(ConfigError::Name(_))
        ));
        assert!(matches!(
            check(&with(r#"{"name":"","argv":["a"]}"#)),
            Err(ConfigError::Name(_))
        ));
    }

    #[test]
    fn doubles_and_empty_commands_are_refused() {
        let twice = with(r#"{"name":"a","argv":["a"]},{"name":"a","argv":["b"]}"#);
        assert!(matches!(check(&twice), Err(ConfigError::Twice(_))));
        assert!(matches!(
            check(&with(r#"{"name":"a","argv":[]}"#)),
            Err(ConfigError::NoCommand(_))
        ));
    }
}
