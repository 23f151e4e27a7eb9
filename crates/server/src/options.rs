//! The daemon's command line.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Parser, Subcommand};

use crate::config::LogFormat;

/// The PlasmaCloud daemon: keeps networks and Kubernetes clusters as they were asked for.
#[derive(Debug, Parser)]
#[command(name = "cloudd", version = concat!("v", env!("CARGO_PKG_VERSION")))]
pub struct Options {
    /// Settings file [default: /etc/plasmacloud/cloudd.toml, if it is there]
    #[arg(long, global = true, env = "PLASMACLOUD_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub overrides: Overrides,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Look for what the platform needs of this host, and say how to get what is missing
    Check,
    /// Put a backup back into a state directory whose platform.db, auth, instance and client.toml are gone; with cloudd stopped
    Restore {
        /// What `cloud admin backup` made
        #[arg(long, value_name = "FILE")]
        from: PathBuf,
        /// File with the passphrase that it was made with
        #[arg(long, value_name = "FILE")]
        passphrase_file: PathBuf,
    },
    /// Remove everything this platform made on the host, and its state; the cache of bundles stays
    Teardown,
}

/// Settings of the file that can be given here too; these win.
#[derive(Debug, Clone, Default, Args)]
pub struct Overrides {
    /// state_dir: what must survive a restart [default: /var/lib/plasmacloud]
    #[arg(long, global = true, env = "PLASMACLOUD_STATE_DIR", value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// cache_dir: bundles [default: /var/cache/plasmacloud]
    #[arg(long, global = true, env = "PLASMACLOUD_CACHE_DIR", value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,
    /// listen: address of the API [default: 127.0.0.1:7400]
    #[arg(long, global = true, env = "PLASMACLOUD_LISTEN", value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// endpoint: address at which all clusters are reached [default: 127.0.0.1:6443]
    #[arg(
        long,
        global = true,
        env = "PLASMACLOUD_CLUSTER_ENDPOINT",
        value_name = "ADDRESS"
    )]
    pub endpoint: Option<SocketAddr>,
    /// instance: name that tells several platforms on one machine apart [default: main]
    #[arg(long, global = true, env = "PLASMACLOUD_INSTANCE", value_name = "NAME")]
    pub instance: Option<String>,
    /// log_format: text or json, to standard error [default: text]
    #[arg(long, global = true, env = "PLASMACLOUD_LOG_FORMAT", value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        super::Options::command().debug_assert();
    }
}
