//! `vellum check`.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::{database, output};

/// The arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The file of the database
    database: PathBuf,
}

/// Runs the command.
pub(super) fn run(args: &Arguments) -> Result<()> {
    let problems = database::open(&args.database)?.check()?;
    for problem in &problems {
        writeln!(io::stdout(), "{}", output::line(problem)).map_err(|source| Error::Output { source })?;
    }
    match problems.len() {
        0 => Ok(()),
        count => Err(Error::Unwell { path: args.database.clone(), count }),
    }
}
