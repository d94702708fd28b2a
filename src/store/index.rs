//! Indexes: virtual columns over the documents, B-trees over the columns, catalog rows for both.
//!
//! A column is named by its path's segments joined with `.`, an index by `table/` and its columns joined with `,`,
//! a descending one followed by ` desc`. A name that SQLite would take for another, that cannot be written, or that
//! is ours becomes `cN`. An index whose last column descends stores the id descending behind it, so that the order
//! of a page and of its ties is the index's own; a unique one cannot, or it would not be unique. A partial index has
//! ` where ` and the columns of its conditions behind its name.
//!
//! SQLite takes two nulls for different. Where they are to collide, a second unique index, named by the first and
//! ` nulls`, holds the documents that lack a value, with an empty blob in the place of null, which no column computes.
//! The two are one index: made, dropped and reported together.

use super::collection::KEY_COLUMN;
use super::error::StoreError;
use super::schema::{CollectionInfo, ColumnInfo, IndexColumn, IndexFilter, IndexInfo, each, quote};
use super::stmt::Bind;
use super::txn::WriteTxn;

/// An index as a caller wants it.
#[derive(Clone, Debug)]
pub(crate) struct IndexSpec {
    pub(crate) columns: Vec<IndexColumnSpec>,
    pub(crate) unique: bool,
    /// Whether a unique one takes two documents without a value for equal.
    pub(crate) nulls_collide: bool,
    /// Which documents it holds, if not all.
    pub(crate) filter: Option<IndexFilter>,
}

/// A column of an index as a caller wants it.
#[derive(Clone, Debug)]
pub(crate) struct IndexColumnSpec {
    /// The segments as a JSON array.
    pub(crate) path: String,
    /// The segments joined with `.`, from which the column is named.
    pub(crate) label: String,
    pub(crate) kind: &'static str,
    /// What the column computes from `doc`.
    pub(crate) expr: String,
    pub(crate) desc: bool,
}

/// What became of a wish for an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IndexOutcome {
    Created {
        name: String,
    },
    /// It is there already.
    Unchanged {
        name: String,
    },
    /// It was there, over columns that computed something else.
    Rebuilt {
        name: String,
    },
    /// One with the same columns is there that is unique where this one is not, or the other way round; or that takes
    /// nulls otherwise.
    Differs {
        name: String,
    },
}

/// The narrow index's own name behind `table/`.
pub(super) const NARROW: &str = "*";

/// Our own columns, and what SQLite lets no added column be called.
const RESERVED: [&str; 6] = ["id", "key", "doc", "rowid", "oid", "_rowid_"];

