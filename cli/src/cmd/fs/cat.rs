//! `vellum fs cat`.

use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::database;
use crate::error::{Error, Result};

/// How many bytes are read before they are written.
const PART_LEN: usize = 1 << 20;

/// The arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The file of the database
    database: PathBuf,

    /// The file
    path: String,

    /// Begin at this byte
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    offset: u64,

    /// Write so many bytes at most
    #[arg(long, value_name = "BYTES", default_value_t = u64::MAX, hide_default_value = true)]
    length: u64,
}

/// Runs the command.
pub(super) fn run(args: &Arguments) -> Result<()> {
    write(&args.database, &args.path, args.offset..args.offset.saturating_add(args.length))
}

/// Writes a range of a file to standard output.
pub(super) fn write(database: &Path, path: &str, range: Range<u64>) -> Result<()> {
    let snapshot = database::open(database)?.snapshot()?;
    let file = snapshot.files().open(path)?;
    let mut out = io::stdout().lock();
    let end = range.end.min(file.length());
    let mut buffer = vec![0; PART_LEN];
    let mut at = range.start;
    while at < end {
        let len = usize::try_from(end - at).unwrap_or(usize::MAX).min(PART_LEN);
        let part = buffer.get_mut(..len).unwrap_or_default();
        at += file.read_at(at, part)? as u64;
        out.write_all(part).map_err(|source| Error::Output { source })?;
    }
    out.flush().map_err(|source| Error::Output { source })
}
