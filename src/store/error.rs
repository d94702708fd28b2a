//! What can go wrong in the store, and the one place where SQLite's result codes become typed errors.
//!
//! Functions of ours report through SQLite's error message: [`Reported`] prints a reserved prefix, and
//! [`from_sqlite`] reads it back.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::ffi;

/// What SQLite itself said: the source of most store errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqliteError {
    /// The extended result code.
    pub code: i32,
    /// SQLite's text.
    pub message: Box<str>,
}

impl fmt::Display for SqliteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sqlite {}: {}", self.code, self.message)
    }
}

impl Error for SqliteError {}

type Source = Box<dyn Error + Send + Sync>;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another writer, or a load, held the file for the whole configured time. Try again, or wait longer.
    #[error("`{}` stayed locked for {} ms: try again or raise busy_timeout", path.display(), waited.as_millis())]
    Busy {
        /// The file.
        path: Arc<Path>,
        /// How long the call was ready to wait.
        waited: Duration,
        /// What SQLite said, when the lock was SQLite's.
        source: Option<SqliteError>,
    },
    /// Every connection that reads was in use for the whole configured time. Drop iterators and snapshots that are done.
    #[error(
        "all {most} connections to `{}` stayed in use for {} ms: drop iterators and snapshots, or raise busy_timeout",
        path.display(),
        waited.as_millis()
    )]
    NoReader {
        /// The file.
        path: Arc<Path>,
        /// How long the call was ready to wait.
        waited: Duration,
        /// How many there are.
        most: usize,
    },
    /// The calling thread already works in an open transaction of this file. Write through that one.
    #[error("this thread has a transaction open on `{}`: use it, or end it first", path.display())]
    WrongTarget {
        /// The file.
        path: Arc<Path>,
    },
    /// A read-only open found no file.
    #[error("there is no file `{}`: open it without read_only to create it", path.display())]
    NotFound {
        /// The file.
        path: PathBuf,
    },
    /// The file is not an SQLite file.
    #[error("`{}` is not a database file", path.display())]
    NotADatabase {
        /// The file.
        path: Arc<Path>,
        /// What SQLite said.
        source: Option<SqliteError>,
    },
    /// The file is an SQLite database of another program.
    #[error("`{}` belongs to another application (id {application_id:#010x}): choose another file", path.display())]
    OtherApplication {
        /// The file.
        path: Arc<Path>,
        /// Its `application_id`.
        application_id: i32,
    },
    /// The file was written by a later version.
    #[error("`{}` has format {found}, this version reads up to {supported}: use a newer vellum", path.display())]
    NewerFormat {
        /// The file.
        path: Arc<Path>,
        /// The format of the file.
        found: i32,
        /// The newest format that this version reads.
        supported: i32,
    },
    /// The linked SQLite is older than what this version relies on.
    #[error("sqlite {found} is linked, {needed} or later is needed: build with the bundled one")]
    OldSqlite {
        /// The linked version number.
        found: i32,
        /// The least version number.
        needed: i32,
    },
    /// The file is damaged. Restore it from a copy.
    #[error("`{}` is damaged ({what}): restore it from a copy", path.display())]
    Corrupt {
        /// The file.
        path: Arc<Path>,
        /// Where the damage showed.
        what: Box<str>,
        /// What SQLite said.
        source: Option<SqliteError>,
    },
    /// The file, or its directory, cannot be written, or the handle is read-only.
    #[error("`{}` cannot be written: check its permissions and whether the handle is read_only", path.display())]
    ReadOnly {
        /// The file.
        path: Arc<Path>,
        /// What the system or SQLite said.
        source: Option<Source>,
    },
    /// The disk, or the size that the file may have, is full. Nothing of the failed call is kept.
    #[error("no space left for `{}`: free some and try again", path.display())]
    Full {
        /// The file.
        path: Arc<Path>,
        /// What SQLite said.
        source: SqliteError,
    },
    /// The system refused a read or a write.
    #[error("input or output failed on `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: Arc<Path>,
        /// What the system or SQLite said.
        source: Source,
    },
    /// A second document with a value that a unique index already holds.
    #[error("unique index `{index}` already holds this value")]
    Unique {
        /// The index.
        index: Box<str>,
        /// What SQLite said.
        source: Option<SqliteError>,
    },
    /// A document with that key is already there.
    #[error("`{table}` already has a document with this key{}", id.as_deref().map(|id| format!(", {id}")).unwrap_or_default())]
    AlreadyExists {
        /// The collection's table.
        table: Box<str>,
        /// The key, where the caller knows it.
        id: Option<Box<str>>,
        /// What SQLite said.
        source: Option<SqliteError>,
    },
    /// A collection has another kind of key, or a document lacks its key.
    #[error("collection `{collection}`: {what}")]
    TypeMismatch {
        /// The collection.
        collection: Box<str>,
        /// What does not fit.
        what: Box<str>,
    },
    /// An update met a stored value of another kind than it needs. Nothing was changed; repair the document.
    #[error("{what}: nothing was changed")]
    StoredType {
        /// The field, and what it is not.
        what: Box<str>,
    },
    /// A collection's name is empty, too long or holds NUL.
    #[error("`{}` cannot name a collection: use 1 to 255 bytes without NUL", name.escape_debug())]
    InvalidName {
        /// The name.
        name: Box<str>,
    },
    /// There is no integer id left above the largest one.
    #[error("collection `{collection}` has used the largest id: choose ids yourself")]
    OutOfRange {
        /// The collection.
        collection: Box<str>,
    },
    /// A document or text is above SQLite's limit.
    #[error("a value is too large for `{}`", path.display())]
    TooLarge {
        /// The file.
        path: Arc<Path>,
        /// What SQLite said.
        source: SqliteError,
    },
    /// A result lies outside its type.
    #[error("`{expr}` overflows its type")]
    Overflow {
        /// The expression, as it was written.
        expr: Box<str>,
    },
    /// A division or remainder by zero.
    #[error("`{expr}` divides by zero")]
    DivisionByZero {
        /// The expression, as it was written.
        expr: Box<str>,
    },
    /// A commit failed so that nobody knows whether it counts. Read before writing again.
    #[error("a commit to `{}` failed and its outcome is unknown: read before writing again", path.display())]
    OutcomeUnknown {
        /// The file.
        path: Arc<Path>,
        /// Why the commit failed.
        source: Box<StoreError>,
    },
    /// SQLite rolled the transaction back after an earlier error. Begin another one.
    #[error("the transaction on `{}` was rolled back by an earlier error: begin another one", path.display())]
    RolledBack {
        /// The file.
        path: Arc<Path>,
    },
    /// A statement names an index, column or table that is not there: the schema moved, plan again.
    #[error("`{name}` is not in the schema: it was dropped meanwhile, try again")]
    MissingIndex {
        /// The index, column or table.
        name: Box<str>,
        /// What SQLite said.
        source: SqliteError,
    },
    /// Who watched the build of an index broke it off. Nothing of it is left, and its transaction is over.
    #[error("the build of an index of `{}` was broken off: nothing of it is left", path.display())]
    Interrupted {
        /// The file.
        path: Arc<Path>,
        /// What SQLite said.
        source: SqliteError,
    },
    /// SQL of ours that SQLite refused: a defect of Vellum.
    #[error("internal error, please report it: {what} in `{sql}`")]
    Internal {
        /// What was wrong.
        what: Box<str>,
        /// The statement.
        sql: Box<str>,
        /// What SQLite said.
        source: Option<SqliteError>,
    },
}

