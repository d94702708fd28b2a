//! Exports: a file or a tree of the database becomes one of the disk.
//!
//! As an import it walks twice. Of a database everything is read at one moment, however long that takes.

use std::fs as on_disk;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::api::collection::SessionRef;
use crate::api::files::entry::DirEntry;
use crate::api::files::transfer::{SkipReason, Tally};
use crate::api::files::{FileKind, Files, disk};
use crate::api::session::Session;
use crate::error::Result;
use crate::fs::{self, FsError, FsPath};

/// How many names of a directory are kept at once.
const PAGE_LEN: usize = 256;

/// How many bytes are read before they are written: whole blocks.
const PART_LEN: usize = 1 << 20;

/// Runs an export.
pub(super) fn run(
    files: &Files<'_>,
    from: &str,
    to: &Path,
    replaces: bool,
    tally: &mut Tally<'_>,
) -> Result<()> {
    if files.session.is_pinned() {
        return run_at(files, from, to, replaces, tally);
    }
    let shared = &files.session.shared;
    let moment = Session::of_snapshot(Arc::clone(shared), shared.engine.snapshot()?);
    run_at(&Files::new(SessionRef::Pinned(&moment)), from, to, replaces, tally)
}

fn run_at(files: &Files<'_>, from: &str, to: &Path, replaces: bool, tally: &mut Tally<'_>) -> Result<()> {
    walk(files, from, to, &mut |step| match step {
        Step::File(found) => {
            tally.expect(found.entry.length);
            refuse(&found.to, FileKind::File, replaces)
        }
        Step::Directory(found) => refuse(&found.to, FileKind::Directory, replaces),
        Step::Left(_) | Step::Skipped(..) => Ok(()),
    })?;
    if let Some(parent) = to.parent() {
        on_disk::create_dir_all(parent).map_err(|source| failed(parent, source))?;
    }
    let mut buffer = vec![0; PART_LEN];
    walk(files, from, to, &mut |step| match step {
        Step::File(found) => {
            copy(files, found, replaces, &mut buffer, tally)?;
            tally.finish(1, found.entry.length)
        }
        Step::Directory(found) => {
            tally.report.directories += 1;
            create_directory(&found.to)
        }
        Step::Left(found) => disk::set_directory_modified(&found.to, found.entry.modified)
            .map_err(|source| failed(&found.to, source)),
        Step::Skipped(path, reason) => {
            tally.skip(path, reason);
            Ok(())
        }
    })
}

/// Refuses what is in the way of a file or a directory.
fn refuse(path: &Path, kind: FileKind, replaces: bool) -> Result<()> {
    // A link counts as what it is. The one that the caller named has been followed.
    let metadata = match on_disk::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(failed(path, source)),
    };
    let shown = || path.display().to_string().into();
    match kind {
        FileKind::Directory if metadata.is_dir() => Ok(()),
        FileKind::Directory => Err(FsError::NotADirectory { path: shown() }.into()),
        FileKind::File if metadata.is_dir() => Err(FsError::IsADirectory { path: shown() }.into()),
        // A device or a pipe is not what a file may take the place of.
        FileKind::File if replaces && (metadata.is_file() || metadata.is_symlink()) => Ok(()),
        FileKind::File => Err(FsError::AlreadyExists { path: shown() }.into()),
    }
}

/// Something that a walk found, and the path that it is to have.
struct Found {
    entry: DirEntry,
    to: PathBuf,
}

/// What a walk comes to.
enum Step<'w> {
    File(&'w Found),
    Directory(&'w Found),
    /// A directory of which every name was seen, before any of the directories inside is looked into.
    Left(&'w Found),
    Skipped(PathBuf, SkipReason),
}

/// Walks a tree of the database, or a single file.
fn walk(
    files: &Files<'_>,
    from: &str,
    to: &Path,
    visit: &mut dyn FnMut(Step<'_>) -> Result<()>,
) -> Result<()> {
    let path = FsPath::parse(from)?;
    let entry = files.look(|conn, _| fs::get(conn, path))?;
    // What the caller names may be a link.
    let to = on_disk::canonicalize(to).unwrap_or_else(|_| to.to_owned());
    let root = Found { entry: DirEntry::new(&entry, path.to_string()), to };
    if root.entry.kind == FileKind::File {
        return visit(Step::File(&root));
    }
    visit(Step::Directory(&root))?;
    let mut open = vec![root];
    while let Some(directory) = open.pop() {
        for_each(files, &directory.entry.path, &mut |entry| {
            if !disk::can_be_named(entry.name()) {
                return visit(Step::Skipped(entry.path.into(), SkipReason::OddName));
            }
            let found = Found { to: directory.to.join(entry.name()), entry };
            match found.entry.kind {
                FileKind::File => visit(Step::File(&found)),
                FileKind::Directory => {
                    visit(Step::Directory(&found))?;
                    open.push(found);
                    Ok(())
                }
            }
        })?;
        visit(Step::Left(&directory))?;
    }
    Ok(())
}

/// Hands each entry of a directory to `f`, page by page.
fn for_each(files: &Files<'_>, path: &str, f: &mut dyn FnMut(DirEntry) -> Result<()>) -> Result<()> {
    let listing = files.list(path).limit(PAGE_LEN as u64);
    let mut page = listing.to_vec()?;
    loop {
        let next = page.last().filter(|_| page.len() == PAGE_LEN).map(|last| listing.clone().after(last));
        page.into_iter().try_for_each(&mut *f)?;
        page = match next {
            Some(next) => next.to_vec()?,
            None => return Ok(()),
        };
    }
}

fn create_directory(path: &Path) -> Result<()> {
    match on_disk::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            refuse(path, FileKind::Directory, false)
        }
        other => other.map_err(|source| failed(path, source)),
    }
}

/// Copies a file, which gets its name when it is whole.
fn copy(
    files: &Files<'_>,
    found: &Found,
    replaces: bool,
    buffer: &mut [u8],
    tally: &mut Tally<'_>,
) -> Result<()> {
    let failed = |source| failed(&found.to, source);
    let file = files.open(&found.entry.path)?;
    let mut part = disk::Part::create(&found.to, file.length(), replaces).map_err(failed)?;
    let mut at = 0;
    while at < file.length() {
        let data = at + file.hole(at)?;
        // Back to the beginning of its block: parts are made of whole ones.
        at = data - data % disk::BLOCK_LEN as u64;
        if at < file.length() {
            let count = file.read_at(at, buffer)?;
            part.write_at(at, buffer.get(..count).unwrap_or_default()).map_err(failed)?;
            at += count as u64;
        }
        tally.reach(at)?;
    }
    part.place(&found.to, found.entry.modified, replaces).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => {
            FsError::AlreadyExists { path: found.to.display().to_string().into() }.into()
        }
        _ => failed(source),
    })
}

fn failed(path: &Path, source: io::Error) -> crate::Error {
    FsError::Disk { path: path.into(), source }.into()
}
