//! `vellum fs truncate`.

use std::path::PathBuf;

use crate::database;
use crate::error::Result;

/// The arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The file of the database
    database: PathBuf,

    /// The file
    path: String,

    /// How many bytes it is to have
    length: u64,
}

/// Runs the command.
pub(super) fn run(args: &Arguments) -> Result<()> {
    Ok(database::open_writable(&args.database)?.files().set_len(&args.path, args.length)?)
}
