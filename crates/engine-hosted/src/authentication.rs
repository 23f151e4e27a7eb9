//! Who may ask without saying who they are: nobody, except for health. How that is said depends on the release.

use ports::compute::{Content, FileEntry};
use serde_json::json;
use types::Line;

const PATH: &str = "/etc/kubernetes/authentication.json";

/// The first line whose apiserver reads anonymous access from a file by default, and the one where that became v1.
const FILE_SINCE: Line = Line { major: 1, minor: 32 };
const V1_SINCE: Line = Line { major: 1, minor: 34 };

pub(crate) fn anonymous(line: Line) -> (Option<FileEntry>, String) {
    if line < FILE_SINCE {
        return (None, "--anonymous-auth=false".to_owned());
    }
    let version = if line < V1_SINCE { "v1beta1" } else { "v1" };
    let paths = ["/livez", "/readyz", "/healthz"].map(|path| json!({"path": path}));
    let config = json!({
        "apiVersion": format!("apiserver.config.k8s.io/{version}"),
        "kind": "AuthenticationConfiguration",
        "anonymous": {"enabled": true, "conditions": paths},
    });
    let flag = format!("--authentication-config={PATH}");
    (
        Some(FileEntry {
            path: PATH.into(),
            mode: 0o644,
            content: Content::Text(config.to_string()),
        }),
        flag,
    )
}
