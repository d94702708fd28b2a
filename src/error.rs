//! The umbrella error: what a call can fail with, by the layer that says so.

use std::io;
use std::path::Path;
use std::time::Duration;

use crate::codec::CodecError;
use crate::compile::CompileError;
use crate::fs::FsError;
use crate::store::StoreError;

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed. [`Error::kind`] gives a category to match on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The query or an argument was refused before anything ran.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The file could not be opened, read or written, or refused what was written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A value could not be stored, or what is stored could not be read as the type.
    #[error("{}: {source}", codec_place(collection, *id))]
    Codec {
        /// The collection.
        collection: String,
        /// The document's row id, where it is known.
        id: Option<i64>,
        /// What was wrong, with the path.
        source: CodecError,
    },
    /// Metadata of a file could not be stored, or what is stored could not be read as the type.
    #[error("the metadata of `{path}`: {source}")]
    Metadata {
        /// The path.
        path: String,
        /// What was wrong, with the path inside.
        source: CodecError,
    },
    /// The file system refused.
    #[error(transparent)]
    Fs(FsError),
    /// The query ran, and its rows were not as many as the terminal asks for.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The call cannot be made there.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// One item of a batch failed; nothing of the batch was stored.
    #[error("item {index} of the batch: {source}")]
    Item {
        /// The zero-based place of the item.
        index: u64,
        /// What was wrong with it.
        source: Box<Error>,
    },
}

impl From<FsError> for Error {
    fn from(error: FsError) -> Self {
        match error {
            FsError::Store(error) => Error::Store(error),
            error => Error::Fs(error),
        }
    }
}

fn codec_place(collection: &str, id: Option<i64>) -> String {
    match id {
        Some(id) => format!("document {id} of `{collection}`"),
        None => format!("a document of `{collection}`"),
    }
}

/// The rows were not as many as the terminal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// `single` found no row. `single_or_none` and `first` take that as an answer.
    #[error("the query found no row where one was asked for")]
    NoRow,
    /// `single` found several rows. `first` takes the first of many.
    #[error("the query found several rows where one was asked for")]
    ManyRows,
}

/// The call cannot be made on this target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// A write was asked of a snapshot. Write through the database or a transaction.
    #[error("a snapshot of `{}` cannot be written to: write through the database or a transaction", path.display())]
    Snapshot {
        /// The file.
        path: Box<Path>,
    },
    /// A compiled query was called on a target of another database. Compile it on that database.
    #[error(
        "the query was compiled on `{}` and cannot run on `{}`: compile it there",
        compiled_on.display(),
        called_on.display()
    )]
    OtherDatabase {
        /// The file of the query.
        compiled_on: Box<Path>,
        /// The file of the target.
        called_on: Box<Path>,
    },
    /// Another thread used the transaction or snapshot for the whole configured time: one at a time can. Drop the
    /// iterators that are done.
    #[error(
        "another thread used this transaction or snapshot of `{}` for {} ms: drop its iterators, or raise busy_timeout",
        path.display(),
        waited.as_millis()
    )]
    InUse {
        /// The file.
        path: Box<Path>,
        /// How long the call was ready to wait.
        waited: Duration,
    },
}

/// The category of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The query has a shape that cannot be run.
    InvalidQuery,
    /// The call went to the wrong database, transaction or snapshot.
    WrongTarget,
    /// No row where one was asked for.
    NoRow,
    /// Several rows where one was asked for.
    ManyRows,
    /// The file does not exist.
    NotFound,
    /// A document with that key exists.
    AlreadyExists,
    /// A unique index refused the document.
    Unique,
    /// A stored value has another type than the one asked for.
    TypeMismatch,
    /// An integer is outside what can be stored.
    OutOfRange,
    /// NaN or an infinity.
    NotFinite,
    /// Nested deeper than 1,000 levels.
    TooDeep,
    /// Larger than 256 MiB.
    TooLarge,
    /// A computed number does not fit its type.
    Overflow,
    /// Division by zero.
    DivisionByZero,
    /// What the call needs was not free within the busy timeout: the writer, a connection to read with, or a
    /// transaction or snapshot that threads share.
    Busy,
    /// What a handle was reading has changed.
    Changed,
    /// An import or export was stopped by its caller.
    Stopped,
    /// A plan or handle is out of date.
    Stale,
    /// The commit failed in a way that leaves open whether it took place.
    OutcomeUnknown,
    /// The disk or the file's page limit is full.
    Full,
    /// The file or the handle is read-only.
    ReadOnly,
    /// The file is not a database.
    NotADatabase,
    /// The file belongs to another application.
    OtherApplication,
    /// The file has a newer format.
    NewerFormat,
    /// The file is damaged, or a stored document is malformed.
    Corrupt,
    /// The operating system refused.
    Io,
    /// Who watched the call broke it off.
    Interrupted,
    /// A defect of this crate.
    Internal,
}

