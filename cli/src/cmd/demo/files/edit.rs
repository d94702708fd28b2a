//! Edits and uploads: FS2 to FS5.

use std::io::Read;

use super::super::case::{Answer, Case, Work};
use super::super::rows::Column;
use super::volume::{LARGE, Volume, bytes, digest, large, read_at, write_at};
use crate::error::Result;

/// Where FS2 writes, and how many bytes.
const INSIDE: u64 = 400 << 10;
const INSIDE_LEN: usize = 4 << 10;
/// Where FS3 writes a byte: 100 MiB and 100 KiB from the beginning.
const BEHIND_GAP: u64 = (100 << 20) + (100 << 10);
/// What FS4 grows the large file to, and cuts it to.
const GROWN_LEN: u64 = 100 << 20;
const CUT_LEN: u64 = 8 << 10;
/// How many bytes the stream of FS5 gives.
const STREAM_LEN: u64 = 64 << 20;

/// An operation on the large file: each side restores it, does its part and shows what came of it.
struct Edit<P, R, C> {
    prepare: P,
    run: R,
    confirm: C,
}

impl<P, R, C> Work for Edit<P, R, C>
where
    P: FnMut() -> Result<()>,
    R: FnMut() -> Result<()>,
    C: FnMut() -> Result<Answer>,
{
    fn prepare(&mut self) -> Result<()> {
        (self.prepare)()
    }

    fn run(&mut self) -> Result<Answer> {
        (self.run)()?;
        Ok(Answer::Count(0))
    }

    fn confirm(&mut self, _count: Answer) -> Result<Answer> {
        (self.confirm)()
    }
}

fn edit(
    prepare: impl FnMut() -> Result<()>,
    run: impl FnMut() -> Result<()>,
    confirm: impl FnMut() -> Result<Answer>,
) -> impl Work {
    Edit { prepare, run, confirm }
}

/// What is to come of an operation: bytes of the large file from an offset on, and its length.
#[derive(Clone, Copy)]
struct Shown {
    offset: u64,
    len: usize,
}

impl Shown {
    fn of_vellum(self, volume: &Volume) -> Result<Answer> {
        let mut shown = vec![0xFF; self.len];
        let count = volume.db.files().read_at(LARGE, self.offset, &mut shown)?;
        shown.truncate(count);
        Ok(joined(shown, volume.db.files().stat(LARGE)?.length))
    }

    fn of_plain(self, volume: &Volume) -> Result<Answer> {
        volume.plain.with(LARGE, |path| {
            let mut file = std::fs::File::open(path)?;
            let len = file.metadata()?.len();
            let mut shown = vec![0xFF; self.count(len)];
            read_at(&mut file, self.offset, &mut shown)?;
            Ok(joined(shown, len))
        })
    }

    fn of_blobs(self, volume: &Volume) -> Result<Answer> {
        let blobs = volume.blobs.borrow();
        let (shown, len) = blobs.read_at(blobs.id(LARGE)?, self.offset as usize, self.len)?;
        Ok(joined(shown, len as u64))
    }

    /// Returns how many of the bytes a file of that length has.
    fn count(self, len: u64) -> usize {
        len.saturating_sub(self.offset).min(self.len as u64) as usize
    }

    fn of_all(self, all: &[u8]) -> Answer {
        joined(all.iter().skip(self.offset as usize).take(self.len).copied().collect(), all.len() as u64)
    }
}

fn joined(mut shown: Vec<u8>, len: u64) -> Answer {
    shown.extend_from_slice(&len.to_le_bytes());
    digest(&shown)
}

pub(super) fn inside(volume: &Volume) -> Result<Case<'_>> {
    let shown = Shown { offset: INSIDE - 10, len: INSIDE_LEN + 20 };
    let new = bytes(INSIDE_LEN, 99);
    let mut expected = large();
    expected.splice(INSIDE as usize..INSIDE as usize + INSIDE_LEN, new.iter().copied());
    let expected = shown.of_all(&expected);
    let handle = volume.db.files().edit(LARGE)?;
    let id = volume.blobs.borrow().id(LARGE)?;
    let mut plain = volume.plain.open(LARGE)?;
    let (ours, naive, theirs) = (new.clone(), new.clone(), new);
    let case = Case::new(expected).against(Column::PlainFile);
    let case = case.side(
        Column::Compiled,
        edit(|| Ok(()), move || Ok(handle.write_at(INSIDE, &ours)?), move || shown.of_vellum(volume)),
    );
    let case = case.side(
        Column::Control,
        edit(
            || Ok(()),
            move || Ok(volume.blobs.borrow().write_at(id, INSIDE as usize, &naive)?),
            move || shown.of_blobs(volume),
        ),
    );
    Ok(case.side(
        Column::PlainFile,
        edit(
            || Ok(()),
            move || {
                volume.plain.with(LARGE, |_| {
                    write_at(&mut plain, INSIDE, &theirs)?;
                    volume.plain.sync(&plain)
                })
            },
            move || shown.of_plain(volume),
        ),
    ))
}

