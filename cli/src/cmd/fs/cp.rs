//! `vellum fs cp` and `vellum fs mv`.

use std::path::PathBuf;

use crate::database;
use crate::error::Result;

/// The arguments of both.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The file of the database
    database: PathBuf,

    /// The file or directory
    from: String,

    /// The path that it is to have; one that ends in `/` is the directory to put it into
    to: String,

    /// Let a file take the place of a file, and a directory that of an empty one
    #[arg(long)]
    replace: bool,
}

impl Arguments {
    fn target(&self) -> String {
        super::target(&self.to, super::name(&self.from))
    }
}

/// Runs `cp`.
pub(super) fn run_copy(args: &Arguments) -> Result<()> {
    let files = database::open_writable(&args.database)?.files();
    let (from, to) = (args.from.as_str(), args.target());
    Ok(if args.replace { files.copy_over(from, &to) } else { files.copy(from, &to) }?)
}

/// Runs `mv`.
pub(super) fn run_move(args: &Arguments) -> Result<()> {
    let files = database::open_writable(&args.database)?.files();
    let (from, to) = (args.from.as_str(), args.target());
    Ok(if args.replace { files.rename_over(from, &to) } else { files.rename(from, &to) }?)
}
