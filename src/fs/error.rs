//! What can go wrong with files.

use std::io;
use std::path::Path;

use crate::store::StoreError;

/// An error of the file system.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FsError {
    /// There is nothing with that path. `create`, `write` and `open_or_create` make a file.
    #[error("`{path}` does not exist")]
    NotFound {
        /// The path.
        path: Box<str>,
    },
    /// Something with that path is there already. Delete it first, or use the call that replaces.
    #[error("`{path}` exists already")]
    AlreadyExists {
        /// The path.
        path: Box<str>,
    },
    /// A step of the path is a file, where a directory is needed.
    #[error("`{path}` is a file, not a directory")]
    NotADirectory {
        /// The path of the file.
        path: Box<str>,
    },
    /// The path is that of a directory, where a file is needed.
    #[error("`{path}` is a directory, not a file")]
    IsADirectory {
        /// The path.
        path: Box<str>,
    },
    /// A directory is not empty. `delete_all` deletes it with what is inside.
    #[error("`{path}` is not empty: `delete_all` deletes a directory with what is inside")]
    NotEmpty {
        /// The path.
        path: Box<str>,
    },
    /// The text is no path.
    #[error("`{}` is no path: {what}", path.escape_debug())]
    InvalidPath {
        /// The text.
        path: Box<str>,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A pattern that is none of `glob`'s.
    #[error("`{}` is no pattern: {what}", pattern.escape_debug())]
    InvalidPattern {
        /// The text.
        pattern: Box<str>,
        /// What is wrong with it.
        what: Box<str>,
    },
    /// The root has no name, no parent and cannot be deleted.
    #[error("the root directory cannot be {what}")]
    Root {
        /// What was asked.
        what: &'static str,
    },
    /// A directory cannot be moved or copied into itself.
    #[error("`{from}` cannot be moved or copied into itself, `{to}`")]
    IntoItself {
        /// The directory.
        from: Box<str>,
        /// Where it should have gone.
        to: Box<str>,
    },
    /// What a handle was reading has been changed, replaced or deleted. Open it again.
    #[error("`{path}` has changed since it was opened: open it again")]
    Changed {
        /// The path that was opened.
        path: Box<str>,
    },
    /// A file may have 8 TiB.
    #[error("`{path}` would be longer than {limit} bytes")]
    TooLong {
        /// The path.
        path: Box<str>,
        /// The longest file, in bytes.
        limit: u64,
    },
    /// A whole file was asked for, and memory has no room for it. Open it, and read parts.
    #[error("`{path}` has {length} bytes, more than there is memory for: open it, and read parts")]
    NoMemory {
        /// The path.
        path: Box<str>,
        /// The length of the file, in bytes.
        length: u64,
    },
    /// A seek to before the first byte, or past what can be counted.
    #[error("a position in `{path}` must be at least 0 and at most {}", i64::MAX)]
    InvalidPosition {
        /// The path.
        path: Box<str>,
    },
    /// The source of what was to be written failed. Nothing was changed.
    #[error("the source for `{path}` failed, and nothing was changed: {source}")]
    Source {
        /// The path.
        path: Box<str>,
        /// What it said.
        source: io::Error,
    },
    /// Something on the disk could not be read or written. Files that were copied before are whole.
    #[error("`{}`: {source}", path.display())]
    Disk {
        /// Where.
        path: Box<Path>,
        /// What the system said.
        source: io::Error,
    },
    /// Whom an import or export told of its progress had it stopped. Every file that was copied is whole.
    #[error(
        "stopped after {files} files with {bytes} bytes, which are whole: run it again with `replace` for all"
    )]
    Stopped {
        /// How many files were copied.
        files: u64,
        /// How long they are together.
        bytes: u64,
    },
    /// What is stored is not what was written. Restore it from a copy.
    #[error("`{path}` is damaged ({what}): restore it from a copy")]
    Damaged {
        /// The path, or what stands for it.
        path: Box<str>,
        /// Where the damage showed.
        what: Box<str>,
    },
    /// Every content number was given.
    #[error("no file can be made any more: {limit} were made in this database; copy them into a new one")]
    Exhausted {
        /// How many there can be in the life of a database.
        limit: u64,
    },
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}
