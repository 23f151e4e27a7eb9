//! An invitation on a screen: the code, and what whoever gets it types.

use api::tenant::{InvitationView, InvitedView, ResetView};
use types::Timestamp;

use super::place::{Held, Names};
use crate::output::{Row, age};

pub fn describe(invited: &InvitedView, endpoint: &str) -> String {
    let InvitedView {
        id: _,
        email,
        grant,
        code,
        expires,
    } = invited;
    format!(
        "{email} is invited to the role {}. The code, shown this once, good once, until {expires}:\n\n  {code}\n\n\
         Hand it over by a way you trust. They type this, and are asked for the code and a password:\n\n  \
         cloud login --endpoint {endpoint} --invitation-file -\n",
        grant.role
    )
}

pub fn describe_reset(reset: &ResetView, endpoint: &str) -> String {
    let ResetView { email, code, expires } = reset;
    format!(
        "{email} may choose a new password. The code, shown this once, good once, until {expires}:\n\n  {code}\n\n\
         Hand it over by a way you trust. They type this, and are asked for the code and a password:\n\n  \
         cloud login --endpoint {endpoint} --reset-file -\n"
    )
}

/// One that waits to be taken up.
pub struct Waiting<'a> {
    invitation: &'a InvitationView,
    held: Held<'a>,
}

impl<'a> Waiting<'a> {
    pub fn each(invitations: &'a [InvitationView], names: &'a Names) -> Vec<Self> {
        let of = |invitation: &'a InvitationView| Self {
            invitation,
            held: Held {
                grant: &invitation.grant,
                names,
            },
        };
        invitations.iter().map(of).collect()
    }
}

impl Row for Waiting<'_> {
    const TITLES: &'static [&'static str] =
        &["EMAIL", "ROLE", "ORG", "PROJECT", "AGE", "ID", "+BY", "+EXPIRES"];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        let mut cells = vec![self.invitation.email.clone()];
        cells.extend(self.held.cells(now));
        cells.extend([
            age(&self.invitation.created, now),
            self.invitation.id.clone(),
            self.invitation.invited_by.clone(),
            self.invitation.expires.clone(),
        ]);
        cells
    }
}
