//! The collections' tables: how one is made and named.

use std::sync::Arc;

use super::error::StoreError;
use super::index::IndexColumnSpec;
use super::schema::{CollectionInfo, quote};
use super::stmt::Bind;
use super::txn::WriteTxn;

/// The column of a key that stands in the document.
pub(super) const KEY_COLUMN: &str = "key";

/// The longest name of a collection.
const NAME_LIMIT_BYTES: usize = 255;

impl WriteTxn {
    /// Returns a collection, made when it is missing. `key` is where a text or uuid key stands in a document.
    ///
    /// # Errors
    /// `InvalidName`, and `TypeMismatch` when the collection has another kind of key.
    pub(crate) fn create_collection(
        &self,
        name: &str,
        key_kind: &str,
        key: Option<&IndexColumnSpec>,
    ) -> Result<Arc<CollectionInfo>, StoreError> {
        if name.is_empty() || name.len() > NAME_LIMIT_BYTES || name.contains('\0') {
            return Err(StoreError::InvalidName { name: name.into() });
        }
        if (key_kind == "integer") != key.is_none() {
            return Err(StoreError::internal("an integer key has no path, any other kind has one", name));
        }
        if let Some(collection) = self.schema()?.collections.get(name) {
            return match differing_key(collection, key_kind, key) {
                None => Ok(Arc::clone(collection)),
                Some(what) => Err(StoreError::TypeMismatch { collection: name.into(), what: what.into() }),
            };
        }
        const NEXT: &str = "SELECT coalesce(max(id), 0) + 1 FROM vellum_collection";
        let id = self.first(NEXT, &[], |row| row.int(0))?.unwrap_or(1);
        let table = if self.can_name_table(name)? { name.to_owned() } else { format!("vellum_c{id}") };
        let savepoint = self.savepoint()?;
        let table_sql = quote(&table);
        let check = quote(&format!("{table}.doc must be JSONB"));
        let key_sql = key.map_or_else(String::new, |key| {
            format!("{KEY_COLUMN} AS ({}) VIRTUAL NOT NULL UNIQUE, ", key.expr)
        });
        self.batch(&format!(
            "CREATE TABLE {table_sql}(id INTEGER PRIMARY KEY, {key_sql}\
             doc BLOB NOT NULL CONSTRAINT {check} CHECK(json_valid(doc,8)))"
        ))?;
        self.execute(
            "INSERT INTO vellum_collection(id, name, tbl, key_kind, next_id) VALUES (?1, ?2, ?3, ?4, 1)",
            &[Bind::Int(id), Bind::Text(name), Bind::Text(&table), Bind::Text(key_kind)],
        )?;
        if let Some(key) = key {
            self.note_column(id, key, KEY_COLUMN)?;
        }
        self.schema_moved()?;
        savepoint.release()?;
        self.collection(name)
    }

    /// Returns whether a table may bear a collection's name: a plain one, in nobody's way.
    fn can_name_table(&self, name: &str) -> Result<bool, StoreError> {
        const TAKEN: &str = "SELECT EXISTS(SELECT 1 FROM pragma_module_list WHERE name = ?1 COLLATE NOCASE)
            OR EXISTS(SELECT 1 FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE)";
        let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_'))
            && !["sqlite", "vellum", "json", "pragma"].iter().any(|reserved| name.starts_with(reserved));
        if !plain {
            return Ok(false);
        }
        let taken = self.first(TAKEN, &[Bind::Text(name)], |row| row.int(0))?;
        Ok(taken == Some(0))
    }

    /// Returns a collection as this transaction sees it.
    pub(super) fn collection(&self, name: &str) -> Result<Arc<CollectionInfo>, StoreError> {
        let found = self.schema()?.collections.get(name).map(Arc::clone);
        found.ok_or_else(|| StoreError::internal("the collection is not in the catalog", name))
    }
}

/// Says how the keys of a collection differ from what is asked for.
fn differing_key(collection: &CollectionInfo, kind: &str, key: Option<&IndexColumnSpec>) -> Option<String> {
    if collection.key_kind != kind {
        return Some(format!("its keys are {}, not {kind}", collection.key_kind));
    }
    let (own, asked) = (&collection.key()?.path, &key?.path);
    (own != asked).then(|| format!("its keys stand at {own}, not at {asked}"))
}
