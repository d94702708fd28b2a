//! `vellum fs seal`.

use std::io::{self, Write};
use std::path::PathBuf;

use vellum::FileKind;

use crate::database;
use crate::error::{Error, Result};
use crate::output;

/// The arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The file of the database
    database: PathBuf,

    /// The file, or the directory of which all files are meant
    path: String,
}

/// Runs the command.
pub(super) fn run(args: &Arguments) -> Result<()> {
    let files = database::open_writable(&args.database)?.files();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut seal = |path: &str| {
        let hash = files.seal(path)?;
        writeln!(out, "{hash:032x}  {}", output::line(path)).map_err(|source| Error::Output { source })
    };
    if files.stat(&args.path)?.kind == FileKind::File {
        seal(&args.path)?;
    } else {
        // At one moment, while the files are being written to.
        for entry in files.list(&args.path).recursive().to_vec()? {
            if entry.kind == FileKind::File {
                seal(&entry.path)?;
            }
        }
    }
    out.flush().map_err(|source| Error::Output { source })
}
