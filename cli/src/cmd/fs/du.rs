//! `vellum fs du`.

use std::io::{self, Write};
use std::path::PathBuf;

use serde::Serialize;
use vellum::{FileKind, Files};

use crate::cmd::fs::row;
use crate::database;
use crate::error::{Error, Result};
use crate::output::{self, Align, Table};

/// The arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The file of the database
    database: PathBuf,

    /// The directory, or one file
    #[arg(default_value = "/")]
    path: String,

    /// Show the whole alone
    #[arg(short, long)]
    summarize: bool,

    /// Show lengths in KiB, MiB and so on
    #[arg(short = 'H', long)]
    human: bool,

    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

/// What a file or directory holds.
#[derive(Clone, Debug, Serialize)]
struct Held {
    path: String,
    files: u64,
    directories: u64,
    length: u64,
    allocated: u64,
}

/// Runs the command.
pub(super) fn run(args: &Arguments) -> Result<()> {
    let snapshot = database::open(&args.database)?.snapshot()?;
    let files = snapshot.files();
    let mut held = Vec::new();
    if !args.summarize && files.entry(&args.path)?.kind == FileKind::Directory {
        for entry in files.list(&args.path).to_vec()? {
            if entry.kind == FileKind::Directory {
                held.push(holds(&files, entry.path)?);
            }
        }
    }
    held.push(holds(&files, row::absolute(&args.path))?);
    print(args, &held).map_err(|source| Error::Output { source })
}

fn holds(files: &Files<'_>, path: String) -> Result<Held> {
    let usage = files.usage(&path)?;
    let (length, allocated) = (usage.length, usage.allocated);
    Ok(Held { path, files: usage.files, directories: usage.directories, length, allocated })
}

fn print(args: &Arguments, held: &[Held]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut out, held)?;
        return writeln!(out);
    }
    let length = |bytes| row::length(bytes, args.human);
    let mut table = Table::new();
    table.column("length", Align::Right, held.iter().map(|held| length(held.length)));
    table.column("allocated", Align::Right, held.iter().map(|held| length(held.allocated)));
    table.column("files", Align::Right, held.iter().map(|held| held.files.to_string()));
    table.column("directories", Align::Right, held.iter().map(|held| held.directories.to_string()));
    table.column("path", Align::Left, held.iter().map(|held| output::line(&held.path)));
    table.write(&mut out)
}
