//! Reads: FS1, the download of FS5, FS7.

use std::fs;
use std::path::Path;

use vellum_fixtures::control::Error as ControlError;
use vellum_fixtures::events::SplitMix64;

use super::super::case::{Answer, Case};
use super::super::rows::Column;
use super::volume::{LARGE, NAMES, SMALL, SMALL_LEN, Volume, bytes, digest, large, name, path, read_at};
use crate::error::{Error, Result};

/// The bytes of one read.
const READ_LEN: usize = 1 << 10;
/// How many entries a page has, and behind which one it begins.
const PAGE_LEN: u64 = 100;
const PAGE_BEHIND: usize = 4_321;

/// Returns the file and the offset of each read, from a fixed seed.
fn places() -> Vec<(usize, u64)> {
    let mut words = SplitMix64::new(1);
    let mut draw = |below: usize| words.draw() % below as u64;
    (0..SMALL).map(|_| (draw(SMALL) as usize, draw(SMALL_LEN - READ_LEN))).collect()
}

fn expected() -> Answer {
    let read = places().into_iter().flat_map(|(file, offset)| {
        bytes(SMALL_LEN, file as u64).into_iter().skip(offset as usize).take(READ_LEN).collect::<Vec<_>>()
    });
    digest(&read.collect::<Vec<_>>())
}

/// Reads all places one after another and keeps their bytes.
fn read_all(mut read: impl FnMut(usize, u64, &mut [u8]) -> Result<()>) -> Result<Vec<u8>> {
    let mut all = vec![0; SMALL * READ_LEN];
    for ((file, offset), out) in places().into_iter().zip(all.chunks_mut(READ_LEN)) {
        read(file, offset, out)?;
    }
    Ok(all)
}

/// A work that reads bytes: to compare them is not timed.
struct Bytes<F> {
    run: F,
    found: Vec<u8>,
}

impl<F: FnMut() -> Result<Vec<u8>>> super::super::case::Work for Bytes<F> {
    fn run(&mut self) -> Result<Answer> {
        self.found = (self.run)()?;
        Ok(Answer::Count(self.found.len() as i64))
    }

    fn confirm(&mut self, _count: Answer) -> Result<Answer> {
        Ok(digest(&self.found))
    }
}

fn reads<F: FnMut() -> Result<Vec<u8>>>(run: F) -> Bytes<F> {
    Bytes { run, found: Vec::new() }
}

/// Adds the plain files, read through open handles, and the values.
fn beside<'v>(volume: &'v Volume, case: Case<'v>) -> Result<Case<'v>> {
    let mut files = (0..SMALL).map(|number| volume.plain.open(&path(number))).collect::<Result<Vec<_>>>()?;
    let plain = move || {
        read_all(|file, offset, out| {
            let source = Path::new("a plain file");
            let Some(file) = files.get_mut(file) else { return Ok(()) };
            read_at(file, offset, out).map_err(|error| Error::File { path: source.into(), source: error })
        })
    };
    let blobs = volume.blobs.borrow();
    let ids = (0..SMALL).map(|number| Ok(blobs.id(&path(number))?)).collect::<Result<Vec<i64>>>()?;
    let values = move || {
        let blobs = volume.blobs.borrow();
        blobs.at_one_moment(|| {
            let mut open = blobs.open_blob(ids.first().copied().unwrap_or(1))?;
            read_all(|file, offset, out| {
                open.reopen(ids.get(file).copied().unwrap_or(1)).map_err(ControlError::from)?;
                Ok(open.read_at_exact(out, offset as usize).map_err(ControlError::from)?)
            })
        })
    };
    Ok(case.side(Column::Control, reads(values)).side(Column::PlainFile, reads(plain)))
}

pub(super) fn in_snapshot(volume: &Volume) -> Result<Case<'_>> {
    let files = volume.db.snapshot()?.files();
    let open = (0..SMALL).map(|number| files.open(&path(number))).collect::<vellum::Result<Vec<_>>>()?;
    by_open_files(volume, open)
}

pub(super) fn by_handle(volume: &Volume) -> Result<Case<'_>> {
    let files = volume.db.files();
    let open = (0..SMALL).map(|number| files.open(&path(number))).collect::<vellum::Result<Vec<_>>>()?;
    by_open_files(volume, open)
}

fn by_open_files<'v>(volume: &'v Volume, open: Vec<vellum::File<'static>>) -> Result<Case<'v>> {
    let ours = move || {
        read_all(|file, offset, out| {
            if let Some(file) = open.get(file) {
                file.read_at(offset, out)?;
            }
            Ok(())
        })
    };
    let case = Case::new(expected()).against(Column::PlainFile).side(Column::Compiled, reads(ours));
    beside(volume, case)
}

pub(super) fn by_path(volume: &Volume) -> Result<Case<'_>> {
    let paths: Vec<String> = (0..SMALL).map(path).collect();
    let files = volume.db.files();
    let ours = move || {
        read_all(|file, offset, out| {
            if let Some(path) = paths.get(file) {
                files.read_at(path, offset, out)?;
            }
            Ok(())
        })
    };
    let case = Case::new(expected()).against(Column::PlainFile).side(Column::Compiled, reads(ours));
    beside(volume, case)
}

pub(super) fn download(volume: &Volume) -> Result<Case<'_>> {
    volume.restore_vellum()?;
    volume.restore_plain()?;
    volume.restore_blobs()?;
    let case = Case::new(digest(&large())).against(Column::PlainFile);
    let case = case.side(Column::Compiled, reads(|| Ok(volume.db.files().read(LARGE)?)));
    let case = case.side(Column::Control, reads(|| Ok(volume.blobs.borrow().get(LARGE)?)));
    Ok(case.side(Column::PlainFile, reads(|| volume.plain.read(LARGE))))
}

/// A page in the order of names. A directory of the system has no order and no place to begin: it is read whole.
pub(super) fn list(volume: &Volume) -> Result<Case<'_>> {
    let expected = (PAGE_BEHIND + 1..NAMES).take(PAGE_LEN as usize).map(name).collect();
    let behind = volume.db.files().list("/names").limit(PAGE_BEHIND as u64 + 1).to_vec()?.pop();
    let ours = move || {
        let page = volume.db.files().list("/names").limit(PAGE_LEN);
        let page = if let Some(behind) = &behind { page.after(behind) } else { page };
        Ok(Answer::Names(page.to_vec()?.iter().map(|entry| entry.name().to_owned()).collect()))
    };
    let plain = || {
        let behind = name(PAGE_BEHIND);
        volume.plain.with("/names", |dir| {
            let mut names = Vec::new();
            for entry in fs::read_dir(dir)? {
                names.push(entry?.file_name().to_string_lossy().into_owned());
            }
            names.sort_unstable();
            let page: Vec<String> =
                names.into_iter().filter(|name| *name > behind).take(PAGE_LEN as usize).collect();
            // A listing says how long its files are, too.
            for name in &page {
                fs::metadata(dir.join(name))?;
            }
            Ok(Answer::Names(page))
        })
    };
    let case = Case::new(Answer::Names(expected)).against(Column::PlainFile);
    Ok(case.side(Column::Compiled, ours).side(Column::PlainFile, plain))
}