impl WriteTxn {
    /// Forgets the indexes and columns that another program dropped without the catalog; returns whether there were any.
    pub(crate) fn forget_dropped(&self) -> Result<bool, StoreError> {
        const HALVES: &str = "SELECT name, definition ->> 'nulls' FROM vellum_index WHERE 1 =
            (SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name IN (vellum_index.name, definition ->> 'nulls'))
            AND definition ->> 'nulls' IS NOT NULL";
        const INDEXES: &str = "DELETE FROM vellum_index WHERE name NOT IN (SELECT name FROM sqlite_schema WHERE type = 'index')";
        const COLUMNS: &str =
            "DELETE FROM vellum_column WHERE NOT EXISTS (SELECT 1 FROM vellum_collection AS c
            CROSS JOIN pragma_table_xinfo(c.tbl) AS x
            WHERE c.id = vellum_column.collection AND x.name = vellum_column.name)";
        let mut halves = Vec::new();
        each(self, HALVES, |row| {
            halves.extend([row.text(0)?.to_owned(), row.text(1)?.to_owned()]);
            Ok(())
        })?;
        for name in &halves {
            self.batch(&format!("DROP INDEX IF EXISTS {}", quote(name)))?;
        }
        let forgotten = self.execute(INDEXES, &[])? + self.execute(COLUMNS, &[])?;
        if forgotten > 0 {
            self.schema_moved()?;
        }
        Ok(forgotten > 0)
    }

    /// Makes an index, with the columns that it lacks. A column whose definition has changed, as by another default of its
    /// field, is made anew, and with it every index that holds it; nothing else that is there is dropped.
    ///
    /// # Errors
    /// `Unique` when documents already hold a value twice; then nothing changed.
    pub(crate) fn ensure_index(
        &self,
        collection: &CollectionInfo,
        spec: &IndexSpec,
    ) -> Result<IndexOutcome, StoreError> {
        let collection = self.collection(&collection.name)?;
        if let Some(outcome) = spec.outcome_in(&collection) {
            return Ok(outcome);
        }
        let savepoint = self.savepoint()?;
        if let Some(name) = self.rebuild(&collection, spec)? {
            savepoint.release()?;
            return Ok(IndexOutcome::Rebuilt { name });
        }
        let mut columns = Vec::with_capacity(spec.columns.len());
        for column in &spec.columns {
            columns.push(IndexColumn {
                column: self.ensure_column(&collection.name, column)?,
                path: column.path.clone(),
                kind: column.kind.into(),
                desc: column.desc,
            });
        }
        let name = self.name_index(&collection.table, &columns, spec.filter.as_ref())?;
        let nulls = spec.nulls_collide.then(|| self.name_of_nulls(&collection.table, &name)).transpose()?;
        let index = IndexInfo {
            name: name.clone(),
            unique: spec.unique,
            nulls,
            columns,
            filter: spec.filter.clone(),
            narrow: false,
            statistics: None,
        };
        self.create_index(&collection, &index)?;
        savepoint.release()?;
        Ok(IndexOutcome::Created { name })
    }

    /// Makes the columns anew that compute something else than they should, and the indexes that hold them; returns the
    /// name of the wanted index if it was there.
    fn rebuild(&self, collection: &CollectionInfo, spec: &IndexSpec) -> Result<Option<String>, StoreError> {
        let stale: Vec<&IndexColumnSpec> =
            spec.columns.iter().filter(|column| column.is_stale_in(collection)).collect();
        let is_held = |index: &&IndexInfo| {
            let holds = |column: &&IndexColumnSpec| {
                collection.column(&column.path, column.kind).is_some_and(|own| index.holds(&own.name))
            };
            !index.narrow && stale.iter().any(holds)
        };
        let mut held: Vec<IndexInfo> = collection.indexes.iter().filter(is_held).cloned().collect();
        for index in &held {
            self.remove_index(collection, &index.name)?;
        }
        for column in &stale {
            let name = self.ensure_column(&collection.name, column)?;
            let own = held.iter_mut().flat_map(|index| &mut index.columns);
            own.filter(|own| own.path == column.path && own.kind == column.kind)
                .for_each(|own| own.column.clone_from(&name));
        }
        for index in &held {
            self.create_index(collection, index)?;
        }
        Ok(held.iter().find(|index| spec.has_columns_of(index)).map(|index| index.name.clone()))
    }

    /// Drops an index and the columns that nothing needs any more; returns whether it was there.
    pub(crate) fn drop_index(&self, collection: &CollectionInfo, name: &str) -> Result<bool, StoreError> {
        let collection = self.collection(&collection.name)?;
        if !collection.indexes.iter().any(|index| index.name == name && !index.narrow) {
            return Ok(false);
        }
        let savepoint = self.savepoint()?;
        self.remove_index(&collection, name)?;
        self.drop_unneeded_columns(&collection.name)?;
        savepoint.release()?;
        Ok(true)
    }

    pub(super) fn create_index(
        &self,
        collection: &CollectionInfo,
        index: &IndexInfo,
    ) -> Result<(), StoreError> {
        let mut columns: Vec<String> = Vec::new();
        if index.narrow {
            columns.push("id".into());
        }
        columns.extend(index.columns.iter().map(|column| {
            let direction = if column.desc { " DESC" } else { "" };
            format!("{}{direction}", quote(&column.column))
        }));
        if !index.unique && index.columns.last().is_some_and(|last| last.desc) {
            columns.push("id DESC".into());
        }
        let unique = if index.unique { "UNIQUE " } else { "" };
        let (name, table) = (quote(&index.name), quote(&collection.table));
        let columns = columns.join(", ");
        let filter = index.holds_where(None);
        let mut statements = vec![format!("CREATE {unique}INDEX {name} ON {table}({columns}){filter}")];
        if let Some(nulls) = &index.nulls {
            let values =
                index.columns.iter().map(|column| format!("coalesce({}, x'')", quote(&column.column)));
            let (values, nulls) = (values.collect::<Vec<_>>().join(", "), quote(nulls));
            let lacks = index.columns.iter().map(|column| format!("{} IS NULL", quote(&column.column)));
            let filter = index.holds_where(Some(lacks.collect::<Vec<_>>().join(" OR ")));
            statements.push(format!("CREATE UNIQUE INDEX {nulls} ON {table}({values}){filter}"));
        }
        self.expect_steps(&collection.table, &statements)?;
        let made = statements.iter().try_for_each(|statement| self.batch(statement));
        made.map_err(|error| match error {
            StoreError::Unique { source, .. } => {
                StoreError::Unique { index: index.name.as_str().into(), source }
            }
            other => other,
        })?;
        self.batch(&format!("ANALYZE main.{name}"))?;
        self.execute(
            "INSERT INTO vellum_index(collection, name, definition) VALUES (?1, ?2, ?3)",
            &[Bind::Int(collection.id), Bind::Text(&index.name), Bind::Text(&index.definition())],
        )?;
        self.schema_moved()?;
        Ok(())
    }

    pub(super) fn remove_index(&self, collection: &CollectionInfo, name: &str) -> Result<(), StoreError> {
        let index = collection.indexes.iter().find(|index| index.name == name);
        // Another program may have dropped the index without the catalog.
        for name in [Some(name), index.and_then(|index| index.nulls.as_deref())].into_iter().flatten() {
            self.batch(&format!("DROP INDEX IF EXISTS {}", quote(name)))?;
        }
        self.execute(
            "DELETE FROM vellum_index WHERE collection = ?1 AND name = ?2",
            &[Bind::Int(collection.id), Bind::Text(name)],
        )?;
        self.schema_moved()?;
        Ok(())
    }

    /// Drops the columns that no index holds.
    pub(super) fn drop_unneeded_columns(&self, collection: &str) -> Result<(), StoreError> {
        let collection = self.collection(collection)?;
        let held = |column: &&ColumnInfo| {
            column.name == KEY_COLUMN || collection.indexes.iter().any(|index| index.holds(&column.name))
        };
        for column in collection.columns.iter().filter(|column| !held(column)) {
            self.drop_column(&collection, column)?;
        }
        Ok(())
    }

    fn drop_column(&self, collection: &CollectionInfo, column: &ColumnInfo) -> Result<(), StoreError> {
        let (table, name) = (quote(&collection.table), quote(&column.name));
        self.batch(&format!("ALTER TABLE {table} DROP COLUMN {name}"))?;
        self.execute(
            "DELETE FROM vellum_column WHERE collection = ?1 AND name = ?2",
            &[Bind::Int(collection.id), Bind::Text(&column.name)],
        )?;
        self.schema_moved()?;
        Ok(())
    }

    /// Makes the columns that a condition names, where they are missing.
    ///
    /// # Errors
    /// The store's own.
    pub(crate) fn ensure_columns(
        &self,
        collection: &CollectionInfo,
        columns: &[IndexColumnSpec],
    ) -> Result<(), StoreError> {
        let savepoint = self.savepoint()?;
        let spec = IndexSpec { columns: columns.to_vec(), unique: false, nulls_collide: false, filter: None };
        self.rebuild(&*self.collection(&collection.name)?, &spec)?;
        for column in columns {
            self.ensure_column(&collection.name, column)?;
        }
        savepoint.release()
    }

    /// Returns the name of the column that computes what the index wants, made when it is missing.
    fn ensure_column(&self, collection: &str, wanted: &IndexColumnSpec) -> Result<String, StoreError> {
        let collection = self.collection(collection)?;
        if let Some(column) = collection.column(&wanted.path, wanted.kind) {
            if column.expr == wanted.expr {
                return Ok(column.name.clone());
            }
            // The default has changed, and only the narrow index still holds the old one.
            if let Some(narrow) = collection.narrow() {
                self.remove_index(&collection, &narrow.name)?;
            }
            self.drop_column(&collection, column)?;
        }
        let name = self.name_column(&collection.table, &wanted.label)?;
        let (table, column, expr) = (quote(&collection.table), quote(&name), &wanted.expr);
        self.batch(&format!("ALTER TABLE {table} ADD COLUMN {column} AS ({expr}) VIRTUAL"))?;
        self.note_column(collection.id, wanted, &name)?;
        self.schema_moved()?;
        Ok(name)
    }

    /// Writes a column into the catalog.
    pub(super) fn note_column(
        &self,
        collection: i64,
        column: &IndexColumnSpec,
        name: &str,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO vellum_column(collection, path, kind, name, expr) VALUES (?1, ?2, ?3, ?4, ?5)",
            &[
                Bind::Int(collection),
                Bind::Text(&column.path),
                Bind::Text(column.kind),
                Bind::Text(name),
                Bind::Text(&column.expr),
            ],
        )?;
        Ok(())
    }

    fn name_column(&self, table: &str, label: &str) -> Result<String, StoreError> {
        const TAKEN: &str =
            "SELECT EXISTS(SELECT 1 FROM pragma_table_xinfo(?1) WHERE name = ?2 COLLATE NOCASE)";
        let is_free = |name: &str| {
            Ok(self.first(TAKEN, &[Bind::Text(table), Bind::Text(name)], |row| row.int(0))? == Some(0))
        };
        let is_reserved = RESERVED.iter().any(|reserved| label.eq_ignore_ascii_case(reserved));
        if !label.is_empty() && !label.contains('\0') && !is_reserved && is_free(label)? {
            return Ok(label.into());
        }
        numbered("", is_free)
    }

    fn name_index(
        &self,
        table: &str,
        columns: &[IndexColumn],
        filter: Option<&IndexFilter>,
    ) -> Result<String, StoreError> {
        let columns: Vec<String> = columns
            .iter()
            .map(|column| if column.desc { format!("{} desc", column.column) } else { column.column.clone() })
            .collect();
        let mut columns = columns.join(",");
        if let Some(filter) = filter {
            columns.push_str(&format!(" where {}", filter.columns.join(",")));
        }
        let name = format!("{table}/{columns}");
        if columns != NARROW && self.is_free(&name)? {
            return Ok(name);
        }
        numbered(&format!("{table}/"), |name| self.is_free(name))
    }

    /// Returns the name of the index that holds the documents without a value for the index `name`.
    fn name_of_nulls(&self, table: &str, name: &str) -> Result<String, StoreError> {
        let nulls = format!("{name} nulls");
        if self.is_free(&nulls)? {
            return Ok(nulls);
        }
        numbered(&format!("{table}/"), |other| Ok(other != name && self.is_free(other)?))
    }

    /// Returns whether nothing in the file has this name.
    fn is_free(&self, name: &str) -> Result<bool, StoreError> {
        const TAKEN: &str = "SELECT EXISTS(SELECT 1 FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE)";
        Ok(self.first(TAKEN, &[Bind::Text(name)], |row| row.int(0))? == Some(0))
    }
}

