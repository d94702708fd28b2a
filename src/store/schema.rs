//! Our own tables: what a new file holds, how one is recognised, and the catalog as plain data.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::{Value, json};

use super::collection::KEY_COLUMN;
use super::conn::Conn;
use super::error::StoreError;
use super::statistics::{self, Statistics};
use super::stmt::{Bind, Cell, Row};

/// The format that this version writes, `PRAGMA user_version`.
pub(super) const FORMAT: i32 = 1;

/// `VELL`, `PRAGMA application_id`.
pub(super) const APPLICATION_ID: i32 = 0x5645_4C4C;

/// A chunk of a file plus its row's header fills a page without overflow.
const CHUNK_OVERHEAD: i64 = 64;

/// Files and directories as documents, for queries.
pub(crate) const FILE_VIEW: &str = "vellum_file";

const TABLES: &str = "
CREATE TABLE vellum_meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE vellum_collection(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, tbl TEXT NOT NULL UNIQUE,
  key_kind TEXT NOT NULL, next_id INTEGER NOT NULL);
CREATE TABLE vellum_column(collection INTEGER NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
  expr TEXT NOT NULL, PRIMARY KEY(collection, path, kind));
CREATE TABLE vellum_index(collection INTEGER NOT NULL, name TEXT NOT NULL, definition TEXT NOT NULL,
  PRIMARY KEY(collection, name));
CREATE TABLE vellum_entry(id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, name TEXT NOT NULL, kind INTEGER NOT NULL,
  content INTEGER, length INTEGER NOT NULL, allocated INTEGER NOT NULL, version INTEGER NOT NULL,
  created INTEGER NOT NULL, modified INTEGER NOT NULL, hash BLOB,
  meta BLOB CHECK(meta IS NULL OR json_valid(meta,8)), UNIQUE(parent, name));
CREATE TABLE vellum_chunk(k INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE vellum_staged(content INTEGER PRIMARY KEY, owner TEXT NOT NULL, since INTEGER NOT NULL);
CREATE VIEW vellum_file(id, doc, path, name, kind, length, created, modified) AS
  SELECT id, jsonb_object('path', path, 'name', name, 'kind', kind, 'length', length, 'created', created,
      'modified', modified, 'meta', jsonb(meta)), path, name, kind, length, created, modified
  FROM (SELECT e.id, e.name, iif(e.kind = 0, 'Directory', 'File') AS kind, e.length, e.created, e.modified, e.meta,
      (WITH RECURSIVE up(parent, path) AS (
         SELECT e.parent, '/' || e.name
         UNION ALL
         SELECT p.parent, '/' || p.name || up.path FROM up CROSS JOIN vellum_entry p
         WHERE p.id = up.parent AND up.parent <> 1 LIMIT 2048)
       SELECT up.path FROM up WHERE up.parent = 1) AS path
    FROM vellum_entry e WHERE e.id <> 1);
INSERT INTO vellum_entry(id, parent, name, kind, length, allocated, version, created, modified)
  SELECT 1, 0, '', 0, 0, 0, 0, now, now FROM (SELECT unixepoch() * 1000000000 AS now);
INSERT INTO vellum_meta VALUES ('epoch', 0), ('next_content', 1);";

/// What an SQLite file turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Without any table, and nobody's yet.
    Empty,
    /// Of a format that we read.
    Ours,
}

/// Reads whose file this is, at one moment, and changes nothing.
pub(super) fn examine(conn: &Conn) -> Result<Found, StoreError> {
    const SQL: &str = "SELECT (SELECT application_id FROM pragma_application_id),
        (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)";
    let small = |int: i64| i32::try_from(int).unwrap_or(i32::MAX);
    let (application_id, found, tables) = conn
        .first(SQL, &[], |row| Ok((small(row.int(0)?), small(row.int(1)?), row.int(2)?)))?
        .ok_or_else(|| StoreError::internal("no row", SQL))?;
    let path = Arc::clone(conn.path());
    match (application_id, tables) {
        (0, 0) if found == 0 => Ok(Found::Empty),
        (APPLICATION_ID, _) if found > FORMAT => {
            Err(StoreError::NewerFormat { path, found, supported: FORMAT })
        }
        (APPLICATION_ID, _) if found == FORMAT && tables > 0 => Ok(Found::Ours),
        (APPLICATION_ID, _) => Err(StoreError::corrupt(&path, "the catalog is missing")),
        _ => Err(StoreError::OtherApplication { path, application_id }),
    }
}

