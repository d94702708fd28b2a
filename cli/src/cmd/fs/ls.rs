//! `vellum fs ls`.

use std::io::{self, Write};
use std::path::PathBuf;

use vellum::{FileKind, FileOrder, Files};

use crate::cmd::fs::row::Row;
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

    /// Show lengths and the times of the last change, too
    #[arg(short, long)]
    long: bool,

    /// Show lengths in KiB, MiB and so on
    #[arg(short = 'H', long)]
    human: bool,

    /// Show what the directories inside hold, at any depth
    #[arg(short = 'R', long)]
    recursive: bool,

    /// Show what matches: `*` is any text without `/`, `**` any number of directories
    #[arg(long, value_name = "PATTERN")]
    glob: Option<String>,

    /// What comes first
    #[arg(long, value_enum, value_name = "BY", default_value = "path")]
    sort: Sort,

    /// Turn the order round
    #[arg(short, long)]
    reverse: bool,

    /// Show so many at most
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    limit: u64,

    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Sort {
    Path,
    Length,
    Created,
    Modified,
}

impl From<Sort> for FileOrder {
    fn from(sort: Sort) -> Self {
        match sort {
            Sort::Path => FileOrder::Path,
            Sort::Length => FileOrder::Length,
            Sort::Created => FileOrder::Created,
            Sort::Modified => FileOrder::Modified,
        }
    }
}

/// Runs the command.
pub(super) fn run(args: &Arguments) -> Result<()> {
    let rows = rows(args, &database::open(&args.database)?.snapshot()?.files())?;
    print(args, &rows).map_err(|source| Error::Output { source })
}

fn rows(args: &Arguments, files: &Files<'_>) -> Result<Vec<Row>> {
    let entry = files.entry(&args.path)?;
    if entry.kind == FileKind::File {
        return Ok(vec![Row::of_entry(entry)]);
    }
    let mut listing = files.list(&args.path).order_by(args.sort.into()).limit(args.limit);
    if args.recursive {
        listing = listing.recursive();
    }
    if args.reverse {
        listing = listing.descending();
    }
    if let Some(pattern) = &args.glob {
        listing = listing.glob(pattern);
    }
    Ok(listing.to_vec()?.into_iter().map(Row::of_entry).collect())
}

fn print(args: &Arguments, rows: &[Row]) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let names = rows.iter().map(|row| row.inside(&args.path));
    if args.json {
        serde_json::to_writer(&mut out, rows)?;
        writeln!(out)?;
    } else if args.long {
        let lengths = rows.iter().map(|row| row.length_text(args.human));
        let mut table = Table::new();
        table.column("length", Align::Right, lengths);
        table.column("modified", Align::Left, rows.iter().map(|row| output::time(row.modified)));
        table.column("name", Align::Left, names);
        table.write(&mut out)?;
    } else {
        for name in names {
            writeln!(out, "{name}")?;
        }
    }
    out.flush()
}