impl IndexInfo {
    /// Returns how many rows the index had when it was analyzed, 0 when it was not.
    pub(super) fn rows(&self) -> u64 {
        self.statistics.as_ref().map_or(0, |statistics| statistics.rows)
    }

    /// Returns the clause for the documents of the index for which a further condition holds; nothing for all.
    fn holds_where(&self, further: Option<String>) -> String {
        let own = self.filter.iter().flat_map(|filter| &filter.conditions);
        let conditions: Vec<String> = own.chain(&further).map(|condition| format!("({condition})")).collect();
        if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) }
    }

    /// Returns whether a column is one of this index's.
    pub(crate) fn holds(&self, column: &str) -> bool {
        let is_asked = |filter: &IndexFilter| filter.columns.iter().any(|own| own == column);
        self.columns.iter().any(|own| own.column == column) || self.filter.as_ref().is_some_and(is_asked)
    }
}

impl IndexSpec {
    /// Returns what becomes of the wish where nothing has to be made for it.
    pub(crate) fn outcome_in(&self, collection: &CollectionInfo) -> Option<IndexOutcome> {
        let index = collection.indexes.iter().find(|index| self.has_columns_of(index))?;
        let name = index.name.clone();
        if (index.unique, index.nulls.is_some()) != (self.unique, self.nulls_collide) {
            return Some(IndexOutcome::Differs { name });
        }
        let is_stale = self.columns.iter().any(|column| column.is_stale_in(collection));
        (!is_stale).then_some(IndexOutcome::Unchanged { name })
    }

    fn has_columns_of(&self, index: &IndexInfo) -> bool {
        !index.narrow
            && self.filter == index.filter
            && self.columns.len() == index.columns.len()
            && self.columns.iter().zip(&index.columns).all(|(wanted, own)| {
                wanted.path == own.path && wanted.kind == own.kind && wanted.desc == own.desc
            })
    }
}

impl IndexColumnSpec {
    /// Returns whether the collection has a column of the same path and kind that computes something else.
    fn is_stale_in(&self, collection: &CollectionInfo) -> bool {
        collection.column(&self.path, self.kind).is_some_and(|column| column.expr != self.expr)
    }
}

/// Returns the first free name of `c1`, `c2` and so on, behind a prefix.
fn numbered(prefix: &str, is_free: impl Fn(&str) -> Result<bool, StoreError>) -> Result<String, StoreError> {
    let mut number = 1_u32;
    loop {
        let name = format!("{prefix}c{number}");
        if is_free(&name)? {
            return Ok(name);
        }
        number += 1;
    }
}