impl StoreError {
    pub(super) fn internal(what: &str, sql: &str) -> Self {
        StoreError::Internal { what: what.into(), sql: sql.into(), source: None }
    }

    pub(super) fn io(path: &Path, error: std::io::Error) -> Self {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        match error.kind() {
            PermissionDenied | ReadOnlyFilesystem => {
                StoreError::ReadOnly { path: path.into(), source: Some(Box::new(error)) }
            }
            _ => StoreError::Io { path: path.into(), source: Box::new(error) },
        }
    }

    pub(super) fn corrupt(path: &Arc<Path>, what: &str) -> Self {
        StoreError::Corrupt { path: Arc::clone(path), what: what.into(), source: None }
    }

    pub(super) fn is_busy(&self) -> bool {
        matches!(self, StoreError::Busy { .. })
    }

    /// Returns whether a file could not be opened, or not be made. A read or a lock that failed is something else: it
    /// may go well the next time.
    pub(super) fn is_cannot_open(&self) -> bool {
        match self {
            StoreError::ReadOnly { .. } => true,
            StoreError::Io { source, .. } => source
                .downcast_ref::<SqliteError>()
                .is_some_and(|source| source.code & 0xff == ffi::SQLITE_CANTOPEN),
            _ => false,
        }
    }
}

/// Where an error happened.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    pub(super) path: &'a Arc<Path>,
    pub(super) sql: &'a str,
    pub(super) busy_timeout: Duration,
}

