//! Opening the database that a command names.

use std::path::Path;

use vellum::{Database, ErrorKind, Options};

use crate::error::{Error, Result};

/// Opens a database to look at.
pub(crate) fn open(path: &Path) -> Result<Database> {
    Options::new().read_only().open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::Missing { path: path.into() },
        _ => error.into(),
    })
}

/// Opens a database that is there, to change it.
pub(crate) fn open_writable(path: &Path) -> Result<Database> {
    // Whoever only opens it would make one.
    if !path.exists() {
        return Err(Error::Missing { path: path.into() });
    }
    Ok(Database::open(path)?)
}
