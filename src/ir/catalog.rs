//! Collections and indexes as plain data, handed to the compiler.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ir::path::FieldPath;
use crate::ir::value::View;

/// The collection that stands for files and directories. No collection of a user can have its name.
pub(crate) const FILES: &str = "files\0";

/// What a database holds, at one schema epoch.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Catalog {
    /// Moves with every change of a collection or an index.
    pub(crate) epoch: i64,
    /// The collections by name.
    pub(crate) collections: HashMap<String, Arc<Collection>>,
}

/// A collection: one table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Collection {
    /// The collection's name.
    pub(crate) name: String,
    /// The table's name.
    pub(crate) table: String,
    /// The kind of its keys: those of one kind are the row ids.
    pub(crate) key_kind: String,
    /// Where its keys stand in the documents; none for row ids.
    pub(crate) key: Option<FieldPath>,
    /// The virtual columns.
    pub(crate) columns: Vec<Column>,
    /// The indexes that users declared.
    pub(crate) indexes: Vec<Index>,
    /// The narrow index: the row id and, behind it, these columns.
    pub(crate) narrow: Option<Narrow>,
}

/// A virtual column: the value at a path, as a view sees it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    /// The path.
    pub(crate) path: FieldPath,
    /// How it sees the path.
    pub(crate) view: View,
    /// The column's name.
    pub(crate) name: String,
    /// What it computes.
    pub(crate) expr: String,
    /// Whether that is what is stored, without a default.
    pub(crate) is_plain: bool,
}

/// A B-tree over virtual columns, with the row id behind them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Index {
    /// The index's name.
    pub(crate) name: String,
    /// The columns in order.
    pub(crate) columns: Vec<IndexColumn>,
    /// Whether equal values are refused.
    pub(crate) unique: bool,
    /// The conditions that hold for every document in it, as the emitter prints them; none for one that holds all.
    pub(crate) filter: Vec<String>,
    /// What is known of what it holds, if anything.
    pub(crate) statistics: Option<Statistics>,
}

/// What is known of an index.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statistics {
    /// How many rows it has, about.
    pub(crate) rows: f64,
    /// How many rows share the value of its first column, on average; never more than [`Statistics::LOOKED_AT`] by much,
    /// which then means at least.
    pub(crate) rows_per_value: f64,
}

impl Statistics {
    /// How many rows were looked at.
    pub(crate) const LOOKED_AT: f64 = 1_000.0;
}

impl Index {
    /// Returns whether the row id behind the columns descends.
    pub(crate) fn id_descends(&self) -> bool {
        !self.unique && self.columns.last().is_some_and(|column| column.descending)
    }
}

/// A column of an index.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IndexColumn {
    /// The virtual column's name.
    pub(crate) name: String,
    /// Whether larger values come first.
    pub(crate) descending: bool,
}

/// The narrow index.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Narrow {
    /// The index's name.
    pub(crate) name: String,
    /// The virtual columns behind the row id.
    pub(crate) columns: Vec<String>,
}

impl Collection {
    /// Returns the indexes that hold every document.
    pub(crate) fn whole_indexes(&self) -> impl Iterator<Item = &Index> {
        self.indexes.iter().filter(|index| index.filter.is_empty())
    }

    /// Returns the virtual column of a path and view.
    pub(crate) fn column(&self, path: &FieldPath, view: View) -> Option<&Column> {
        self.columns.iter().find(|column| column.view == view && column.path == *path)
    }
}
