//! `vellum fs tree`.

use std::io::{self, Write};
use std::path::PathBuf;

use vellum::{DirEntry, FileKind, Files};

use crate::database;
use crate::error::{Error, Result};
use crate::output;

/// The arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The file of the database
    database: PathBuf,

    /// The directory
    #[arg(default_value = "/")]
    path: String,

    /// Show so many levels at most
    #[arg(long, value_name = "LEVELS", default_value_t = usize::MAX, hide_default_value = true)]
    depth: usize,
}

/// The longest path that can be named, in bytes; a move of what is around it can make one longer.
const LONGEST_PATH: usize = 4_096;

/// A directory that is being shown: what is still to be shown of it, and what stands before its names.
struct Level {
    entries: std::vec::IntoIter<DirEntry>,
    indent: String,
}

/// Runs the command.
pub(super) fn run(args: &Arguments) -> Result<()> {
    let snapshot = database::open(&args.database)?.snapshot()?;
    let files = snapshot.files();
    let level = |path: &str, indent: String| {
        Ok::<_, Error>(Level { entries: files.list(path).to_vec()?.into_iter(), indent })
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut levels = vec![level(&args.path, String::new())?];
    line(&mut out, "", &args.path)?;
    while let Some(top) = levels.last_mut() {
        let Some(entry) = top.entries.next() else {
            levels.pop();
            continue;
        };
        let (branch, below) = if top.entries.len() == 0 { ("`-- ", "    ") } else { ("|-- ", "|   ") };
        let (before, indent) = (format!("{}{branch}", top.indent), format!("{}{below}", top.indent));
        if entry.kind == FileKind::File {
            line(&mut out, &before, entry.name())?;
            continue;
        }
        line(&mut out, &before, &format!("{}/", entry.name()))?;
        if levels.len() >= args.depth {
            continue;
        }
        if entry.path.len() > LONGEST_PATH {
            line(
                &mut out,
                &format!("{indent}`-- "),
                "(behind a path of more than 4,096 bytes: move it up to look inside)",
            )?;
            continue;
        }
        levels.push(level(&entry.path, indent)?);
    }
    total(&mut out, &files, &args.path)
}

fn line(out: &mut impl Write, before: &str, name: &str) -> Result<()> {
    writeln!(out, "{before}{}", output::line(name)).map_err(|source| Error::Output { source })
}

fn total(out: &mut impl Write, files: &Files<'_>, path: &str) -> Result<()> {
    let usage = files.usage(path)?;
    writeln!(out, "\n{} directories, {} files", usage.directories, usage.files)
        .and_then(|()| out.flush())
        .map_err(|source| Error::Output { source })
}
