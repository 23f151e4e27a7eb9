//! `cloud ssh`: a certificate for some minutes, the system's `ssh` through the platform's tunnel, and nothing left behind.

mod configuration;
mod program;
pub mod proxy;
mod session;

use std::path::PathBuf;

use api::client::Client;
use clap::{Args, builder::NonEmptyStringValueParser};

use crate::{connection::Connection, failure::Failure, surroundings::print};

use session::{Key, Session};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cloud ssh worker-1
  cloud ssh worker-1 -- journalctl -u kubelet
  tar c . | cloud ssh worker-1 -- tar x -C /tmp
  cloud ssh worker-1 --print-config >> ~/.ssh/config    # then: scp, rsync, ssh worker-1")]
pub struct Ssh {
    /// Instance, by name or id
    #[arg(value_name = "INSTANCE", value_parser = NonEmptyStringValueParser::new())]
    instance: String,
    /// A key of yours that the platform knows, see `cloud ssh-key`, instead of one made for this connection
    #[arg(long, value_name = "NAME")]
    key: Option<String>,
    /// Its private half, where ssh does not find it by itself
    #[arg(short, long, value_name = "FILE", requires = "key")]
    identity: Option<PathBuf>,
    /// Print lines for ~/.ssh/config, so that ssh, scp and rsync reach it, and connect nowhere
    #[arg(long, conflicts_with = "command")]
    print_config: bool,
    /// Only lay down what ssh needs, in this directory
    #[arg(long, hide = true, value_name = "DIR", conflicts_with_all = ["command", "print_config"])]
    renew: Option<PathBuf>,
    /// What to run there instead of a shell
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl Ssh {
    pub async fn run(self, client: &Client, connection: &Connection) -> Result<(), Failure> {
        let key = match &self.key {
            Some(name) => Key::Known {
                name: name.clone(),
                identity: self.identity.clone(),
            },
            None => Key::Made,
        };
        if let Some(dir) = &self.renew {
            return Session::lay(client, &self.instance, &key, dir).await.map(drop);
        }
        if self.print_config {
            let instance = client.get_instance(&self.instance).await?;
            return print(&configuration::text(
                &self.instance,
                &instance.id,
                &key,
                client,
                connection,
            )?);
        }
        let ssh = program::find()?;
        let dir = session::directory()?;
        let session = Session::lay(client, &self.instance, &key, dir.path()).await?;
        let ended = program::run(&ssh, &session, &key, &self.command).await?;
        drop(session);
        drop(dir);
        // As ssh: what the command ended with, or 255.
        std::process::exit(ended)
    }
}
