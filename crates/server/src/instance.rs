//! What marks everything of this platform on the host: a few characters drawn at the first start, kept with its state.

use std::{fs, io, path::PathBuf};

use types::Fault;

use crate::state_dir::StateDir;

const LENGTH: usize = 6;
const ALPHABET: &[u8] = b"abcdefghjkmnpqrstvwxyz23456789";

pub fn mark(state: &StateDir) -> Result<String, Fault> {
    let path = state.path().join("instance");
    match fs::read_to_string(&path) {
        Ok(mark) => Ok(mark.trim().to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mark = draw()?;
            let fresh = path.with_extension("new");
            let written = fs::write(&fresh, &mark).and_then(|()| fs::rename(&fresh, &path));
            written.map_err(|error| failed(&path, &error))?;
            Ok(mark)
        }
        Err(error) => Err(failed(&path, &error)),
    }
}

fn draw() -> Result<String, Fault> {
    let mut bytes = [0u8; LENGTH];
    getrandom::fill(&mut bytes).map_err(|error| Fault::internal("random", error.to_string()))?;
    Ok(bytes
        .iter()
        .map(|b| ALPHABET[usize::from(*b) % ALPHABET.len()] as char)
        .collect())
}

fn failed(path: &std::path::Path, error: &io::Error) -> Fault {
    Fault::unavailable(
        "instance-mark",
        format!("{} cannot be read or written: {error}", path.display()),
        "check the state directory and the space on its disk",
    )
}

/// A program of ours that goes into machines: beside our own binary, or where distributions put helpers.
pub fn machine_binary(name: &str) -> Result<PathBuf, Fault> {
    let own = std::env::current_exe().map_err(|error| Fault::internal("own-path", error.to_string()))?;
    let dir = own.parent().map(PathBuf::from).unwrap_or_default();
    let places = [dir.join(name), dir.join("../libexec/plasmacloud").join(name)];
    places.iter().find(|path| path.is_file()).cloned().ok_or_else(|| {
        Fault::refused(
            "program-missing",
            format!("{name} is not beside {}", own.display()),
            "install the platform whole: make install, or make up from a checkout",
        )
    })
}
