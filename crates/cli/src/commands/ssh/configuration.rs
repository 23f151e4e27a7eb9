//! Lines for `~/.ssh/config`. A certificate lives for minutes, so ssh runs `cloud` for a new one before each connection;
//! when that fails, nothing of the block counts and ssh goes nowhere.

use api::client::Client;

use super::{
    program::{own_program, proxy_command, quoted},
    session::{Files, Key},
};
use crate::{connection::Connection, credentials, failure::Failure};

pub fn text(
    called: &str,
    id: &str,
    key: &Key,
    client: &Client,
    connection: &Connection,
) -> Result<String, Failure> {
    let dir = credentials::directory()?.join("ssh").join(id);
    let files = Files::new(&dir);
    let mut renew = vec![own_program()?];
    if let Some(context) = &connection.context {
        renew.extend(["--context".to_owned(), context.clone()]);
    }
    if let (None, Some(endpoint)) = (&connection.context, &connection.endpoint) {
        renew.extend(["--endpoint".to_owned(), endpoint.clone()]);
    }
    if let Some(file) = &connection.token_file {
        renew.extend(["--token-file".to_owned(), file.display().to_string()]);
    }
    renew.extend(["--project".to_owned(), client.project_name().to_owned()]);
    renew.extend(["ssh".to_owned(), id.to_owned()]);
    let identity = match key {
        Key::Made => format!(
            "    IdentityFile {}\n    IdentitiesOnly yes\n",
            in_quotes(&files.key())
        ),
        Key::Known { name, identity } => {
            renew.extend(["--key".to_owned(), name.clone()]);
            identity.as_ref().map_or_else(String::new, |path| {
                format!("    IdentityFile {}\n    IdentitiesOnly yes\n", in_quotes(path))
            })
        }
    };
    renew.extend(["--renew".to_owned(), dir.display().to_string()]);
    let renew: Vec<String> = renew.iter().map(|word| quoted(word)).collect();
    let renew = renew.join(" ").replace('%', "%%").replace('"', "\\\"");
    Ok(format!(
        "Match originalhost {called} exec \"{renew}\"\n    HostName {id}\n    HostKeyAlias {id}\n    User root\n\
         \x20   CertificateFile {}\n{identity}    UserKnownHostsFile {}\n    StrictHostKeyChecking yes\n\
         \x20   UpdateHostKeys no\n    ProxyCommand {}\n",
        in_quotes(&files.certificate()),
        in_quotes(&files.known_hosts()),
        proxy_command(&files.way())?,
    ))
}

fn in_quotes(path: &std::path::Path) -> String {
    format!("\"{}\"", path.display().to_string().replace('%', "%%"))
}
