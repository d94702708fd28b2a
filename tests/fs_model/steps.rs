//! One operation by path, on a database's files or a transaction's, and on the model.

use std::cell::RefCell;

use vellum::{ErrorKind, FileKind, FileOrder, Files};

use crate::compare::{row, same};
use crate::draw::Draw;
use crate::model::{Answer, Model, Node, parse};
use crate::source::Source;
use crate::support::TestResult;

/// How much of a source is staged at once.
const PART_LEN: usize = 2 << 20;

/// Patterns, and what they keep.
type Pattern = (&'static str, fn(&str) -> bool);
const PATTERNS: &[Pattern] = &[
    ("*", |path| !path.contains('/')),
    ("**", |_| true),
    ("**/b", |path| path.rsplit('/').next() == Some("b")),
    ("?", |path| !path.contains('/') && path.chars().count() == 1),
    ("*/a", |path| path.split('/').count() == 2 && path.ends_with("/a")),
    ("[ab]", |path| path == "a" || path == "b"),
    ("x*", |path| path.starts_with('x') && !path.contains('/')),
    ("A", |_| false),
];

/// Changes or asks something of a database's files.
pub(crate) fn step(files: &Files<'_>, model: &mut Model, draw: &mut Draw) -> TestResult {
    if draw.one_in(4) { read(files, model, draw) } else { write(files, model, draw, false) }
}

/// The same of a transaction's files.
pub(crate) fn step_inside(files: &Files<'_>, model: &mut Model, draw: &mut Draw) -> TestResult {
    if draw.one_in(4) { read(files, model, draw) } else { write(files, model, draw, true) }
}

fn write(files: &Files<'_>, model: &mut Model, draw: &mut Draw, is_inside: bool) -> TestResult {
    let path = draw.path(model);
    let known = parse(&path);
    let shown = |what: &str| format!("{what} {path:?}");
    match draw.below(21) {
        0..2 => {
            let bytes = draw.bytes();
            let expected = model.attempt(|model| {
                model.file_or_new(&known?)?.replace(&bytes);
                Ok(())
            });
            same(&shown("write"), files.write(&path, &bytes), &expected)
        }
        2..4 => write_from(files, model, draw, &path, is_inside),
        4..7 => {
            let (offset, bytes) = (draw.offset(), draw.bytes());
            let expected = model.attempt(|model| model.file_or_new(&known?)?.write_at(offset, &bytes));
            let what = format!("write_at {path:?} at {offset}, {} bytes", bytes.len());
            same(&what, files.write_at(&path, offset, &bytes), &expected)
        }
        7 => {
            let bytes = draw.bytes();
            let expected = model.attempt(|model| {
                let content = model.file_or_new(&known?)?;
                content.write_at(content.bytes.len() as u64, &bytes)?;
                Ok(content.bytes.len() as u64)
            });
            same(&shown("append"), files.append(&path, &bytes), &expected)
        }
        8 => {
            let len = draw.offset();
            let expected = model.attempt(|model| model.file_mut(&known?)?.set_len(len));
            same(&format!("set_len {path:?} {len}"), files.set_len(&path, len), &expected)
        }
        9 => {
            let (offset, len) = (draw.offset(), draw.offset());
            let expected = model.attempt(|model| {
                model.file_mut(&known?)?.punch_hole(offset, len);
                Ok(())
            });
            let what = format!("punch_hole {path:?} at {offset} of {len}");
            same(&what, files.punch_hole(&path, offset, len), &expected)
        }
        10..12 => {
            let to = if draw.one_in(2) { path.clone() } else { draw.path(model) };
            let (from_at, to_at, len) = (draw.offset(), draw.offset(), draw.offset());
            let expected = model.attempt(|model| {
                let (from, to) = (known?, parse(&to)?);
                model.copy_range((&from, from_at), (&to, to_at), len)
            });
            let what = format!("copy_range {path:?} {from_at} to {to:?} {to_at} of {len}");
            same(&what, files.copy_range((&path, from_at), (&to, to_at), len), &expected)
        }
        12 => {
            let expected = model.attempt(|model| model.create_dir(&known?));
            same(&shown("create_dir"), files.create_dir(&path), &expected)
        }
        13 => {
            let expected = model.attempt(|model| model.delete(&known?));
            same(&shown("delete"), files.delete(&path), &expected)
        }
        14 => {
            let expected = model.attempt(|model| model.delete_all(&known?));
            same(&shown("delete_all"), files.delete_all(&path), &expected)
        }
        15 => {
            let expected = known.and_then(|path| model.file(&path).map(drop));
            same(&shown("seal"), files.seal(&path).map(drop), &expected)
        }
        _ => transfer(files, model, draw, &path),
    }
}

fn transfer(files: &Files<'_>, model: &mut Model, draw: &mut Draw, from: &str) -> TestResult {
    let to = draw.path(model);
    let (over, is_copy) = (draw.one_in(2), draw.one_in(3));
    let expected = model.attempt(|model| {
        let (from, to) = (parse(from)?, parse(&to)?);
        model.transfer(&from, &to, over, is_copy)
    });
    let done = match (over, is_copy) {
        (false, false) => files.rename(from, &to),
        (true, false) => files.rename_over(from, &to),
        (false, true) => files.copy(from, &to),
        (true, true) => files.copy_over(from, &to),
    };
    same(&format!("{from:?} to {to:?}, over {over}, copy {is_copy}"), done, &expected)
}

/// Writes from a source that is whole, fails, or changes files itself; now and then one that has to be staged.
fn write_from(
    files: &Files<'_>,
    model: &mut Model,
    draw: &mut Draw,
    path: &str,
    is_inside: bool,
) -> TestResult {
    let known = parse(path);
    let first = if draw.one_in(12) { PART_LEN } else { 0 };
    let tail = draw.bytes();
    let bytes = [vec![draw.below(256) as u8; first], tail].concat();
    let turn = if draw.one_in(2) { usize::MAX } else { draw.below(bytes.len() as u64 + 1) as usize };
    let other = draw.path(model);
    let is_failure = draw.one_in(2);
    let before = model.clone();
    let opens = known.clone().and_then(|path| match model.find(&path)? {
        Some(Node::Directory) => Err(ErrorKind::TypeMismatch),
        _ => Ok(path),
    });
    let shared = RefCell::new(&mut *model);
    let meddled = RefCell::new(Ok(()));
    let mut meddle = || *meddled.borrow_mut() = take_away(files, &mut shared.borrow_mut(), &other);
    let mut source = Source { bytes: &bytes, at: 0, piece_len: 50_000, turn, event: None };
    if !is_failure {
        source.event = Some(&mut meddle);
    }
    let done = files.write_from(path, source);
    meddled.into_inner()?;
    let expected = opens.and_then(|path| {
        // What fails is read to its end, where the failure can be.
        if is_failure && turn <= bytes.len() {
            return Err(ErrorKind::Io);
        }
        model.attempt(|model| {
            model.file_or_new(&path)?.replace(&bytes);
            Ok(bytes.len() as u64)
        })
    });
    if expected.is_err() && is_inside {
        // What the source did goes with the call that read it.
        *model = before;
    }
    let what = format!("write_from {path:?} of {}, a turn at {turn} ({is_failure}), {other:?}", bytes.len());
    same(&what, done, &expected)
}

/// What a source does that meddles: something is away when what was read takes its place.
fn take_away(files: &Files<'_>, model: &mut Model, path: &str) -> TestResult {
    let expected = model.attempt(|model| model.delete_all(&parse(path)?));
    same(&format!("delete_all {path:?} by a source"), files.delete_all(path), &expected)?;
    let expected = model.attempt(|model| model.create_dir(&parse(path)?));
    same(&format!("create_dir {path:?} by a source"), files.create_dir(path), &expected)
}

/// Asks something. What it answers is compared; nothing changes.
pub(crate) fn read(files: &Files<'_>, model: &Model, draw: &mut Draw) -> TestResult {
    let path = draw.path(model);
    let known = parse(&path);
    let shown = |what: &str| format!("{what} {path:?}");
    match draw.below(6) {
        0 => {
            let expected = known.and_then(|path| Ok(model.file(&path)?.bytes.to_vec()));
            same(&shown("read"), files.read(&path), &expected)
        }
        1 => {
            let (offset, len) = (draw.offset(), draw.len());
            let expected = known.and_then(|path| Ok(model.file(&path)?.range(offset, len).to_vec()));
            let mut out = vec![0xA5; len as usize];
            let found = files.read_at(&path, offset, &mut out).map(|count| out[..count].to_vec());
            same(&format!("read_at {path:?} at {offset}, {len} bytes"), found, &expected)
        }
        2 => {
            let expected = known.and_then(|path| match model.find(&path) {
                Err(ErrorKind::TypeMismatch) => Ok(false),
                found => Ok(found?.is_some()),
            });
            same(&shown("exists"), files.exists(&path), &expected)
        }
        3 => stat(files, model, &path),
        4 => {
            let expected = known.and_then(|path| {
                let inside = model.inside(&path).map(|(_, node)| node);
                Ok(sum([model.get(&path)?]
                    .into_iter()
                    .filter(|node| **node != Node::Directory)
                    .chain(inside)))
            });
            let found = files.usage(&path);
            same(&shown("usage"), found.map(|u| (u.files, u.directories, u.length)), &expected)
        }
        _ => list(files, model, draw, &path),
    }
}

fn sum<'m>(nodes: impl Iterator<Item = &'m Node>) -> (u64, u64, u64) {
    nodes.fold((0, 0, 0), |(files, directories, len), node| match node {
        Node::Directory => (files, directories + 1, len),
        Node::File(content) => (files + 1, directories, len + content.bytes.len() as u64),
    })
}

