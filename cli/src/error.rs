//! What ends a command early.

use std::io;
use std::path::PathBuf;

use vellum_fixtures::control;

use crate::output;

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
    /// Vellum failed, where nothing else could.
    #[error("{}{way_out}", output::line(&source.to_string()))]
    Database {
        /// Why.
        source: vellum::Error,
        /// What can be done, where the library's words do not fit.
        way_out: &'static str,
    },
    /// A command that makes no database was given one that is not there.
    #[error("there is no database `{}`: `vellum fs put` makes one", path.display())]
    Missing {
        /// Where.
        path: PathBuf,
    },
    /// A check found something.
    #[error("{count} problems in `{}`: restore it from a copy", path.display())]
    Unwell {
        /// The database.
        path: PathBuf,
        /// How many, each of which was printed.
        count: usize,
    },
    /// A directory that is not empty was to be deleted.
    #[error(
        "`{}` is a directory that is not empty: `vellum fs rm -r` deletes it with what is inside",
        output::line(path)
    )]
    NotEmpty {
        /// The directory.
        path: String,
    },
    /// Not everything could be copied; a line was printed for each.
    #[error("{count} names were left out; the other files, {files}, were copied")]
    LeftOut {
        /// How many were not.
        count: usize,
        /// How many files were copied.
        files: u64,
    },
    /// A file on the disk whose name cannot be that of one inside.
    #[error("`{}` has no name that can be kept: give the whole path that it is to have", path.display())]
    NoName {
        /// The file.
        path: PathBuf,
    },
    /// Standard input failed. Nothing was written.
    #[error("cannot read standard input, and nothing was written: {source}")]
    Input {
        /// Why.
        source: io::Error,
    },
    /// There is neither an offset to write at nor an editor.
    #[error("name an editor in $EDITOR, or the byte to write standard input at by --offset")]
    NoEditor,
    /// The editor failed.
    #[error("`{editor}` failed, and nothing was written: what was edited is `{}`", path.display())]
    Editor {
        /// What was run.
        editor: String,
        /// The copy, which stays.
        path: PathBuf,
    },
    /// Somebody wrote to a file while it was in the editor.
    #[error("`{}` was changed meanwhile, and nothing was written: what was edited is `{}`", output::line(path), draft.display())]
    ChangedMeanwhile {
        /// The file.
        path: String,
        /// The copy, which stays.
        draft: PathBuf,
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

impl Error {
    /// Returns Vellum's own error as that of a command to which nothing else can happen, with what can be done about it.
    pub(crate) fn with_way_out(self, way_out: fn(&vellum::Error) -> &'static str) -> Self {
        match self {
            Error::Vellum { source } => Error::Database { way_out: way_out(&source), source },
            other => other,
        }
    }
}
