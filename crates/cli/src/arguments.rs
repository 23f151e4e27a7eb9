//! The command line as a whole; each command's own arguments stand beside it.

use clap::{Parser, Subcommand};

use crate::{
    commands::{
        admin, apply, audit, bundle, completion, context, events, instance, k8s, login, logout, man,
        operation, org, password, project, quota, sa, token, user, version, vpc, whoami,
    },
    connection::Connection,
};

/// Networks and Kubernetes clusters of a PlasmaCloud platform.
#[derive(Debug, Parser)]
#[command(
    name = "cloud",
    version = concat!("v", env!("CARGO_PKG_VERSION")),
    disable_help_subcommand = true,
    after_help = "Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 refused or conflict, 5 platform unreachable"
)]
pub struct Cloud {
    #[command(flatten)]
    pub connection: Connection,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Log in with a password, or take up an invitation
    Login(login::Login),
    /// End a login, here and at the platform
    Logout(logout::Logout),
    /// Choose another password
    Password(password::Password),
    /// Who you are, and the roles you hold
    Whoami(whoami::WhoAmI),
    /// Logins, and which one is used
    #[command(subcommand)]
    Context(context::Command),
    /// Networks
    #[command(subcommand)]
    Vpc(vpc::Command),
    /// Kubernetes clusters
    #[command(subcommand)]
    K8s(k8s::Command),
    /// Make things as a file describes them, or change them to it
    Apply(apply::Apply),
    /// Machines
    #[command(subcommand)]
    Instance(instance::Command),
    /// What the platform is doing or did
    #[command(subcommand)]
    Operation(operation::Command),
    /// Organisations
    #[command(subcommand)]
    Org(org::Command),
    /// Projects
    #[command(subcommand)]
    Project(project::Command),
    /// What a project may have
    #[command(subcommand)]
    Quota(quota::Command),
    /// People and their roles
    #[command(subcommand)]
    User(user::Command),
    /// Service accounts: identities of programs
    #[command(subcommand)]
    Sa(sa::Command),
    /// Tokens of service accounts
    #[command(subcommand)]
    Token(token::Command),
    /// Kubernetes releases on this host
    Bundle(bundle::Bundle),
    /// What happened, newest first
    Events(events::Events),
    /// Who did what, and whether the record of it is whole
    #[command(subcommand)]
    Audit(audit::Command),
    /// What an operator of the platform does
    #[command(subcommand)]
    Admin(admin::Command),
    /// Versions of this program and of the platform
    Version(version::Version),
    /// Completion script for a shell
    Completion(completion::Completion),
    /// Write the man pages into a directory
    #[command(hide = true)]
    Man(man::Man),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cloud;

    #[test]
    fn the_definition_is_sound() {
        Cloud::command().debug_assert();
    }

    #[test]
    fn help_of_the_main_commands() {
        for path in [
            &[][..],
            &["vpc"],
            &["vpc", "create"],
            &["k8s"],
            &["k8s", "create"],
            &["k8s", "kubeconfig"],
            &["bundle"],
            &["login"],
            &["context"],
            &["context", "use"],
            &["project", "create"],
            &["quota", "set"],
            &["user", "invite"],
            &["token", "create"],
        ] {
            let mut command = Cloud::command();
            command.build();
            let found = path.iter().fold(&mut command, |command, name| {
                command.find_subcommand_mut(name).unwrap()
            });
            let name = ["help"]
                .iter()
                .chain(path.iter())
                .copied()
                .collect::<Vec<_>>()
                .join("-");
            insta::assert_snapshot!(name, found.render_long_help().to_string());
        }
    }
}
