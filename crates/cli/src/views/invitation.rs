//! An invitation on a screen: the code, and what whoever gets it types.

use api::tenant::InvitedView;

/// With the fingerprint of what the platform is known by, where it is reached over TLS.
pub fn describe(invited: &InvitedView, endpoint: &str, fingerprint: Option<&str>) -> String {
    let known_by = fingerprint.map_or_else(String::new, |hex| format!(" --ca-fingerprint {hex}"));
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
         cloud login --endpoint {endpoint}{known_by} --invitation-file -\n",
        grant.role
    )
}
