//! YAML as it is written here: lists not indented, long strings on one line, what looks like something else quoted.

use serde::Serialize;

use crate::failure::{Exit, Failure};

pub fn to_string<T: Serialize>(value: &T) -> Result<String, Failure> {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    serde_saphyr::to_string_with_options(value, options).map_err(|error| {
        Failure::new(
            Exit::Failed,
            "yaml-unwritable",
            error.to_string(),
            "use -o json and report this",
        )
    })
}