impl Error {
    /// Returns the category.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let failed = notes.filter(|n| n.folder.eq("attic")).single();
    /// assert_eq!(failed.unwrap_err().kind(), vellum::ErrorKind::NoRow);
    /// # Ok(())
    /// # }
    /// ```
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Compile(CompileError::OutOfRange { .. }) => ErrorKind::OutOfRange,
            Error::Compile(CompileError::NotFinite { .. }) => ErrorKind::NotFinite,
            Error::Compile(CompileError::OtherKey { .. }) => ErrorKind::TypeMismatch,
            Error::Compile(_) => ErrorKind::InvalidQuery,
            Error::Store(error) => store_kind(error),
            Error::Codec { source, .. } | Error::Metadata { source, .. } => codec_kind(source),
            Error::Fs(error) => fs_kind(error),
            Error::Target(TargetError::InUse { .. }) => ErrorKind::Busy,
            Error::Target(_) => ErrorKind::WrongTarget,
            Error::Query(QueryError::NoRow) => ErrorKind::NoRow,
            Error::Query(QueryError::ManyRows) => ErrorKind::ManyRows,
            Error::Item { source, .. } => source.kind(),
        }
    }
}

fn store_kind(error: &StoreError) -> ErrorKind {
    match error {
        StoreError::Busy { .. } | StoreError::NoReader { .. } => ErrorKind::Busy,
        StoreError::WrongTarget { .. } => ErrorKind::WrongTarget,
        StoreError::NotFound { .. } => ErrorKind::NotFound,
        StoreError::NotADatabase { .. } => ErrorKind::NotADatabase,
        StoreError::OtherApplication { .. } => ErrorKind::OtherApplication,
        StoreError::NewerFormat { .. } => ErrorKind::NewerFormat,
        StoreError::Corrupt { .. } => ErrorKind::Corrupt,
        StoreError::ReadOnly { .. } => ErrorKind::ReadOnly,
        StoreError::Full { .. } => ErrorKind::Full,
        StoreError::Io { .. } => ErrorKind::Io,
        StoreError::Interrupted { .. } => ErrorKind::Interrupted,
        StoreError::Unique { .. } => ErrorKind::Unique,
        StoreError::AlreadyExists { .. } => ErrorKind::AlreadyExists,
        StoreError::TypeMismatch { .. } | StoreError::StoredType { .. } => ErrorKind::TypeMismatch,
        StoreError::InvalidName { .. } => ErrorKind::InvalidQuery,
        StoreError::OutOfRange { .. } => ErrorKind::OutOfRange,
        StoreError::TooLarge { .. } => ErrorKind::TooLarge,
        StoreError::Overflow { .. } => ErrorKind::Overflow,
        StoreError::DivisionByZero { .. } => ErrorKind::DivisionByZero,
        StoreError::OutcomeUnknown { .. } => ErrorKind::OutcomeUnknown,
        StoreError::RolledBack { .. } | StoreError::MissingIndex { .. } => ErrorKind::Stale,
        StoreError::OldSqlite { .. } | StoreError::Internal { .. } => ErrorKind::Internal,
    }
}

fn fs_kind(error: &FsError) -> ErrorKind {
    match error {
        FsError::NotFound { .. } => ErrorKind::NotFound,
        FsError::AlreadyExists { .. } | FsError::NotEmpty { .. } => ErrorKind::AlreadyExists,
        FsError::NotADirectory { .. } | FsError::IsADirectory { .. } => ErrorKind::TypeMismatch,
        FsError::InvalidPath { .. }
        | FsError::InvalidPattern { .. }
        | FsError::Root { .. }
        | FsError::IntoItself { .. } => ErrorKind::InvalidQuery,
        FsError::InvalidPosition { .. } => ErrorKind::OutOfRange,
        FsError::Changed { .. } => ErrorKind::Changed,
        FsError::TooLong { .. } | FsError::NoMemory { .. } => ErrorKind::TooLarge,
        FsError::Source { .. } => ErrorKind::Io,
        FsError::Disk { source, .. } => disk_kind(source),
        FsError::Stopped { .. } => ErrorKind::Stopped,
        FsError::Damaged { .. } => ErrorKind::Corrupt,
        FsError::Exhausted { .. } => ErrorKind::Full,
        FsError::Store(error) => store_kind(error),
    }
}

fn disk_kind(error: &io::Error) -> ErrorKind {
    match error.kind() {
        io::ErrorKind::NotFound => ErrorKind::NotFound,
        io::ErrorKind::AlreadyExists => ErrorKind::AlreadyExists,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorKind::Full,
        _ => ErrorKind::Io,
    }
}

fn codec_kind(error: &CodecError) -> ErrorKind {
    match error {
        CodecError::OutOfRange { .. } => ErrorKind::OutOfRange,
        CodecError::NotFinite { .. } => ErrorKind::NotFinite,
        CodecError::TooDeep { .. } => ErrorKind::TooDeep,
        CodecError::TooLarge { .. } => ErrorKind::TooLarge,
        CodecError::Malformed { .. } => ErrorKind::Corrupt,
        CodecError::TypeMismatch { .. } | CodecError::Custom { .. } => ErrorKind::TypeMismatch,
    }
}
