//! Lists by the page. A page begins after a key, not at a number of rows: what is made or removed meanwhile neither repeats
//! nor hides what stays.

use serde::{Deserialize, Serialize};

use crate::store::{Entity, StoreError, Versioned};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By name, and by id where names repeat. What has no name is not listed so.
    Name,
    /// As they were first written.
    Oldest,
    Newest,
}

/// Where something stands in an order, for going on after it. It stays where it is for as long as it lives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Mark {
    /// When it was first written.
    Number(u64),
    Name(String, String),
}

/// The part of a list that is asked for.
#[derive(Debug, Clone)]
pub struct Slice {
    pub order: Order,
    /// From the beginning when there is none. A mark of another order is the beginning, too.
    pub after: Option<Mark>,
    pub limit: u32,
}

/// A document on a page, its body still as it is stored: most of the cost of a list is in reading bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub id: String,
    pub version: u64,
    pub mark: Mark,
    pub body: String,
}

impl Row {
    pub fn read<T: Entity>(&self) -> Result<Versioned<T>, StoreError> {
        Ok(Versioned {
            version: self.version,
            value: read(&self.id, &self.body)?,
        })
    }
}

/// A body as stored, of the document with this id.
pub fn read<T: Entity>(id: &str, body: &str) -> Result<T, StoreError> {
    serde_json::from_str(body).map_err(|error| StoreError::Corrupt {
        place: format!("{} {id}", T::KIND),
        detail: error.to_string(),
    })
}

impl Slice {
    /// Of an order by name: the name and id to go on after, which are empty at the beginning.
    pub fn after_name(&self) -> (&str, &str) {
        match &self.after {
            Some(Mark::Name(name, id)) => (name, id),
            Some(Mark::Number(_)) | None => ("", ""),
        }
    }

    pub fn after_number(&self) -> Option<u64> {
        match &self.after {
            Some(Mark::Number(number)) => Some(*number),
            Some(Mark::Name(..)) | None => None,
        }
    }
}
