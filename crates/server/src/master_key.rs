//! Where the master key comes from, as the settings say.

use std::{env, path::PathBuf};

use serde::Deserialize;
use types::{Fault, Secret};
use vault::{KeySource, TransitOptions};
use zeroize::Zeroizing;

use crate::{config::Config, state_dir};

/// `[master_key]` of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(tag = "from", rename_all = "kebab-case", deny_unknown_fields)]
pub enum MasterKey {
    /// A file of the state directory, made at the first start.
    #[default]
    File,
    /// A variable that whoever starts cloudd sets.
    Environment {
        #[serde(default = "default_variable")]
        variable: String,
    },
    /// A file of the state directory whose keys a key service wraps: the transit engine of HashiCorp Vault or OpenBao, or
    /// what speaks like it.
    Transit {
        address: String,
        #[serde(default = "default_mount")]
        mount: String,
        key: String,
        token_file: PathBuf,
        ca_file: Option<PathBuf>,
    },
}

fn default_variable() -> String {
    "PLASMACLOUD_MASTER_KEY".to_owned()
}

fn default_mount() -> String {
    "transit".to_owned()
}

/// To be called before there is a second thread: a variable that holds keys is taken out of the environment, so that no
/// program we start inherits it.
pub fn source(config: &Config) -> Result<KeySource, Fault> {
    let path = state_dir::master_key(&config.state_dir);
    Ok(match &config.master_key {
        MasterKey::File => KeySource::File { path },
        MasterKey::Environment { variable } => KeySource::Environment {
            name: variable.clone(),
            value: take(variable)?,
        },
        MasterKey::Transit {
            address,
            mount,
            key,
            token_file,
            ca_file,
        } => KeySource::Transit {
            path,
            service: TransitOptions {
                address: address.clone(),
                mount: mount.clone(),
                key: key.clone(),
                token_file: token_file.clone(),
                ca_file: ca_file.clone(),
            },
        },
    })
}

fn take(variable: &str) -> Result<Secret, Fault> {
    let value = env::var(variable).map(Zeroizing::new).map_err(|_| {
        Fault::invalid(
            "vault-key-environment",
            format!("the master key is to come from {variable}, and that is not set"),
            format!(
                "set {variable} where cloudd is started, to 64 hexadecimal digits (`openssl rand -hex 32`)"
            ),
        )
    })?;
    // SAFETY: `main` calls this before it starts the runtime, which makes the first other thread.
    unsafe { env::remove_var(variable) };
    Ok(Secret::new(value.as_bytes()))
}
