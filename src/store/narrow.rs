//! The narrow index, `table/*` on `(id, members..)`: any predicate over its members without touching a document.
//!
//! It exists from two indexed fields on. Numbers and bools are members always; a text is one while its mean length is
//! small, which is known from the first documents, so that texts of a small collection wait. It is made again only
//! when its list of members changes.

use super::error::StoreError;
use super::index::NARROW;
use super::schema::{CollectionInfo, ColumnInfo, IndexColumn, IndexInfo, quote};
use super::txn::WriteTxn;

/// How many documents show how long a text is.
const SAMPLE_LEN: i64 = 1000;

/// The greatest mean length of a text that is a member.
const TEXT_LIMIT_BYTES: i64 = 64;

/// The least number of indexed fields, and of members.
const LEAST_MEMBERS: usize = 2;

impl WriteTxn {
    /// Brings the narrow index up to its members; returns whether it changed.
    pub(crate) fn refresh_narrow(&self, collection: &CollectionInfo) -> Result<bool, StoreError> {
        let collection = self.collection(&collection.name)?;
        let members = self.narrow_members(&collection)?;
        let old = collection.narrow();
        if old.map_or(&[][..], |narrow| &narrow.columns) == members {
            return Ok(false);
        }
        let savepoint = self.savepoint()?;
        if let Some(narrow) = old {
            self.remove_index(&collection, &narrow.name)?;
        }
        if !members.is_empty() {
            let name = format!("{}/{NARROW}", collection.table);
            self.create_index(
                &collection,
                &IndexInfo {
                    name,
                    unique: false,
                    nulls: None,
                    columns: members,
                    filter: None,
                    narrow: true,
                    statistics: None,
                },
            )?;
        }
        self.drop_unneeded_columns(&collection.name)?;
        savepoint.release()?;
        Ok(true)
    }

    fn narrow_members(&self, collection: &CollectionInfo) -> Result<Vec<IndexColumn>, StoreError> {
        let is_indexed = |column: &&ColumnInfo| {
            collection.indexes.iter().any(|index| !index.narrow && index.holds(&column.name))
        };
        let indexed: Vec<&ColumnInfo> = collection.columns.iter().filter(is_indexed).collect();
        if indexed.len() < LEAST_MEMBERS {
            return Ok(Vec::new());
        }
        let table = quote(&collection.table);
        let counted = format!("SELECT count(*) FROM (SELECT 1 FROM {table} LIMIT {SAMPLE_LEN})");
        let is_small = self.first(&counted, &[], |row| row.int(0))? < Some(SAMPLE_LEN);
        let mut members = Vec::new();
        for column in indexed {
            let joins = match column.kind.as_str() {
                "number" | "bool" | "only number" | "only bool" => true,
                _ if is_small => collection.narrow().is_some_and(|narrow| narrow.holds(&column.name)),
                _ => self.is_short(&table, column)?,
            };
            if joins {
                members.push(IndexColumn {
                    column: column.name.clone(),
                    path: column.path.clone(),
                    kind: column.kind.clone(),
                    desc: false,
                });
            }
        }
        if members.len() < LEAST_MEMBERS {
            members.clear();
        }
        Ok(members)
    }

    fn is_short(&self, table: &str, column: &ColumnInfo) -> Result<bool, StoreError> {
        let name = quote(&column.name);
        // As a blob: the length of a text would end at U+0000.
        let short = format!(
            "SELECT coalesce(avg(length(CAST(v AS BLOB))), 0) <= {TEXT_LIMIT_BYTES}
             FROM (SELECT {name} AS v FROM {table} ORDER BY id LIMIT {SAMPLE_LEN})"
        );
        Ok(self.first(&short, &[], |row| row.int(0))? == Some(1))
    }
}
