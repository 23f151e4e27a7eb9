//! `cloud k8s kubeconfig`

use std::path::Path;

use api::client::Client;
use clap::{Args, ValueEnum};
use types::kubeconfig::CertificateKind;

use crate::{
    commands::Reference,
    connection::Connection,
    failure::{Exit, Failure},
    kubeconfig,
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Kubeconfig {
    #[command(flatten)]
    of: Reference,
    /// Who it is for: `iam` asks `cloud` for your own token each time; the others carry an administrator's certificate
    /// that ends within a day, towards the cluster's address outside (.conf) or inside (.svc) [default: iam; admin.conf for
    /// the platform's operator]
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Merge into the first file of $KUBECONFIG, or ~/.kube/config, and make it the current context
    #[arg(long)]
    merge: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    #[value(name = "iam")]
    Iam,
    #[value(name = "admin.conf")]
    Admin,
    #[value(name = "admin.svc")]
    AdminInternal,
    #[value(name = "super-admin.conf")]
    SuperAdmin,
    #[value(name = "super-admin.svc")]
    SuperAdminInternal,
}

impl Kind {
    fn certificate(self) -> Option<CertificateKind> {
        match self {
            Self::Iam => None,
            Self::Admin => Some(CertificateKind::Admin),
            Self::AdminInternal => Some(CertificateKind::AdminInternal),
            Self::SuperAdmin => Some(CertificateKind::SuperAdmin),
            Self::SuperAdminInternal => Some(CertificateKind::SuperAdminInternal),
        }
    }
}

impl Kubeconfig {
    pub async fn run(self, at: &Connection, client: &Client) -> Result<(), Failure> {
        let kind = match self.kind {
            Some(kind) => kind,
            // Who runs a platform alone has no login to take tokens from, and wants it all.
            None if client.whoami().await?.is_operator() => Kind::Admin,
            None => Kind::Iam,
        };
        let secret = match kind.certificate() {
            None => client.kubeconfig(&self.of.reference).await?,
            Some(kind) => client.credentials(&self.of.reference, kind.as_str()).await?,
        };
        let text = secret.expose_str().map_err(|error| {
            Failure::new(
                Exit::Failed,
                "answer-unexpected",
                error.to_string(),
                "report this: a kubeconfig is text",
            )
        })?;
        let pinned = match kind {
            Kind::Iam => kubeconfig::pinned(text, &at.again().await?),
            Kind::Admin | Kind::AdminInternal | Kind::SuperAdmin | Kind::SuperAdminInternal => {
                text.to_owned()
            }
        };
        let text = pinned.as_str();
        if !self.merge {
            return print(text);
        }
        let (paths, home) = (std::env::var("KUBECONFIG").ok(), std::env::var_os("HOME"));
        let path = kubeconfig::default_path(paths.as_deref(), home.as_deref().map(Path::new))?;
        kubeconfig::merge_into(&path, text)?;
        print(&format!(
            "merged into {}; it is the current context now\n",
            path.display()
        ))
    }
}
