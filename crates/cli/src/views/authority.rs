//! The authorities as PEM with their fingerprints above them: readers of PEM take it as it is.

use api::certs::CaView;

pub fn describe(ca: &CaView) -> String {
    let mut text = String::new();
    for fingerprint in &ca.fingerprints {
        text.push_str(&format!("# {fingerprint}\n"));
    }
    text.push_str(&ca.bundle);
    text
}
