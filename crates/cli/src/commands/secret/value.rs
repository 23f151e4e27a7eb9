//! Where the value of a secret comes from: a file, standard input, or a terminal that does not show it. Never an argument,
//! which every user of the host can read.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use clap::Args;
use types::{Secret, kept_secret::LARGEST};

use crate::{
    ask,
    failure::{Exit, Failure},
};

#[derive(Debug, Args)]
pub struct Value {
    /// File with the value, every byte of it; `-` for standard input. Without it, it is asked for
    #[arg(long, value_name = "FILE")]
    from_file: Option<PathBuf>,
}

impl Value {
    /// In base 64.
    pub fn read(&self) -> Result<String, Failure> {
        Ok(STANDARD.encode(self.bytes()?.expose()))
    }

    fn bytes(&self) -> Result<Secret, Failure> {
        match &self.from_file {
            Some(path) if path == Path::new("-") => whole(io::stdin().lock(), "standard input"),
            Some(path) => {
                let shown = path.display().to_string();
                let file = File::open(path).map_err(|error| unreadable(&shown, &error))?;
                whole(file, &shown)
            }
            None if ask::is_somebody_there() => ask::new_secret("Value", None),
            None => Err(Failure::new(
                Exit::Usage,
                "value-missing",
                "no value is given, and nobody is there to ask",
                "give --from-file FILE, or `--from-file -` for standard input",
            )),
        }
    }
}

fn whole(from: impl Read, shown: &str) -> Result<Secret, Failure> {
    let mut bytes = Vec::new();
    from.take(LARGEST as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(shown, &error))?;
    if bytes.len() > LARGEST {
        return Err(Failure::new(
            Exit::Usage,
            "secret-too-large",
            format!("{shown} has more than {LARGEST} bytes"),
            "keep what is large elsewhere, encrypted, and its key here",
        ));
    }
    Ok(Secret::new(bytes))
}

fn unreadable(shown: &str, error: &io::Error) -> Failure {
    Failure::new(
        Exit::Usage,
        "file-unreadable",
        format!("{shown} cannot be read: {error}"),
        "give a file that holds the value and that you may read",
    )
}