/// Makes our tables, inside the caller's transaction.
pub(super) fn create(conn: &Conn) -> Result<(), StoreError> {
    conn.batch(TABLES)?;
    let page_len = conn.first("PRAGMA page_size", &[], |row| row.int(0))?.unwrap_or(0);
    let chunk_len = Bind::Int((page_len - CHUNK_OVERHEAD).max(1));
    conn.execute("INSERT INTO vellum_meta VALUES ('chunk_len', ?1)", &[chunk_len])?;
    conn.batch(&format!("PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={FORMAT}"))
}

/// The catalog at one epoch.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Schema {
    /// Moves with each change, also of another process.
    pub(crate) epoch: i64,
    pub(crate) collections: HashMap<String, Arc<CollectionInfo>>,
    /// The texts of the values that the conditions of partial indexes name.
    pub(crate) literals: BTreeSet<String>,
}

/// A collection and the table behind it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CollectionInfo {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) table: String,
    /// `integer`, `text` or `uuid`.
    pub(crate) key_kind: String,
    pub(crate) columns: Vec<ColumnInfo>,
    pub(crate) indexes: Vec<IndexInfo>,
}

/// A virtual column: one for each indexed path and kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ColumnInfo {
    /// The segments as a JSON array.
    pub(crate) path: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    /// What it computes from `doc`.
    pub(crate) expr: String,
}

/// An index over virtual columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IndexInfo {
    pub(crate) name: String,
    pub(crate) unique: bool,
    /// The index beside it in which two documents without a value collide, if they do.
    pub(crate) nulls: Option<String>,
    pub(crate) columns: Vec<IndexColumn>,
    /// Which documents it holds, if not all.
    pub(crate) filter: Option<IndexFilter>,
    /// Whether this is the narrow index, `table/*`, whose first column is the id.
    pub(crate) narrow: bool,
    /// What ANALYZE found, if it has looked.
    pub(crate) statistics: Option<Statistics>,
}

/// Which documents a partial index holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexFilter {
    /// SQL conditions over the table's columns, all of which hold.
    pub(crate) conditions: Vec<String>,
    /// The columns that they name.
    pub(crate) columns: Vec<String>,
    /// The texts of the values that they name.
    pub(crate) literals: Vec<String>,
}

/// A column of an index.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IndexColumn {
    pub(crate) column: String,
    pub(crate) path: String,
    pub(crate) kind: String,
    pub(crate) desc: bool,
}

impl CollectionInfo {
    /// Returns the narrow index, when there is one.
    pub(crate) fn narrow(&self) -> Option<&IndexInfo> {
        self.indexes.iter().find(|index| index.narrow)
    }

    /// Returns the column of a key that stands in the document.
    pub(crate) fn key(&self) -> Option<&ColumnInfo> {
        self.columns.iter().find(|column| column.name == KEY_COLUMN)
    }

    /// Returns the name of the index that SQLite keeps of such keys.
    pub(crate) fn key_index(&self) -> String {
        format!("sqlite_autoindex_{}_1", self.table)
    }

    /// Returns the column of a path and kind.
    pub(crate) fn column(&self, path: &str, kind: &str) -> Option<&ColumnInfo> {
        self.columns.iter().find(|column| column.path == path && column.kind == kind)
    }
}

impl Schema {
    pub(super) fn read_epoch(conn: &Conn) -> Result<i64, StoreError> {
        const SQL: &str = "SELECT value FROM vellum_meta WHERE key = 'epoch'";
        conn.first(SQL, &[], |row| row.int(0))?
            .ok_or_else(|| StoreError::corrupt(conn.path(), "vellum_meta has no epoch"))
    }

