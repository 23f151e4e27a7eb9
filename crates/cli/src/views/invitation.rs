//! An invitation on a screen: the code, and what whoever gets it types.

use api::tenant::InvitedView;

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
