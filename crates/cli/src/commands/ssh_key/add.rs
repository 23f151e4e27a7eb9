//! `cloud ssh-key add`: a private key given by mistake does not leave this host.

use std::path::PathBuf;

use api::{client::Client, ssh::SshKeyCreate};
use clap::{Args, builder::NonEmptyStringValueParser};
use types::ssh_key::looks_private;
use zeroize::Zeroizing;

use crate::{
    failure::{Exit, Failure},
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Add {
    /// How it is called
    #[arg(value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    name: String,
    /// The public key [default: ~/.ssh/id_ed25519.pub]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Add {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let request = SshKeyCreate {
            public: public(self.file)?,
            name: self.name,
        };
        let key = client.add_ssh_key(&request).await?;
        print(&format!("key {} added, {}\n", key.name, key.fingerprint))
    }
}

fn public(file: Option<PathBuf>) -> Result<String, Failure> {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".ssh/id_ed25519.pub"));
    let path = file.or_else(home).unwrap_or_default();
    let text = std::fs::read_to_string(&path)
        .map(Zeroizing::new)
        .map_err(|error| {
            Failure::new(
                Exit::Usage,
                "file-unreadable",
                format!("{} cannot be read: {error}", path.display()),
                "give the file of a public key with --file; `ssh-keygen -t ed25519` makes a pair",
            )
        })?;
    if looks_private(&text) {
        return Err(Failure::new(
            Exit::Usage,
            "ssh-key-private",
            format!("{} is a private key; it was sent nowhere", path.display()),
            "give the file beside it that ends in .pub",
        ));
    }
    Ok(text.trim().to_owned())
}
