//! Imports: a file or a tree of the disk becomes one of the database.
//!
//! The tree is walked twice: first to count and to find what is in the way, so that a refusal changes nothing, then to
//! copy. A walk keeps no more than the directories that it has still to look into.

use std::fs::{self as on_disk, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::api::files::entry::nanoseconds;
use crate::api::files::transfer::{SkipReason, Tally};
use crate::api::files::write::Staging;
use crate::api::files::{Files, disk};
use crate::error::Result;
use crate::fs::{self, Editor, Entry, FsError, FsPath, Kind, Staged};

/// A longer file is staged; others are written many in one transaction.
const SMALL_LEN: u64 = 256 << 10;

/// What one transaction of small files holds at most: so many bytes before the last one, and so many names.
const BATCH_LEN: u64 = 1 << 20;
const BATCH_NAMES: usize = 512;

/// How many bytes of a long file are read before they are written.
const PART_LEN: u64 = 2 << 20;

/// Runs an import.
pub(super) fn run(
    files: &Files<'_>,
    from: &Path,
    to: &str,
    replaces: bool,
    tally: &mut Tally<'_>,
) -> Result<()> {
    let to = FsPath::parse(to)?.to_string();
    // What is not there is in nobody's way.
    let looks = files.exists(&to)?;
    let own = disk::database_files(files.session.shared.engine.path());
    walk(from, &to, &own, &mut |step| {
        let (found, kind) = match step {
            Step::File(found) => (found, Kind::File),
            Step::Directory(found) => (found, Kind::Directory),
            Step::Left(_) | Step::Skipped(..) => return Ok(()),
        };
        if kind == Kind::File {
            tally.expect(found.metadata.len());
        }
        if looks { refuse(files, &found.to, kind, replaces) } else { Ok(()) }
    })?;
    let mut import = Import { files, replaces, tally, batch: Batch::default() };
    walk(from, &to, &own, &mut |step| import.copy(step))?;
    import.flush()
}

/// Refuses what is in the way of a file or a directory.
fn refuse(files: &Files<'_>, path: &str, kind: Kind, replaces: bool) -> Result<()> {
    let parsed = FsPath::parse(path)?;
    files.look(|conn, _| match (fs::find(conn, parsed)?, kind) {
        (None, _) => Ok(()),
        (Some(entry), Kind::Directory) => entry.directory(parsed).map(drop),
        (Some(entry), Kind::File) if replaces => entry.file(parsed).map(drop),
        (Some(_), Kind::File) => Err(FsError::AlreadyExists { path: path.into() }),
    })
}

/// Something that a walk found, and the path that it is to have.
struct Found {
    from: PathBuf,
    to: String,
    metadata: Metadata,
}

/// What a walk comes to.
enum Step<'w> {
    File(&'w Found),
    Directory(&'w Found),
    /// A directory of which every name was seen, before any of the directories inside is looked into.
    Left(&'w Found),
    Skipped(PathBuf, SkipReason),
}

/// Walks a tree of the disk, or a single file; of `own`, the files of the database, nothing is to be copied.
fn walk(from: &Path, to: &str, own: &[PathBuf], visit: &mut dyn FnMut(Step<'_>) -> Result<()>) -> Result<()> {
    // What the caller names may be a link.
    let from = on_disk::canonicalize(from).map_err(|source| failed(from, source))?;
    let metadata = on_disk::metadata(&from).map_err(|source| failed(&from, source))?;
    let root = Found { from, to: to.to_owned(), metadata };
    let refused = |reason: SkipReason| {
        let source = io::Error::new(io::ErrorKind::InvalidInput, reason.to_string());
        Err(failed(&root.from, source))
    };
    if own.contains(&root.from) {
        return refused(SkipReason::Database);
    }
    if root.metadata.is_file() {
        return visit(Step::File(&root));
    }
    if !root.metadata.is_dir() {
        return refused(SkipReason::Special);
    }
    visit(Step::Directory(&root))?;
    let mut open = vec![root];
    while let Some(directory) = open.pop() {
        let failed = |source| failed(&directory.from, source);
        for entry in on_disk::read_dir(&directory.from).map_err(failed)? {
            match look_at(&directory.to, own, &entry.map_err(failed)?)? {
                Ok(found) if found.metadata.is_dir() => {
                    visit(Step::Directory(&found))?;
                    open.push(found);
                }
                Ok(file) => visit(Step::File(&file))?,
                Err((path, reason)) => visit(Step::Skipped(path, reason))?,
            }
        }
        visit(Step::Left(&directory))?;
    }
    Ok(())
}

/// Returns what a name of the disk leads to, or why it is not copied.
fn look_at(
    to: &str,
    own: &[PathBuf],
    entry: &on_disk::DirEntry,
) -> Result<Result<Found, (PathBuf, SkipReason)>> {
    let from = entry.path();
    let metadata = entry.metadata().map_err(|source| failed(&from, source))?;
    let name = entry.file_name();
    let reason = match name.to_str() {
        _ if metadata.is_symlink() => SkipReason::Link,
        _ if own.contains(&from) => SkipReason::Database,
        _ if !metadata.is_file() && !metadata.is_dir() => SkipReason::Special,
        None => SkipReason::NotUtf8,
        Some(name) => {
            let to = if to == "/" { format!("/{name}") } else { format!("{to}/{name}") };
            if FsPath::parse(&to).is_ok() {
                return Ok(Ok(Found { from, to, metadata }));
            }
            SkipReason::LongPath
        }
    };
    Ok(Err((from, reason)))
}

fn failed(path: &Path, source: io::Error) -> crate::Error {
    FsError::Disk { path: path.into(), source }.into()
}

/// The second walk.
struct Import<'i, 's, 'c> {
    files: &'i Files<'s>,
    replaces: bool,
    tally: &'i mut Tally<'c>,
    batch: Batch,
}

impl Import<'_, '_, '_> {
    fn copy(&mut self, step: Step<'_>) -> Result<()> {
        match step {
            Step::File(found) => {
                let file = disk::open(&found.from).map_err(|source| failed(&found.from, source))?;
                // What the open file says: the walk looked at its name.
                let metadata = file.metadata().map_err(|source| failed(&found.from, source))?;
                if metadata.len() > SMALL_LEN {
                    // The directory that it is in comes first.
                    self.flush()?;
                    return self.stage(found, file, &metadata);
                }
                self.batch.len += metadata.len();
                self.batch.files += 1;
                self.batch.writes.push(Write::File {
                    path: found.to.clone(),
                    bytes: read(file, 0..metadata.len()).map_err(|source| failed(&found.from, source))?,
                    times: Times::of(&metadata),
                });
            }
            Step::Directory(found) => {
                self.tally.report.directories += 1;
                self.batch.writes.push(Write::Directory(found.to.clone()));
            }
            Step::Left(found) => {
                let times = Times::of(&found.metadata);
                self.batch.writes.push(Write::Times(found.to.clone(), times));
            }
            Step::Skipped(path, reason) => self.tally.skip(path, reason),
        }
        if self.batch.len >= BATCH_LEN || self.batch.writes.len() >= BATCH_NAMES {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Writes what is waiting, in one transaction.
    fn flush(&mut self) -> Result<()> {
        let Batch { writes, files, len } = std::mem::take(&mut self.batch);
        if writes.is_empty() {
            return Ok(());
        }
        let replaces = self.replaces;
        self.files.change(|editor| writes.iter().try_for_each(|write| write.run(editor, replaces)))?;
        self.tally.finish(files, len)
    }

    /// Writes a long file, beside what it replaces until it is whole.
    fn stage(&mut self, found: &Found, file: File, metadata: &Metadata) -> Result<()> {
        let (len, path, replaces) = (metadata.len(), found.to.as_str(), self.replaces);
        let failed = |source| failed(&found.from, source);
        let mut staging = Staging::begin(self.files)?;
        let mut at = 0;
        while at < len {
            let part = Part::read(&file, at..len).map_err(failed)?;
            staging.change(|editor, staged| part.append(editor, staged, path))?;
            at = part.end;
            self.tally.reach(at)?;
        }
        // Behind the end of a file that was cut there is nothing but a hole.
        if file.metadata().map_err(failed)?.len() < len {
            return Err(failed(was_cut()));
        }
        let times = Times::of(metadata);
        staging.finish(|editor, mut staged| {
            editor.extend_staged(&mut staged, path, len)?;
            let mut entry = place(editor, path, replaces)?;
            editor.swap(&mut entry, path, staged)?;
            times.set(editor, &entry)
        })?;
        self.tally.finish(1, len)
    }
}

/// A part of a long file, without its holes.
struct Part {
    extents: Vec<(u64, Vec<u8>)>,
    end: u64,
}

impl Part {
    fn read(file: &File, range: Range<u64>) -> io::Result<Self> {
        let mut part = Part { extents: Vec::new(), end: range.start };
        let mut left = PART_LEN;
        while left > 0 && part.end < range.end {
            let data = disk::data(file, part.end..range.end)?;
            let len = left.min(data.end - data.start);
            part.end = data.start + len;
            if len > 0 {
                part.extents.push((data.start, read(file, data.start..part.end)?));
            }
            left -= len;
        }
        Ok(part)
    }

    fn append(&self, editor: &Editor<'_>, staged: &mut Staged, path: &str) -> Result<(), FsError> {
        for (offset, bytes) in &self.extents {
            for run in disk::runs(bytes) {
                editor.extend_staged(staged, path, offset + run.start as u64)?;
                editor.append_staged(staged, path, bytes.get(run).unwrap_or_default())?;
            }
        }
        Ok(())
    }
}

/// Reads a range of a file, which has to be as long as it was said to be.
fn read(mut file: impl Read + Seek, range: Range<u64>) -> io::Result<Vec<u8>> {
    let len = range.end - range.start;
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or_default());
    file.seek(SeekFrom::Start(range.start))?;
    if file.take(len).read_to_end(&mut bytes)? as u64 == len {
        return Ok(bytes);
    }
    Err(was_cut())
}

fn was_cut() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "it was cut while it was read: import it again")
}

/// What is written together.
#[derive(Default)]
struct Batch {
    writes: Vec<Write>,
    files: u64,
    len: u64,
}

/// One thing to be written.
enum Write {
    Directory(String),
    File { path: String, bytes: Vec<u8>, times: Times },
    Times(String, Times),
}

impl Write {
    fn run(&self, editor: &Editor<'_>, replaces: bool) -> Result<(), FsError> {
        match self {
            Write::Directory(path) => editor.directory_or_new(FsPath::parse(path)?).map(drop),
            Write::Times(path, times) => times.set(editor, &editor.entry(FsPath::parse(path)?)?),
            Write::File { path, bytes, times } => {
                let mut entry = place(editor, path, replaces)?;
                let whole = 0..bytes.len();
                if bytes.is_empty() || disk::runs(bytes).next() == Some(whole) {
                    editor.replace(&mut entry, path, bytes)?;
                } else {
                    editor.set_len(&mut entry, path, 0)?;
                    editor.set_len(&mut entry, path, bytes.len() as u64)?;
                    for run in disk::runs(bytes) {
                        let offset = run.start as u64;
                        editor.write_at(&mut entry, path, offset, bytes.get(run).unwrap_or_default())?;
                    }
                }
                times.set(editor, &entry)
            }
        }
    }
}

/// Returns the entry of a file that is to be written.
fn place(editor: &Editor<'_>, path: &str, replaces: bool) -> Result<Entry, FsError> {
    let path = FsPath::parse(path)?;
    if replaces { editor.file_or_new(path) } else { editor.new_file(path) }
}

/// When something was made and when it was changed last, where the system says so.
struct Times {
    created: Option<i64>,
    modified: Option<i64>,
}

impl Times {
    fn of(metadata: &Metadata) -> Self {
        let [created, modified] = [metadata.created(), metadata.modified()];
        Times { created: created.ok().map(nanoseconds), modified: modified.ok().map(nanoseconds) }
    }

    fn set(&self, editor: &Editor<'_>, entry: &Entry) -> Result<(), FsError> {
        editor.set_times(entry, self.created, self.modified)
    }
}