/// Returns the typed error of an extended result code and SQLite's text.
pub(super) fn from_sqlite(code: i32, message: &str, site: Site<'_>) -> StoreError {
    let source = SqliteError { code, message: message.into() };
    let path = Arc::clone(site.path);
    match code & 0xff {
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED | ffi::SQLITE_PROTOCOL => {
            StoreError::Busy { path, waited: site.busy_timeout, source: Some(source) }
        }
        ffi::SQLITE_FULL => StoreError::Full { path, source },
        ffi::SQLITE_READONLY | ffi::SQLITE_PERM => {
            StoreError::ReadOnly { path, source: Some(Box::new(source)) }
        }
        ffi::SQLITE_IOERR | ffi::SQLITE_CANTOPEN => StoreError::Io { path, source: Box::new(source) },
        ffi::SQLITE_NOTADB => StoreError::NotADatabase { path, source: Some(source) },
        ffi::SQLITE_CORRUPT => {
            StoreError::Corrupt { path, what: source.message.clone(), source: Some(source) }
        }
        ffi::SQLITE_TOOBIG => StoreError::TooLarge { path, source },
        ffi::SQLITE_INTERRUPT => StoreError::Interrupted { path, source },
        ffi::SQLITE_CONSTRAINT => from_constraint(source, site),
        ffi::SQLITE_ERROR => from_message(source, site),
        _ => internal(source, site),
    }
}

fn internal(source: SqliteError, site: Site<'_>) -> StoreError {
    StoreError::Internal { what: source.message.clone(), sql: site.sql.into(), source: Some(source) }
}

/// SQLite names the columns of a violated constraint: `UNIQUE constraint failed: events.a, events.b`.
fn from_constraint(source: SqliteError, site: Site<'_>) -> StoreError {
    let Some((_, columns)) = source.message.split_once("constraint failed: ") else {
        return internal(source, site);
    };
    let (table, column) = columns.split_once('.').unwrap_or((columns, ""));
    if let Some(index) = index_over_expressions(columns) {
        return StoreError::Unique { index: index.into(), source: Some(source) };
    }
    match source.code {
        ffi::SQLITE_CONSTRAINT_UNIQUE if column != "key" => {
            let own = format!("{table}.");
            let names: Vec<&str> =
                columns.split(", ").map(|name| name.strip_prefix(own.as_str()).unwrap_or(name)).collect();
            StoreError::Unique { index: index_name(table, &names).into(), source: Some(source) }
        }
        ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => {
            StoreError::AlreadyExists { table: table.into(), id: None, source: Some(source) }
        }
        ffi::SQLITE_CONSTRAINT_NOTNULL => StoreError::TypeMismatch {
            collection: table.into(),
            what: format!("the document has no `{column}`").into(),
        },
        _ => internal(source, site),
    }
}

/// Returns the index that SQLite names in the place of columns, since it is over expressions: `index 'events/a nulls'`.
pub(super) fn index_over_expressions(columns: &str) -> Option<String> {
    Some(columns.strip_prefix("index '")?.strip_suffix('\'')?.replace("''", "'"))
}

/// Returns the plain name of an index: the table, a slash and the columns.
pub(super) fn index_name(table: &str, columns: &[&str]) -> String {
    format!("{table}/{}", columns.join(","))
}

fn from_message(source: SqliteError, site: Site<'_>) -> StoreError {
    if let Some(reported) = Reported::parse(&source.message) {
        return match reported {
            Reported::Overflow { expr } => StoreError::Overflow { expr: expr.into() },
            Reported::DivisionByZero { expr } => StoreError::DivisionByZero { expr: expr.into() },
            Reported::TypeMismatch { message } => StoreError::StoredType { what: message.into() },
        };
    }
    // The CHECK on documents keeps these out, unless its program has switched checks off.
    if source.message.starts_with("malformed JSON") {
        let what = source.message.clone();
        return StoreError::Corrupt { path: Arc::clone(site.path), what, source: Some(source) };
    }
    for missing in ["no such index: ", "no such column: ", "no such table: "] {
        if let Some(name) = source.message.strip_prefix(missing) {
            return StoreError::MissingIndex { name: name.into(), source };
        }
    }
    if *source.message == *NO_SOLUTION {
        return StoreError::MissingIndex { name: "an index as it was".into(), source };
    }
    internal(source, site)
}

/// What SQLite says of an index that is named and cannot serve: under its name there is another one now.
const NO_SOLUTION: &str = "no query solution";

