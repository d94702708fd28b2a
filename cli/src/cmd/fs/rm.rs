//! `vellum fs rm`.

use std::path::PathBuf;

use vellum::{FileKind, FsError};

use crate::database;
use crate::error::{Error, Result};

/// The arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The file of the database
    database: PathBuf,

    /// The files and directories: all of them are deleted, or none
    #[arg(required = true)]
    paths: Vec<String>,

    /// Delete directories with what is inside
    #[arg(short, long)]
    recursive: bool,
}

/// Runs the command.
pub(super) fn run(args: &Arguments) -> Result<()> {
    let transaction = database::open_writable(&args.database)?.begin()?;
    let files = transaction.files();
    for path in &args.paths {
        let is_there = if args.recursive {
            files.delete_all(path)? > 0
        } else if files.exists(path)? && files.entry(path)?.kind == FileKind::Directory {
            if files.list(path).limit(1).count()? > 0 {
                return Err(Error::NotEmpty { path: path.clone() });
            }
            files.delete(path)?
        } else {
            files.delete(path)?
        };
        if !is_there {
            return Err(vellum::Error::from(FsError::NotFound { path: path.as_str().into() }).into());
        }
    }
    Ok(transaction.commit()?)
}
