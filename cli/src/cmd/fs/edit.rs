//! `vellum fs edit`.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use vellum::{Database, FileStat};

use crate::database;
use crate::error::{Error, Result};

/// The arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The file of the database
    database: PathBuf,

    /// The file
    path: String,

    /// Write standard input over what is at this byte, all of it or, when something fails, none; else the file is opened
    /// in the editor that $VISUAL or $EDITOR names
    #[arg(long, value_name = "BYTES")]
    offset: Option<u64>,
}

/// Runs the command.
pub(super) fn run(args: &Arguments) -> Result<()> {
    let database = database::open_writable(&args.database)?;
    match args.offset {
        Some(offset) => {
            let file = database.files().edit(&args.path)?;
            // Read before anything is written: others can write meanwhile.
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).map_err(|source| Error::Input { source })?;
            Ok(file.write_at(offset, bytes)?)
        }
        None => edit_outside(&database, &args.path),
    }
}

/// Lets an editor work on a copy of a file, and writes it back when it was changed.
fn edit_outside(database: &Database, path: &str) -> Result<()> {
    let editor =
        ["VISUAL", "EDITOR"].into_iter().find_map(|name| env::var(name).ok().filter(|it| !it.is_empty()));
    let editor = editor.ok_or(Error::NoEditor)?;
    let before = database.files().stat(path)?;
    let draft = Draft::new(super::name(path))?;
    database.files().export(path, &draft.file).run()?;
    let exported = draft.changed()?;
    let status = process::Command::new("sh")
        .args(["-c", &format!("{editor} \"$1\""), "sh"])
        .arg(&draft.file)
        .status()
        .map_err(|source| Error::File { path: editor.clone().into(), source })?;
    if !status.success() {
        return Err(Error::Editor { editor, path: draft.keep() });
    }
    if draft.changed()? == exported {
        return Ok(());
    }
    if !is_same(&before, &database.files().stat(path)?) {
        return Err(Error::ChangedMeanwhile { path: path.to_owned(), draft: draft.keep() });
    }
    let source = fs::File::open(&draft.file).map_err(|source| draft.failed(source))?;
    database.files().write_from(path, source)?;
    Ok(())
}

fn is_same(before: &FileStat, after: &FileStat) -> bool {
    (before.length, before.modified) == (after.length, after.modified)
}

/// A copy on the disk, in a directory of its own, that goes when it is no longer of use.
struct Draft {
    directory: PathBuf,
    file: PathBuf,
    is_kept: bool,
}

impl Draft {
    fn new(name: &str) -> Result<Self> {
        let directory = env::temp_dir().join(format!("vellum-edit-{}", process::id()));
        let file = directory.join(name);
        fs::create_dir(&directory).map_err(|source| Error::File { path: directory.clone(), source })?;
        Ok(Draft { directory, file, is_kept: false })
    }

    /// Returns how long it is, and when it was changed.
    fn changed(&self) -> Result<(u64, std::time::SystemTime)> {
        let metadata = fs::metadata(&self.file).map_err(|source| self.failed(source))?;
        let modified = metadata.modified().map_err(|source| self.failed(source))?;
        Ok((metadata.len(), modified))
    }

    fn keep(mut self) -> PathBuf {
        self.is_kept = true;
        self.file.clone()
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::File { path: self.file.clone(), source }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_kept {
            // Nobody can be told any more.
            fs::remove_dir_all(Path::new(&self.directory)).ok();
        }
    }
}
