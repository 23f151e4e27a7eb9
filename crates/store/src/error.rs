//! From SQLite's result codes to what the port speaks of. Inside the crate an error is either one the port knows or one
//! of SQLite's; the latter gets its place and operation at the boundary.

use std::path::Path;

use ports::store::StoreError;

#[derive(Debug)]
pub(crate) enum Trouble {
    Known(StoreError),
    Sql(sqlx::Error),
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Known(error)
    }
}

impl From<sqlx::Error> for Trouble {
    fn from(error: sqlx::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<sqlx::migrate::MigrateError> for Trouble {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        match error {
            sqlx::migrate::MigrateError::Execute(error) => Self::Sql(error),
            other => Self::Sql(sqlx::Error::Migrate(Box::new(other))),
        }
    }
}

/// SQLite's result codes that have a meaning of their own here; the low byte is the primary code.
const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const NOT_A_DATABASE: i32 = 26;
/// The shared index of the log could not grow: the file system has no room.
const NO_ROOM_FOR_INDEX: i32 = 4874;

impl Trouble {
    pub(crate) fn at(self, place: &Path, op: &'static str) -> StoreError {
        let error = match self {
            Self::Known(error) => return error,
            Self::Sql(error) => error,
        };
        if let sqlx::Error::ColumnDecode { index, source } = &error {
            return StoreError::Corrupt {
                place: format!("column {index} of a row"),
                detail: source.to_string(),
            };
        }
        match result_code(&error) {
            Some(FULL | NO_ROOM_FOR_INDEX) => StoreError::Full,
            Some(code) if matches!(code & 0xff, CORRUPT | NOT_A_DATABASE) => {
                let detail = error
                    .as_database_error()
                    .map(|e| e.message().to_owned())
                    .unwrap_or_default();
                StoreError::Corrupt {
                    place: place.display().to_string(),
                    detail,
                }
            }
            Some(_) | None => StoreError::Failed {
                op,
                source: Box::new(error),
            },
        }
    }

    pub(crate) fn is_unique_violation(error: &sqlx::Error) -> bool {
        error.as_database_error().is_some_and(|e| e.is_unique_violation())
    }
}

fn result_code(error: &sqlx::Error) -> Option<i32> {
    error.as_database_error()?.code()?.parse().ok()
}

/// What a row holds cannot be what we wrote.
pub(crate) fn damaged(row: String, detail: impl ToString) -> Trouble {
    StoreError::Corrupt {
        place: row,
        detail: detail.to_string(),
    }
    .into()
}

/// A number SQLite holds signed. Ours are counters and sizes that never come near the limit.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
