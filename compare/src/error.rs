//! What ends the runner early.

use std::io;
use std::path::PathBuf;

/// A result of the runner.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the runner; its text is what the user reads. What an engine does wrong is never one of these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No engine has this name.
    #[error("there is no engine `{name}`; the engines are {}", known.join(", "))]
    UnknownEngine {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A report is none.
    #[error("{}: not a report of this program: {source}", path.display())]
    Report {
        /// Which.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// A description of an engine is none.
    #[error("{}: {source}", path.display())]
    Description {
        /// Which.
        path: PathBuf,
        /// Why.
        source: Box<toml::de::Error>,
    },
    /// Standard output is gone.
    #[error("cannot write the result: {source}")]
    Output {
        /// Why.
        source: io::Error,
    },
    /// The signals that end a process cannot be caught, so that files would stay behind.
    #[error("cannot catch signals: {source}")]
    Signal {
        /// Why.
        #[from]
        source: ctrlc::Error,
    },
}

impl Error {
    /// Returns what makes an error of the file at `path`.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}
