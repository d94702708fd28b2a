//! Many small files, by one and by 64 callers: FS6.

use std::thread;

use super::super::case::{Answer, Case};
use super::super::rows::Column;
use super::volume::{Volume, bytes};
use crate::error::{Error, Result};

/// How many files, and the bytes of each.
const FILES: usize = 256;
const LEN: usize = 4 << 10;
const CALLERS: usize = 64;

fn path(number: usize) -> String {
    format!("/put/{number:03}")
}

pub(super) fn put(volume: &Volume) -> Result<Case<'_>> {
    puts(volume, 1)
}

pub(super) fn put_together(volume: &Volume) -> Result<Case<'_>> {
    puts(volume, CALLERS)
}

pub(super) fn get(volume: &Volume) -> Result<Case<'_>> {
    gets(volume, 1)
}

pub(super) fn get_together(volume: &Volume) -> Result<Case<'_>> {
    gets(volume, CALLERS)
}

fn puts(volume: &Volume, callers: usize) -> Result<Case<'_>> {
    let content = bytes(LEN, 6);
    let (ours, plain) = (content.clone(), content);
    let (db, disk) = (&volume.db, &volume.plain);
    let case = Case::new(Answer::Count((FILES * LEN) as i64)).against(Column::PlainFile);
    let case = case.side(Column::Compiled, move || {
        together(callers, |number| {
            db.files().write(&path(number), &ours)?;
            Ok(ours.len())
        })
    });
    Ok(case.side(Column::PlainFile, move || {
        together(callers, |number| {
            disk.write(&path(number), &plain)?;
            Ok(plain.len())
        })
    }))
}

fn gets(volume: &Volume, callers: usize) -> Result<Case<'_>> {
    let (db, disk) = (&volume.db, &volume.plain);
    let content = bytes(LEN, 6);
    for number in 0..FILES {
        db.files().write(&path(number), &content)?;
        disk.write(&path(number), &content)?;
    }
    let case = Case::new(Answer::Count((FILES * LEN) as i64)).against(Column::PlainFile);
    let right = |found: Vec<u8>, content: &[u8]| if found == content { found.len() } else { 0 };
    let (ours, plain) = (content.clone(), content);
    let case = case.side(Column::Compiled, move || {
        together(callers, |number| Ok(right(db.files().read(&path(number))?, &ours)))
    });
    Ok(case.side(Column::PlainFile, move || {
        together(callers, |number| Ok(right(disk.read(&path(number))?, &plain)))
    }))
}

/// Does something with each file, the files dealt out to so many callers, and returns the sum of what it gave.
fn together(callers: usize, each: impl Fn(usize) -> Result<usize> + Sync) -> Result<Answer> {
    let each = &each;
    let sum = thread::scope(|scope| {
        let run = |caller| move || (caller..FILES).step_by(callers).map(each).sum::<Result<usize>>();
        let running: Vec<_> = (0..callers).map(|caller| scope.spawn(run(caller))).collect();
        running.into_iter().map(|caller| caller.join().map_err(|_| Error::Caller)?).sum::<Result<usize>>()
    })?;
    Ok(Answer::Count(sum as i64))
}
