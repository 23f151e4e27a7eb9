//! What a thing is to be called: its name and, where its owner says so, its labels.

use std::str::FromStr;

use types::{Labels, Name, name::NameError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    pub name: Name,
    /// Not given: whatever they are, they stay.
    pub labels: Option<Labels>,
}

impl From<Name> for Called {
    fn from(name: Name) -> Self {
        Self { name, labels: None }
    }
}

impl FromStr for Called {
    type Err = NameError;

    fn from_str(name: &str) -> Result<Self, NameError> {
        name.parse().map(|name: Name| name.into())
    }
}

impl Called {
    /// Of something new.
    pub(super) fn first_labels(&self) -> Labels {
        self.labels.clone().unwrap_or_default()
    }

    /// Of something that has some: the new ones, if they differ.
    pub(super) fn new_labels(&self, current: &Labels) -> Option<Labels> {
        self.labels.clone().filter(|labels| labels != current)
    }
}