    /// Reads the catalog, inside a transaction of the caller.
    pub(super) fn load(conn: &Conn) -> Result<Self, StoreError> {
        let mut by_id: HashMap<i64, CollectionInfo> = HashMap::new();
        each(conn, "SELECT id, name, tbl, key_kind FROM vellum_collection", |row| {
            let info = CollectionInfo {
                id: row.int(0)?,
                name: row.text(1)?.into(),
                table: row.text(2)?.into(),
                key_kind: row.text(3)?.into(),
                columns: Vec::new(),
                indexes: Vec::new(),
            };
            by_id.insert(info.id, info);
            Ok(())
        })?;
        each(conn, "SELECT collection, path, kind, name, expr FROM vellum_column ORDER BY rowid", |row| {
            if let Some(info) = by_id.get_mut(&row.int(0)?) {
                let [path, kind, name, expr] =
                    [row.text(1)?, row.text(2)?, row.text(3)?, row.text(4)?].map(str::to_owned);
                info.columns.push(ColumnInfo { path, kind, name, expr });
            }
            Ok(())
        })?;
        each(conn, "SELECT collection, name, definition FROM vellum_index ORDER BY rowid", |row| {
            if let Some(info) = by_id.get_mut(&row.int(0)?) {
                let index = IndexInfo::parse(row.text(1)?, row.text(2)?, info).ok_or_else(|| {
                    StoreError::corrupt(conn.path(), "vellum_index has a definition of no index")
                })?;
                info.indexes.push(index);
            }
            Ok(())
        })?;
        if statistics::are_kept(conn)? {
            let mut indexes: HashMap<String, &mut IndexInfo> = HashMap::new();
            for index in by_id.values_mut().flat_map(|info| &mut info.indexes) {
                indexes.insert(index.name.clone(), index);
            }
            each(conn, "SELECT idx, stat FROM sqlite_stat1 WHERE idx IS NOT NULL", |row| {
                // Other programs can write into this table, too.
                if let (Cell::Text(name), Cell::Text(stat)) = (row.cell(0)?, row.cell(1)?)
                    && let Some(index) = indexes.get_mut(name)
                {
                    index.statistics = Statistics::parse(stat);
                }
                Ok(())
            })?;
        }
        let indexes = by_id.values().flat_map(|info| &info.indexes);
        let filters = indexes.filter_map(|index| index.filter.as_ref());
        let literals = filters.flat_map(|filter| filter.literals.iter().cloned()).collect();
        let collections = by_id.into_values().map(|info| (info.name.clone(), Arc::new(info))).collect();
        Ok(Self { epoch: Self::read_epoch(conn)?, collections, literals })
    }
}

impl IndexInfo {
    /// Returns the catalog's form: `{"unique":..,"narrow":..,"columns":[{"path":..,"kind":..,"desc":..},..]}`, and for
    /// a partial one `"filter":{"conditions":[..],"columns":[..],"literals":[..]}`, for one whose nulls collide `"nulls":".."`.
    pub(super) fn definition(&self) -> String {
        let columns: Vec<Value> = self
            .columns
            .iter()
            .map(|column| json!({ "path": column.path, "kind": column.kind, "desc": column.desc }))
            .collect();
        let mut definition = json!({ "unique": self.unique, "narrow": self.narrow, "columns": columns });
        if let (Some(filter), Some(object)) = (&self.filter, definition.as_object_mut()) {
            object.insert(
                "filter".into(),
                json!({
                    "conditions": filter.conditions, "columns": filter.columns, "literals": filter.literals
                }),
            );
        }
        if let (Some(nulls), Some(object)) = (&self.nulls, definition.as_object_mut()) {
            object.insert("nulls".into(), json!(nulls));
        }
        definition.to_string()
    }

    fn parse(name: &str, definition: &str, collection: &CollectionInfo) -> Option<Self> {
        let definition: Value = serde_json::from_str(definition).ok()?;
        let column = |item: &Value| {
            let column = collection.column(item.get("path")?.as_str()?, item.get("kind")?.as_str()?)?;
            Some(IndexColumn {
                column: column.name.clone(),
                path: column.path.clone(),
                kind: column.kind.clone(),
                desc: item.get("desc")?.as_bool()?,
            })
        };
        let texts = |value: &Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
        };
        let filter = match definition.get("filter") {
            None => None,
            Some(filter) => Some(IndexFilter {
                conditions: texts(filter.get("conditions")?)?,
                columns: texts(filter.get("columns")?)?,
                literals: filter.get("literals").map_or_else(|| Some(Vec::new()), texts)?,
            }),
        };
        Some(Self {
            name: name.into(),
            filter,
            unique: definition.get("unique")?.as_bool()?,
            nulls: definition.get("nulls").map(|nulls| nulls.as_str().map(str::to_owned)).unwrap_or_default(),
            narrow: definition.get("narrow")?.as_bool()?,
            columns: definition.get("columns")?.as_array()?.iter().map(column).collect::<Option<_>>()?,
            statistics: None,
        })
    }
}

pub(super) fn each(
    conn: &Conn,
    sql: &str,
    mut read: impl FnMut(&Row<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut stmt = conn.prepare(sql)?;
    while let Some(row) = stmt.step()? {
        read(&row)?;
    }
    Ok(())
}

/// Returns a name as an SQL identifier.
pub(super) fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
