//! Open handles, which outlive what happens to their files by other ways.

use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};

use vellum::{ErrorKind, File, FileMut};

use crate::compare::same;
use crate::draw::{Draw, MAX_LEN};
use crate::model::{Answer, Content, Model};
use crate::support::TestResult;

/// Returns the error of a stream as that of a call.
fn kind(error: &io::Error) -> ErrorKind {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<vellum::Error>()) {
        Some(error) => error.kind(),
        None if error.kind() == io::ErrorKind::InvalidInput => ErrorKind::OutOfRange,
        None => ErrorKind::Internal,
    }
}

fn same_stream<T: std::fmt::Debug + PartialEq>(
    what: &str,
    found: io::Result<T>,
    expected: &Answer<T>,
) -> TestResult {
    let found = found.map_err(|error| kind(&error));
    let is_same = found == *expected;
    is_same
        .then_some(())
        .ok_or_else(|| format!("{what} gave {found:.200?} instead of {expected:.200?}").into())
}

fn draw_seek(draw: &mut Draw) -> SeekFrom {
    let by = draw.len() as i64 * if draw.one_in(2) { 1 } else { -1 };
    match draw.below(8) {
        0 => SeekFrom::Start(u64::MAX),
        1 => SeekFrom::End(i64::MAX),
        2..4 => SeekFrom::End(by),
        4..6 => SeekFrom::Current(by),
        _ => SeekFrom::Start(draw.len()),
    }
}

fn moved(position: u64, len: u64, to: SeekFrom) -> Answer<u64> {
    let moved = match to {
        SeekFrom::Start(offset) => i128::from(offset),
        SeekFrom::Current(by) => i128::from(position) + i128::from(by),
        SeekFrom::End(by) => i128::from(len) + i128::from(by),
    };
    i64::try_from(moved).ok().and_then(|moved| u64::try_from(moved).ok()).ok_or(ErrorKind::OutOfRange)
}

/// A file that is open for reading, and the moment that it shows.
pub(crate) struct Reader {
    file: File<'static>,
    opened: Content,
    position: u64,
}

impl Reader {
    pub(crate) fn new(file: File<'static>, opened: Content) -> Self {
        Reader { file, opened, position: 0 }
    }

    /// Reads, at a position or as a stream. What a stream has read ahead it may hand out still.
    pub(crate) fn step(&mut self, model: &mut Model, draw: &mut Draw) -> TestResult {
        let now = model.by_id(self.opened.id).map(|content| content.clone());
        let is_fresh = now.is_ok_and(|now| now.revision == self.opened.revision);
        let len = draw.len();
        let mut out = vec![0x5A; len as usize];
        if draw.one_in(2) {
            let offset = draw.offset();
            let expected = Ok(self.opened.range(offset, len).to_vec()).filter_fresh(is_fresh);
            let found = self.file.read_at(offset, &mut out).map(|count| out[..count].to_vec());
            return same(&format!("a handle's read_at {offset}, {len} bytes"), found, &expected);
        }
        match draw.below(3) {
            0 => {
                let to = draw_seek(draw);
                let expected = moved(self.position, self.opened.bytes.len() as u64, to);
                self.position = expected.unwrap_or(self.position);
                same_stream(&format!("seek {to:?}"), self.file.seek(to), &expected)
            }
            1 => {
                let found = self.file.fill_buf().map(<[u8]>::to_vec);
                self.took(&found, is_fresh)?;
                let used = found.map_or(0, |found| found.len() / 2);
                self.file.consume(used);
                self.position += used as u64;
                Ok(())
            }
            _ => {
                let found = self.file.read(&mut out).map(|count| out[..count].to_vec());
                self.took(&found, is_fresh)?;
                self.position += found.map_or(0, |found| found.len() as u64);
                Ok(())
            }
        }
    }

    /// A stream gives bytes of its moment, as many as it likes but none, or says that they changed.
    fn took(&self, found: &io::Result<Vec<u8>>, is_fresh: bool) -> TestResult {
        match found {
            Ok(found) => {
                let len = found.len() as u64;
                assert!(
                    self.opened.range(self.position, len) == found,
                    "at {} of {:?}",
                    self.position,
                    self.file
                );
                Ok(())
            }
            Err(error) if !is_fresh && kind(error) == ErrorKind::Changed => Ok(()),
            Err(error) => Err(format!("a stream failed: {error}").into()),
        }
    }
}

trait FilterFresh {
    fn filter_fresh(self, is_fresh: bool) -> Self;
}

impl<T> FilterFresh for Answer<T> {
    fn filter_fresh(self, is_fresh: bool) -> Self {
        if is_fresh { self } else { Err(ErrorKind::Changed) }
    }
}