/// A typed error of one of our SQL functions on its way through SQLite's message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reported<'a> {
    Overflow { expr: &'a str },
    DivisionByZero { expr: &'a str },
    TypeMismatch { message: &'a str },
}

const OVERFLOW: &str = "vellum:overflow:";
const DIVISION_BY_ZERO: &str = "vellum:division-by-zero:";
const TYPE_MISMATCH: &str = "vellum:type-mismatch:";

impl Reported<'_> {
    fn parse(message: &str) -> Option<Reported<'_>> {
        message
            .strip_prefix(OVERFLOW)
            .map(|expr| Reported::Overflow { expr })
            .or_else(|| message.strip_prefix(DIVISION_BY_ZERO).map(|expr| Reported::DivisionByZero { expr }))
            .or_else(|| message.strip_prefix(TYPE_MISMATCH).map(|message| Reported::TypeMismatch { message }))
    }

    /// Returns the error for SQLite. A message ends at NUL, so NUL is printed as its symbol.
    pub(super) fn into_error(self) -> rusqlite::Error {
        let (prefix, expr) = match self {
            Reported::Overflow { expr } => (OVERFLOW, expr),
            Reported::DivisionByZero { expr } => (DIVISION_BY_ZERO, expr),
            Reported::TypeMismatch { message } => (TYPE_MISMATCH, message),
        };
        rusqlite::Error::UserFunctionError(format!("{prefix}{}", expr.replace('\0', "\\0")).into())
    }
}

/// Returns the typed error of an error of rusqlite, which opens connections and sets pragmas for us.
pub(super) fn from_rusqlite(error: &rusqlite::Error, site: Site<'_>) -> StoreError {
    match error {
        rusqlite::Error::SqliteFailure(failure, message) => {
            let text = message.clone().unwrap_or_else(|| failure.to_string());
            from_sqlite(failure.extended_code, &text, site)
        }
        rusqlite::Error::SqlInputError { error, msg, .. } => from_sqlite(error.extended_code, msg, site),
        other => StoreError::internal(&other.to_string(), site.sql),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: i32, message: &str) -> StoreError {
        let path: Arc<Path> = Path::new("app.db").into();
        from_sqlite(
            code,
            message,
            Site { path: &path, sql: "SELECT 1", busy_timeout: Duration::from_secs(5) },
        )
    }

    #[test]
    fn every_code_has_its_error() {
        assert!(matches!(of(ffi::SQLITE_BUSY_SNAPSHOT, ""), StoreError::Busy { .. }));
        assert!(matches!(of(ffi::SQLITE_FULL, ""), StoreError::Full { .. }));
        assert!(matches!(of(ffi::SQLITE_READONLY_DBMOVED, ""), StoreError::ReadOnly { .. }));
        assert!(matches!(of(ffi::SQLITE_IOERR_FSYNC, ""), StoreError::Io { .. }));
        assert!(matches!(of(ffi::SQLITE_CORRUPT_INDEX, ""), StoreError::Corrupt { .. }));
        assert!(matches!(of(ffi::SQLITE_NOTADB, ""), StoreError::NotADatabase { .. }));
        assert!(matches!(of(ffi::SQLITE_TOOBIG, ""), StoreError::TooLarge { .. }));
        assert!(matches!(of(ffi::SQLITE_ERROR, "syntax error"), StoreError::Internal { .. }));
        let unique = of(ffi::SQLITE_CONSTRAINT_UNIQUE, "UNIQUE constraint failed: t.a.b, t.c");
        assert!(matches!(unique, StoreError::Unique { index, .. } if &*index == "t/a.b,c"));
        let key = of(ffi::SQLITE_CONSTRAINT_PRIMARYKEY, "UNIQUE constraint failed: t.id");
        assert!(matches!(key, StoreError::AlreadyExists { table, .. } if &*table == "t"));
    }

    #[test]
    fn a_message_is_one_line_and_its_source_is_sqlites() {
        let error = of(ffi::SQLITE_BUSY, "database is locked");
        assert_eq!(error.to_string(), "`app.db` stayed locked for 5000 ms: try again or raise busy_timeout");
        let source = error.source().map(ToString::to_string);
        assert_eq!(source.as_deref(), Some("sqlite 5: database is locked"));
    }

    #[test]
    fn a_result_stays_small() {
        assert!(size_of::<Result<(), StoreError>>() <= 64, "{}", size_of::<StoreError>());
    }
}