pub(super) fn behind_gap(volume: &Volume) -> Result<Case<'_>> {
    let shown = Shown { offset: BEHIND_GAP - 1_000, len: 2_000 };
    let mut expected = vec![0; 1_000];
    expected.push(7);
    let case = Case::new(joined(expected, BEHIND_GAP + 1)).against(Column::PlainFile);
    let handle = volume.db.files().edit(LARGE)?;
    let case = case.side(
        Column::Compiled,
        edit(
            || volume.restore_vellum(),
            move || Ok(handle.write_at(BEHIND_GAP, [7])?),
            move || shown.of_vellum(volume),
        ),
    );
    let case = case.side(
        Column::Control,
        edit(
            || volume.restore_blobs(),
            move || Ok(volume.blobs.borrow_mut().resize(LARGE, BEHIND_GAP as usize + 1, &[7])?),
            move || shown.of_blobs(volume),
        ),
    );
    Ok(case.side(
        Column::PlainFile,
        edit(
            || volume.restore_plain(),
            move || {
                volume.plain.with(LARGE, |path| {
                    let mut file = std::fs::File::options().write(true).open(path)?;
                    write_at(&mut file, BEHIND_GAP, &[7])?;
                    volume.plain.sync(&file)
                })
            },
            move || shown.of_plain(volume),
        ),
    ))
}

pub(super) fn grow(volume: &Volume) -> Result<Case<'_>> {
    resize(volume, GROWN_LEN)
}

pub(super) fn truncate(volume: &Volume) -> Result<Case<'_>> {
    resize(volume, CUT_LEN)
}

fn resize(volume: &Volume, len: u64) -> Result<Case<'_>> {
    let shown = Shown { offset: CUT_LEN - 100, len: 200 };
    let mut expected = large();
    expected.resize(len as usize, 0);
    let case = Case::new(shown.of_all(&expected)).against(Column::PlainFile);
    let case = case.side(
        Column::Compiled,
        edit(
            || volume.restore_vellum(),
            move || Ok(volume.db.files().set_len(LARGE, len)?),
            move || shown.of_vellum(volume),
        ),
    );
    let case = case.side(
        Column::Control,
        edit(
            || volume.restore_blobs(),
            move || Ok(volume.blobs.borrow_mut().resize(LARGE, len as usize, &[])?),
            move || shown.of_blobs(volume),
        ),
    );
    Ok(case.side(
        Column::PlainFile,
        edit(
            || volume.restore_plain(),
            move || {
                volume.plain.with(LARGE, |path| {
                    let file = std::fs::File::options().write(true).open(path)?;
                    file.set_len(len)?;
                    volume.plain.sync(&file)
                })
            },
            move || shown.of_plain(volume),
        ),
    ))
}

pub(super) fn upload(volume: &Volume) -> Result<Case<'_>> {
    const NEW: &str = "/put/large";
    let (ours, naive, plain) = (large(), large(), large());
    let case = Case::new(digest(&ours)).against(Column::PlainFile);
    let case = case.side(
        Column::Compiled,
        edit(
            || Ok(volume.db.files().delete(NEW).map(drop)?),
            move || Ok(volume.db.files().write(NEW, &ours)?),
            || Ok(digest(&volume.db.files().read(NEW)?)),
        ),
    );
    let case = case.side(
        Column::Control,
        edit(
            || Ok(volume.blobs.borrow().put(NEW, b"")?),
            move || Ok(volume.blobs.borrow().put(NEW, &naive)?),
            || Ok(digest(&volume.blobs.borrow().get(NEW)?)),
        ),
    );
    Ok(case.side(
        Column::PlainFile,
        edit(
            || volume.plain.with(NEW, |path| if path.exists() { std::fs::remove_file(path) } else { Ok(()) }),
            move || volume.plain.write(NEW, &plain),
            || Ok(digest(&volume.plain.read(NEW)?)),
        ),
    ))
}

/// A stream that nobody holds in memory: the heap's peak is that of the engine.
pub(super) fn stream(volume: &Volume) -> Result<Case<'_>> {
    const NEW: &str = "/put/stream";
    let source = || std::io::repeat(0x5A).take(STREAM_LEN);
    let case = Case::new(Answer::Count(STREAM_LEN as i64)).against(Column::PlainFile).with_heap();
    let case = case
        .side(Column::Compiled, move || Ok(Answer::counted(volume.db.files().write_from(NEW, source())?)));
    Ok(case.side(Column::PlainFile, move || {
        let copied = volume.plain.with(NEW, |path| {
            let mut file = std::fs::File::create(path)?;
            let copied = std::io::copy(&mut source(), &mut file)?;
            volume.plain.sync(&file)?;
            Ok(copied)
        })?;
        Ok(Answer::counted(copied))
    }))
}
