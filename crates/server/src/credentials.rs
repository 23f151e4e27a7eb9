//! The token of the first start. The daemon keeps its hash; the token itself is only in the client file, which root
//! alone can read and which `cloud` uses by itself.
//!
//! The client file is written before the hash: killed in between, the next start finds a file without a hash and
//! takes the token from it. A client file that is gone (moved to where its user wants it) is not made again, because a
//! new token would shut that user out.

use std::{fs, io, io::Write, net::SocketAddr, path::Path};

use serde::{Deserialize, Serialize};
use types::{Fault, Secret};

use crate::{auth::TokenHash, state_dir::StateDir};

/// What `cloud` needs to know, as TOML.
#[derive(Serialize, Deserialize)]
struct ClientFile {
    endpoint: String,
    token: String,
    cache_dir: String,
}

/// Makes what is missing, and brings the client file up to where the daemon listens now.
pub fn prepare(state: &StateDir, listen: SocketAddr, cache_dir: &Path) -> Result<TokenHash, Fault> {
    let hash_file = state.auth().join("token.sha256");
    let client_file = state.client_file();
    let hash = read(&hash_file)?
        .map(|text| TokenHash::from_hex(&text).ok_or_else(|| damaged(&hash_file, "it holds no SHA-256 hash")))
        .transpose()?;
    let client = read(&client_file)?
        .map(|text| {
            toml::from_str::<ClientFile>(&text).map_err(|error| damaged(&client_file, error.message()))
        })
        .transpose()?;
    let token = match (&hash, client) {
        (Some(hash), Some(client)) => {
            let token = Secret::new(client.token);
            if !hash.matches(&token) {
                return Err(damaged(
                    &client_file,
                    "its token is not the one the platform knows",
                ));
            }
            token
        }
        (Some(hash), None) => {
            tracing::info!(file = %client_file.display(), "there is no client file; the token stays as it is");
            return Ok(hash.clone());
        }
        (None, Some(client)) => Secret::new(client.token),
        (None, None) => mint(),
    };
    let content = ClientFile {
        endpoint: format!("http://{listen}"),
        token: String::from_utf8_lossy(token.expose()).into_owned(),
        cache_dir: cache_dir.display().to_string(),
    };
    let content =
        toml::to_string(&content).map_err(|error| Fault::internal("client-file", error.to_string()))?;
    write(&client_file, &content)?;
    let known = TokenHash::of(&token);
    if hash.is_none() {
        write(&hash_file, &format!("{}\n", known.to_hex()))?;
    }
    Ok(known)
}

fn mint() -> Secret {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).expect("the kernel's random source answers");
    Secret::new(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

fn read(path: &Path) -> Result<Option<String>, Fault> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(damaged(path, &error.to_string())),
    }
}

/// Whole or not at all, on disk, mode 0600.
fn write(path: &Path, content: &str) -> Result<(), Fault> {
    let dir = path.parent().unwrap_or(Path::new("/"));
    let written = (|| {
        let mut file = tempfile::NamedTempFile::new_in(dir)?;
        file.write_all(content.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        fs::File::open(dir)?.sync_all()
    })();
    written.map_err(|error: io::Error| {
        Fault::refused(
            "credentials-unwritable",
            format!("{} cannot be written: {error}", path.display()),
            "free space and make the state directory writable",
        )
    })
}

fn damaged(path: &Path, what: &str) -> Fault {
    Fault::refused(
        "credentials-damaged",
        format!("{} cannot be used: {what}", path.display()),
        "remove auth/token.sha256 and client.toml from the state directory and start again: a new token is made",
    )
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    fn listen() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 7400))
    }

    fn state() -> (tempfile::TempDir, StateDir) {
        let dir = tempfile::tempdir().unwrap();
        let state = StateDir::prepare(&dir.path().join("state")).unwrap();
        (dir, state)
    }

    fn token(state: &StateDir) -> Secret {
        let text = fs::read_to_string(state.client_file()).unwrap();
        Secret::new(toml::from_str::<ClientFile>(&text).unwrap().token)
    }

    #[test]
    fn the_first_start_makes_a_token_and_the_second_keeps_it() {
        let (_dir, state) = state();
        let first = prepare(&state, listen(), Path::new("/c")).unwrap();
        let token = token(&state);
        assert!(first.matches(&token));
        assert_eq!(fs::metadata(state.client_file()).unwrap().mode() & 0o777, 0o600);
        let stored = fs::read_to_string(state.auth().join("token.sha256")).unwrap();
        assert!(
            !stored.contains(token.expose_str().unwrap()),
            "the token itself is not in the server's state"
        );

        let moved = SocketAddr::from(([127, 0, 0, 1], 7500));
        assert_eq!(prepare(&state, moved, Path::new("/c")).unwrap(), first);
        assert!(
            fs::read_to_string(state.client_file())
                .unwrap()
                .contains("http://127.0.0.1:7500")
        );
    }

    #[test]
    fn killed_between_the_two_files_the_token_is_kept() {
        let (_dir, state) = state();
        let first = prepare(&state, listen(), Path::new("/c")).unwrap();
        fs::remove_file(state.auth().join("token.sha256")).unwrap();
        assert_eq!(prepare(&state, listen(), Path::new("/c")).unwrap(), first);
    }

    #[test]
    fn a_client_file_that_was_moved_away_is_not_made_again() {
        let (_dir, state) = state();
        let first = prepare(&state, listen(), Path::new("/c")).unwrap();
        fs::remove_file(state.client_file()).unwrap();
        assert_eq!(prepare(&state, listen(), Path::new("/c")).unwrap(), first);
        assert!(!state.client_file().exists());
    }

    #[test]
    fn damaged_files_are_named_with_the_way_out() {
        let (_dir, state) = state();
        prepare(&state, listen(), Path::new("/c")).unwrap();
        fs::write(state.auth().join("token.sha256"), "ab").unwrap();
        assert_eq!(
            prepare(&state, listen(), Path::new("/c")).unwrap_err().code,
            "credentials-damaged"
        );
        fs::remove_file(state.auth().join("token.sha256")).unwrap();
        fs::write(state.client_file(), "endpoint = ").unwrap();
        assert_eq!(
            prepare(&state, listen(), Path::new("/c")).unwrap_err().code,
            "credentials-damaged"
        );
        fs::remove_file(state.client_file()).unwrap();
        prepare(&state, listen(), Path::new("/c")).unwrap();
    }
}
