//! What ends a command early.

use std::io;
use std::path::PathBuf;

use vellum_fixtures::control;

/// A result of a command.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// An error of a command; its text is what the user reads.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The arguments are wrong.
    #[error(transparent)]
    Arguments {
        /// What clap found.
        #[from]
        source: clap::Error,
    },
    /// Standard output is gone.
    #[error("cannot write the result: {source}")]
    Output {
        /// Why.
        source: io::Error,
    },
    /// A file could not be made or removed.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The signals that end a process cannot be caught, so that files would stay behind.
    #[error("cannot catch signals: {source}")]
    Signal {
        /// Why.
        source: ctrlc::Error,
    },
    /// The file of `--path` is there.
    #[error("{} exists; name a new file, the demo writes to no other", path.display())]
    Exists {
        /// Which.
        path: PathBuf,
    },
    /// Vellum failed.
    #[error("Vellum failed: {source}")]
    Vellum {
        /// Why.
        #[from]
        source: vellum::Error,
    },
    /// A thread of EV11 ended by itself.
    #[error("a calling thread panicked")]
    Caller,
    /// The hand-written control failed.
    #[error("the control failed: {source}")]
    Control {
        /// Why.
        #[from]
        source: control::Error,
    },
    /// The indexes do not agree with the documents.
    #[error("an index of the {engine} does not agree with its documents")]
    Unsound {
        /// Whose.
        engine: &'static str,
    },
    /// An engine gave another answer than the oracle.
    #[error("wrong result in {row}, {column}: expected {expected}, found {found}")]
    WrongResult {
        /// The row.
        row: String,
        /// The engine.
        column: &'static str,
        /// The oracle's answer.
        expected: String,
        /// The engine's.
        found: String,
    },
    /// Some rows could not be measured.
    #[error("{count} rows failed")]
    Failed {
        /// How many.
        count: usize,
    },
}
