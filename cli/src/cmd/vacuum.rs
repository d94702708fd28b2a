//! `vellum vacuum`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::{database, output};

/// The arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The file of the database. Room is needed for two more copies of what is left in it
    database: PathBuf,
}

/// Runs the command.
pub(super) fn run(args: &Arguments) -> Result<()> {
    let database = database::open_writable(&args.database)?;
    let before = length(&args.database)?;
    database.vacuum()?;
    // What is still in the log is there when this is closed.
    drop(database);
    let after = length(&args.database)?;
    writeln!(io::stdout(), "{} before, {} now", output::bytes(before), output::bytes(after))
        .map_err(|source| Error::Output { source })
}

fn length(path: &Path) -> Result<u64> {
    let metadata = std::fs::metadata(path).map_err(|source| Error::File { path: path.into(), source })?;
    Ok(metadata.len())
}
