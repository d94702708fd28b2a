//! `vellum fs get`.

use std::path::{Path, PathBuf};

use crate::cmd::fs::{cat, transfer};
use crate::database;
use crate::error::Result;

/// The arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The file of the database
    database: PathBuf,

    /// The file or directory
    path: String,

    /// The path that it is to have on the disk; one that ends in `/` is the directory to put it into, `-` is standard
    /// output
    local: PathBuf,

    /// Let files take the place of files that are there
    #[arg(long)]
    replace: bool,
}

/// Runs the command.
pub(super) fn run(args: &Arguments) -> Result<()> {
    if args.local == Path::new("-") {
        return cat::write(&args.database, &args.path, 0..u64::MAX);
    }
    let is_directory = args.local.as_os_str().as_encoded_bytes().ends_with(b"/");
    let to = if is_directory { args.local.join(super::name(&args.path)) } else { args.local.clone() };
    let files = database::open(&args.database)?.files();
    let export = files.export(&args.path, to);
    transfer::run(if args.replace { export.replace() } else { export })
}
