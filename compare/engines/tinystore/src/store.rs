//! A folder of TinyStore with one database, and the durability that the runner names.

use std::path::{Path, PathBuf};

use serde_json::json;
use tinystore::sql::Database;
use tinystore::{Durability, Options, Store};
use vellum_compare_protocol::{Failure, Opened, Result};

/// An open folder.
pub(crate) struct Folder {
    dir: PathBuf,
    durability: Durability,
    schema: &'static str,
    /// Nothing after a failed attempt to open it again.
    open: Option<(Store, Database)>,
}

impl Folder {
    /// Opens the folder `dir`, or makes it, with a database of this schema.
    pub(crate) fn open(dir: &Path, durability: &str, schema: &'static str) -> Result<Self> {
        // TinyStore has no commits that may be lost with the process: this is its least.
        let durability = if durability == "off" { Durability::Os } else { Durability::Full };
        let mut folder = Self { dir: dir.to_owned(), durability, schema, open: None };
        folder.reopen()?;
        Ok(folder)
    }

    /// Returns the database.
    pub(crate) fn database(&self) -> Result<&Database> {
        let open = self.open.as_ref().map(|(_, database)| database);
        open.ok_or_else(|| Failure::Error("the folder could not be opened again".to_owned()))
    }

    /// Closes the folder and opens it again.
    pub(crate) fn reopen(&mut self) -> Result<()> {
        self.open = None;
        let options = Options { durability: Some(self.durability), keep_free: 0, ..Options::default() };
        let store = Store::open(&self.dir, options)?;
        let database = store.database("compare").migrations([("0001_schema.sql", self.schema)]).open()?;
        self.open = Some((store, database));
        Ok(())
    }

    /// Returns what a reader has to know.
    pub(crate) fn opened(&self) -> Opened {
        let settings = json!({
            "durability": self.durability.to_string(), "rows": "a column for each field",
            "SQLite": "built with the flags that TinyStore's README names",
        });
        let notes = vec!["rows of columns, not documents".to_owned()];
        Opened { settings: settings.as_object().cloned().unwrap_or_default(), notes }
    }
}
