//! Statistics: what SQLite's ANALYZE finds in an index, by which the compiler chooses how tables are read.
//!
//! SQLite keeps them in `sqlite_stat1` (its file format, 2.6.3): for each index the number of rows, and for each of its
//! first columns how many rows share their values on average. `analysis_limit` bounds what is looked at, so an average
//! above it means no more than "at least so many". A new index is analyzed at once; afterwards statistics are renewed
//! when they are asked for, or with the indexes when the collection has outgrown them. A stranger's ANALYZE is not
//! noticed before the catalog is read again.

use super::conn::Conn;
use super::error::StoreError;
use super::schema::{CollectionInfo, quote};
use super::stmt::Bind;
use super::txn::WriteTxn;

/// How many rows of an index ANALYZE looks at: about a millisecond.
pub(crate) const ANALYZED_ROWS: u64 = 1_000;

/// How many times larger a collection may become before its statistics count as outgrown.
const OUTGROWN: u64 = 4;

/// What is known of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statistics {
    /// How many rows the index had, about.
    pub(crate) rows: u64,
    /// For each number of first columns, how many rows share their values on average.
    pub(crate) rows_per_value: Vec<u64>,
}

impl Statistics {
    /// Reads SQLite's form: numbers, behind which words may stand.
    pub(super) fn parse(stat: &str) -> Option<Self> {
        let mut numbers = stat.split(' ').map_while(|word| word.parse().ok());
        let rows = numbers.next()?;
        Some(Self { rows, rows_per_value: numbers.collect() })
    }
}

/// Returns whether ANALYZE has ever run in the file.
pub(super) fn are_kept(conn: &Conn) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'sqlite_stat1'";
    Ok(conn.first(SQL, &[], |row| row.int(0))?.is_some())
}

impl WriteTxn {
    /// Renews the statistics of a collection's indexes.
    pub(crate) fn analyze(&self, collection: &CollectionInfo) -> Result<(), StoreError> {
        self.batch(&format!("ANALYZE main.{}", quote(&collection.table)))?;
        // ANALYZE does not tell other connections: a table that comes and goes makes them prepare anew.
        self.batch("CREATE TABLE vellum_analyzed(at); DROP TABLE vellum_analyzed")?;
        self.schema_moved()?;
        Ok(())
    }

    /// Renews the statistics of a collection that has outgrown them, or has none.
    pub(crate) fn refresh_statistics(&self, collection: &CollectionInfo) -> Result<(), StoreError> {
        let collection = self.collection(&collection.name)?;
        // A partial index has fewer rows for ever.
        let whole = collection.indexes.iter().filter(|index| index.filter.is_none());
        let Some(known) = whole.map(|index| index.rows()).min() else { return Ok(()) };
        let most = i64::try_from(known.saturating_mul(OUTGROWN).max(ANALYZED_ROWS)).unwrap_or(i64::MAX);
        // Rows are counted only where the ids leave room for so many.
        let table = quote(&collection.table);
        let outgrown = format!(
            "SELECT CASE WHEN (SELECT max(id) FROM {table}) - (SELECT min(id) FROM {table}) >= ?1
             THEN (SELECT count(*) FROM {table}) > ?1 ELSE 0 END"
        );
        let outgrown = self.first(&outgrown, &[Bind::Int(most)], |row| row.int(0))? == Some(1);
        if outgrown { self.analyze(&collection) } else { Ok(()) }
    }
}
