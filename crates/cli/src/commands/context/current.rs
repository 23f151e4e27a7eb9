//! `cloud context current`

use crate::{
    credentials::{self, LOCAL},
    failure::Failure,
    surroundings::print,
};

pub fn run() -> Result<(), Failure> {
    let current = credentials::read()?.current.unwrap_or_else(|| LOCAL.to_owned());
    print(&format!("{current}\n"))?;
    super::warn_of_environment();
    Ok(())
}
