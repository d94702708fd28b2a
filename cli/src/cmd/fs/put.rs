//! `vellum fs put`.

use std::io;
use std::path::{Path, PathBuf};

use vellum::Database;

use crate::cmd::fs::transfer;
use crate::error::{Error, Result};

/// The arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The file of the database
    database: PathBuf,

    /// The file or directory on the disk; `-` is standard input
    local: PathBuf,

    /// The path that it is to have; one that ends in `/` is the directory to put it into
    path: String,

    /// Let files take the place of files that are there
    #[arg(long)]
    replace: bool,
}

/// Runs the command.
pub(super) fn run(args: &Arguments) -> Result<()> {
    if args.local == Path::new("-") {
        return put_input(args);
    }
    // A database that would stay empty is not made.
    std::fs::metadata(&args.local).map_err(|source| Error::File { path: args.local.clone(), source })?;
    let to = if args.path.ends_with('/') {
        super::target(&args.path, &local_name(&args.local)?)
    } else {
        args.path.clone()
    };
    let files = Database::open(&args.database)?.files();
    let import = files.import(&args.local, &to);
    transfer::run(if args.replace { import.replace() } else { import })
}

fn put_input(args: &Arguments) -> Result<()> {
    let files = Database::open(&args.database)?.files();
    if args.replace {
        files.write_from(&args.path, io::stdin().lock())?;
    } else {
        files.create_from(&args.path, io::stdin().lock())?;
    }
    Ok(())
}

/// Returns the name of a file on the disk, whatever its path ends in.
fn local_name(local: &Path) -> Result<String> {
    let found = local.canonicalize().map_err(|source| Error::File { path: local.into(), source })?;
    let name = local.file_name().or(found.file_name()).and_then(|name| name.to_str());
    name.map(str::to_owned).ok_or_else(|| Error::NoName { path: local.into() })
}