fn stat(files: &Files<'_>, model: &Model, path: &str) -> TestResult {
    let expected = parse(path).and_then(|path| {
        let (_, kind, len) = row("", model.get(&path)?);
        Ok((kind, len))
    });
    let found = files.stat(path);
    if let (Ok(stat), Ok(Node::File(content))) =
        (&found, parse(path).and_then(|path| model.get(&path).cloned()))
    {
        let written = content.bytes.iter().filter(|byte| **byte != 0).count() as u64;
        if !(written..=content.bytes.len() as u64).contains(&stat.allocated) {
            return Err(format!("{path:?} of {written} bytes takes {}", stat.allocated).into());
        }
    }
    same(&format!("stat {path:?}"), found.map(|stat| (stat.kind, stat.length)), &expected)
}

fn list(files: &Files<'_>, model: &Model, draw: &mut Draw, path: &str) -> TestResult {
    let order = *draw.pick(&[FileOrder::Path, FileOrder::Length, FileOrder::Created, FileOrder::Modified]);
    let (recursive, descending) = (draw.one_in(2), draw.one_in(2));
    let (pattern, keeps) = if draw.one_in(3) { *draw.pick(PATTERNS) } else { ("**", PATTERNS[1].1) };
    let what = format!("list {path:?} {order:?} {recursive} {descending} {pattern:?}");
    let mut listing = files.list(path).order_by(order);
    if recursive {
        listing = listing.recursive();
    }
    if descending {
        listing = listing.descending();
    }
    if pattern != "**" || draw.one_in(2) {
        listing = listing.glob(pattern);
    }
    let whole = listing.to_vec();
    let mut expected = listed(model, path, recursive, keeps);
    let Ok(whole) = whole else { return same(&what, whole.map(|_| Vec::new()), &expected) };
    if let Ok(rows) = &mut expected {
        match order {
            FileOrder::Path => {}
            FileOrder::Length => rows.sort_by(|a, b| (a.2, &a.0).cmp(&(b.2, &b.0))),
            // The model has no clock: the times have to be in order, whatever they are.
            _ => {
                let key = |e: &vellum::DirEntry| {
                    (if order == FileOrder::Created { e.created } else { e.modified }, e.path.clone())
                };
                let is_sorted = whole.is_sorted_by_key(key);
                let is_reversed = whole.iter().rev().is_sorted_by_key(key);
                assert!(if descending { is_reversed } else { is_sorted }, "{what}: {whole:?}");
                let place = |path: &str| whole.iter().position(|entry| entry.path == path);
                rows.sort_by_key(|row| place(&row.0));
            }
        }
        if descending && matches!(order, FileOrder::Path | FileOrder::Length) {
            rows.reverse();
        }
    }
    let rows = |entries: &[vellum::DirEntry]| -> Vec<_> {
        entries.iter().map(|entry| (entry.path.clone(), entry.kind, entry.length)).collect()
    };
    same(&what, Ok(rows(&whole)), &expected)?;
    same(&what, listing.count(), &Ok(whole.len() as u64))?;
    let limit = 1 + draw.below(5);
    let mut joined = listing.clone().limit(limit).to_vec()?;
    while let (true, Some(last)) = (joined.len() < whole.len(), joined.last().cloned()) {
        let page = listing.clone().after(&last).limit(limit).to_vec()?;
        assert!((1..=limit).contains(&(page.len() as u64)), "{what}: a page of {}", page.len());
        joined.extend(page);
    }
    same(&format!("pages of {what}"), Ok(rows(&joined)), &expected)
}

fn listed(
    model: &Model,
    path: &str,
    recursive: bool,
    keeps: fn(&str) -> bool,
) -> Answer<Vec<(String, FileKind, u64)>> {
    let path = parse(path)?;
    if *model.get(&path)? != Node::Directory {
        return Err(ErrorKind::TypeMismatch);
    }
    let prefix = if path == "/" { 1 } else { path.len() + 1 };
    let is_listed = |inside: &str| (recursive || !inside.contains('/')) && keeps(inside);
    Ok(model
        .inside(&path)
        .filter(|(path, _)| is_listed(&path[prefix..]))
        .map(|(path, node)| row(path, node))
        .collect())
}
