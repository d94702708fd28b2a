//! `vellum fs stat`.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::cmd::fs::row::{self, Row};
use crate::database;
use crate::error::{Error, Result};
use crate::output;

/// The arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The file of the database
    database: PathBuf,

    /// The file or directory
    path: String,

    /// Show lengths in KiB, MiB and so on
    #[arg(short = 'H', long)]
    human: bool,

    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) fn run(args: &Arguments) -> Result<()> {
    let stat = database::open(&args.database)?.files().stat(&args.path)?;
    print(args, &Row::of_stat(row::absolute(&args.path), &stat)).map_err(|source| Error::Output { source })
}

fn print(args: &Arguments, row: &Row) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut out, row)?;
        return writeln!(out);
    }
    writeln!(out, "path       {}", row.path_text())?;
    writeln!(out, "kind       {}", row.kind_text())?;
    writeln!(out, "length     {}", row::length(row.length, args.human))?;
    writeln!(out, "allocated  {}", row::length(row.allocated.unwrap_or_default(), args.human))?;
    writeln!(out, "created    {}", output::time(row.created))?;
    writeln!(out, "modified   {}", output::time(row.modified))
}
