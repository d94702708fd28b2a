//! A file of redb with the durability that the runner names.

use std::path::{Path, PathBuf};

use redb::{Database, Durability, ReadTransaction, ReadableDatabase, WriteTransaction};
use serde_json::json;
use vellum_compare_protocol::{Opened, Result};

/// An open file.
pub(crate) struct Store {
    path: PathBuf,
    database: Database,
    is_durable: bool,
}

impl Store {
    /// Opens the file at `path`, or makes it.
    pub(crate) fn open(path: &Path, durability: &str) -> Result<Self> {
        Ok(Self { path: path.to_owned(), database: Database::create(path)?, is_durable: durability != "off" })
    }

    /// Begins to read.
    pub(crate) fn read(&self) -> Result<ReadTransaction> {
        Ok(self.database.begin_read()?)
    }

    /// Does `work` in one transaction.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&WriteTransaction) -> Result<T>) -> Result<T> {
        let mut transaction = self.database.begin_write()?;
        transaction.set_durability(if self.is_durable { Durability::Immediate } else { Durability::None })?;
        let result = work(&transaction)?;
        transaction.commit()?;
        Ok(result)
    }

    /// Has redb check the file, which it then opens again.
    pub(crate) fn reopen(self) -> Result<Self> {
        let Self { path, database, is_durable } = self;
        drop(database);
        let mut database = Database::create(&path)?;
        database.check_integrity()?;
        Ok(Self { path, database, is_durable })
    }

    /// Returns what a reader has to know.
    pub(crate) fn opened(&self) -> Opened {
        let commit = if self.is_durable { "immediate" } else { "none" };
        let settings = json!({ "durability": commit, "documents": "JSON under their keys" });
        let notes =
            vec!["secondary indexes are multimap tables that the program writes and reads".to_owned()];
        Opened { settings: settings.as_object().cloned().unwrap_or_default(), notes }
    }
}
