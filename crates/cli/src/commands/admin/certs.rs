//! `cloud admin certs`: what there is and when it ends; below it, replacing an authority.

use std::time::Duration;

use api::{
    certs::{CertificateList, RotateCertificates, RotationView},
    client::{Client, ClientError},
    moment::from_wire,
};
use clap::{Args, Subcommand, ValueEnum};

use crate::{
    duration::Lifetime,
    failure::{Exit, Failure},
    output::Output,
    surroundings::{now, print},
};

/// Between two looks at how far it is.
const LOOK: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Certs {
    #[command(subcommand)]
    command: Option<Command>,
    /// Only those that end within this time, such as 30d
    #[arg(long, value_name = "TIME")]
    expires_within: Option<Lifetime>,
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Replace an authority and all below it, while everything goes on; joins a replacement that runs
    Rotate(Rotate),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Level {
    /// The platform's root, and with it the authority of its services
    Root,
    /// The authority that signs what the platform's services and clusters' control planes show one another
    Services,
}

#[derive(Debug, Args)]
struct Rotate {
    level: Level,
    /// Do not wait for the end; `cloud admin certs` shows how far it is
    #[arg(long)]
    no_wait: bool,
    /// End the stage it is in, whoever it waits for: tokens are refused at those clusters until they caught up
    #[arg(long)]
    force: bool,
}

impl Certs {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        if let Some(Command::Rotate(rotate)) = self.command {
            return rotate.run(client).await;
        }
        let mut list = client.list_certificates().await?;
        if let Some(within) = self.expires_within {
            let horizon = now().plus(within.seconds);
            list.certificates.retain(|certificate| {
                let end = certificate.not_after.as_deref().and_then(from_wire);
                end.is_some_and(|end| end <= horizon)
            });
        }
        self.output.list(&list, &list.certificates)?;
        if let Some(rotation) = &list.rotation {
            eprint!("{}", told(rotation));
        }
        Ok(())
    }
}

impl Rotate {
    async fn run(self, client: &Client) -> Result<(), Failure> {
        let level = match self.level {
            Level::Root => "root",
            Level::Services => "services",
        };
        let request = RotateCertificates {
            level: level.to_owned(),
            force: self.force,
        };
        let begun = client.rotate_certificates(&request).await?;
        let mut said = told(&begun);
        eprint!("{said}");
        if self.no_wait {
            return print(&format!("{}\n", begun.began));
        }
        loop {
            tokio::time::sleep(LOOK).await;
            // The platform may be restarted meanwhile; it goes on where it was.
            let list = match client.list_certificates().await {
                Ok(list) => list,
                Err(error @ (ClientError::Unreachable { .. } | ClientError::Timeout { .. })) => {
                    tell(&mut said, format!("{error}; asked again\n"));
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            match &list.rotation {
                Some(rotation) if rotation.began == begun.began => tell(&mut said, told(rotation)),
                Some(_) | None => return print(&done(&list, &begun)?),
            }
        }
    }
}

fn tell(said: &mut String, now: String) {
    if *said != now {
        eprint!("{now}");
        *said = now;
    }
}

fn told(rotation: &RotationView) -> String {
    let stage = match rotation.stage.as_str() {
        "trust" => "the next authority is made known everywhere",
        "replace" => "the next authority signs, and what the old one signed is replaced",
        "retire" => "the old authority is gone, and taken out of every file",
        other => other,
    };
    let mut text = format!("replacing the authority '{}': {stage}\n", rotation.level);
    for reason in &rotation.waiting_for {
        text.push_str(&format!("  waits for {reason}\n"));
    }
    text
}

fn done(list: &CertificateList, begun: &RotationView) -> Result<String, Failure> {
    let what = match begun.level.as_str() {
        "root" => "platform-root",
        _ => "services-authority",
    };
    let signs = list
        .certificates
        .iter()
        .find(|certificate| certificate.what == what);
    let signs = signs.ok_or_else(|| {
        Failure::new(
            Exit::Failed,
            "answer-unexpected",
            "the platform does not tell which authority signs now",
            "see `cloud admin certs -o json`",
        )
    })?;
    Ok(format!(
        "{} signs now; of the authority before nothing is trusted any more\n",
        signs.subject.as_deref().unwrap_or_default()
    ))
}