/// A file that is open for reading and writing, and what it has not stored yet.
pub(crate) struct Editor<'s> {
    pub(crate) file: FileMut<'s>,
    pub(crate) id: u64,
    position: u64,
    pending: Option<(u64, Vec<u8>)>,
}

impl<'s> Editor<'s> {
    pub(crate) fn new(file: FileMut<'s>, id: u64) -> Self {
        Editor { file, id, position: 0, pending: None }
    }

    /// What every call but `write` begins with; what cannot be stored stays pending.
    fn store(&mut self, model: &mut Model) -> Answer {
        if let Some((at, bytes)) = &self.pending {
            model.by_id(self.id)?.write_at(*at, bytes)?;
            self.pending = None;
        }
        Ok(())
    }

    pub(crate) fn step(&mut self, model: &mut Model, draw: &mut Draw) -> TestResult {
        let id = self.id;
        match draw.below(10) {
            0..3 => {
                let bytes = draw.bytes();
                let is_too_large = self.position + bytes.len() as u64 > MAX_LEN;
                let expected = if is_too_large { Err(ErrorKind::TooLarge) } else { Ok(bytes.len()) };
                if expected.is_ok() && !bytes.is_empty() {
                    let pending = self.pending.get_or_insert((self.position, Vec::new()));
                    pending.1.extend_from_slice(&bytes);
                }
                self.position += expected.unwrap_or(0) as u64;
                same_stream("write", self.file.write(&bytes), &expected)
            }
            3 if draw.one_in(3) => self.write_past_the_longest(model),
            3 => {
                let expected = self.store(model);
                same_stream("flush", self.file.flush(), &expected)
            }
            4 => {
                let to = draw_seek(draw);
                let is_end = matches!(to, SeekFrom::End(_));
                let expected = self.store(model).and_then(|()| {
                    let len = if is_end { model.by_id(id)?.bytes.len() as u64 } else { 0 };
                    moved(self.position, len, to)
                });
                self.position = expected.unwrap_or(self.position);
                same_stream(&format!("seek {to:?}"), self.file.seek(to), &expected)
            }
            5 => {
                let len = draw.len();
                let mut out = vec![0x5A; len as usize];
                let expected =
                    self.store(model).and_then(|()| Ok(model.by_id(id)?.range(self.position, len).to_vec()));
                self.position += expected.as_ref().map_or(0, |bytes| bytes.len() as u64);
                let found = self.file.read(&mut out).map(|count| out[..count].to_vec());
                same_stream("read", found, &expected)
            }
            6 => {
                let (offset, len) = (draw.offset(), draw.len());
                let mut out = vec![0x5A; len as usize];
                let expected =
                    self.store(model).and_then(|()| Ok(model.by_id(id)?.range(offset, len).to_vec()));
                let found = self.file.read_at(offset, &mut out).map(|count| out[..count].to_vec());
                same(&format!("an editor's read_at {offset}, {len} bytes"), found, &expected)
            }
            7 => {
                let (offset, bytes) = (draw.offset(), draw.bytes());
                let expected = self.store(model).and_then(|()| model.by_id(id)?.write_at(offset, &bytes));
                let what = format!("an editor's write_at {offset}, {} bytes", bytes.len());
                same(&what, self.file.write_at(offset, &bytes), &expected)
            }
            8 => {
                let len = draw.offset();
                let expected = self.store(model).and_then(|()| model.by_id(id)?.set_len(len));
                same(&format!("an editor's set_len {len}"), self.file.set_len(len), &expected)?;
                let expected = self.store(model).and_then(|()| Ok(model.by_id(id)?.bytes.len() as u64));
                same("an editor's length", self.file.length(), &expected)
            }
            _ => {
                let (offset, len) = (draw.offset(), draw.offset());
                let expected = self.store(model).and_then(|()| {
                    model.by_id(id)?.punch_hole(offset, len);
                    Ok(())
                });
                let what = format!("an editor's punch_hole {offset} of {len}");
                same(&what, self.file.punch_hole(offset, len), &expected)
            }
        }
    }

    /// Writes where no file can have bytes, and goes back.
    fn write_past_the_longest(&mut self, model: &mut Model) -> TestResult {
        let expected = self.store(model).map(|()| MAX_LEN);
        same_stream("seek to the longest length", self.file.seek(SeekFrom::Start(MAX_LEN)), &expected)?;
        if expected.is_ok() {
            same_stream("write past it", self.file.write(&[7; 9]), &Err(ErrorKind::TooLarge))?;
            let back = self.file.seek(SeekFrom::Start(self.position));
            same_stream("seek back", back, &Ok(self.position))?;
        }
        Ok(())
    }

    /// Drops the handle, which stores what is pending where there is still a file for it.
    pub(crate) fn close(mut self, model: &mut Model) {
        // Its answer is nobody's: a handle that is dropped only logs what it could not store.
        let _ = self.store(model);
    }
}
