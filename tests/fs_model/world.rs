//! The database of a run, the model beside it, and what is open on both.

use std::collections::HashMap;
use std::thread;
use std::time::SystemTime;

use vellum::{Database, Snapshot, Tx};

use crate::compare;
use crate::draw::{CHUNK, Draw};
use crate::handles::{Editor, Reader};
use crate::model::{Content, Model, Node, parse};
use crate::steps;
use crate::support::{Dir, TestResult};

const MOST_NODES: usize = 60;
const DEEPEST_PATH: usize = 60;
const MOST_OPEN: usize = 4;
const WRITERS: u64 = 4;

pub(crate) struct World {
    model: Model,
    readers: Vec<Reader>,
    editors: Vec<Editor<'static>>,
    /// Old moments, and what there was then.
    snapshots: Vec<(Snapshot, Model)>,
    /// The revision of each file, when it was made, and when its bytes changed last.
    seen: HashMap<u64, (u64, SystemTime, SystemTime)>,
    databases: [Database; 2],
    stranger: rusqlite::Connection,
    _dir: Dir,
}

impl World {
    pub(crate) fn new() -> TestResult<Self> {
        let dir = Dir::new()?;
        let path = dir.file("it.db");
        let databases = [Database::open(&path)?, Database::open(&path)?];
        let stranger = rusqlite::Connection::open(&path)?;
        Ok(World {
            model: Model::default(),
            readers: Vec::new(),
            editors: Vec::new(),
            snapshots: Vec::new(),
            seen: HashMap::new(),
            databases,
            stranger,
            _dir: dir,
        })
    }

    /// Does something, and compares everything.
    pub(crate) fn step(&mut self, draw: &mut Draw) -> TestResult {
        let db = draw.pick(&self.databases).clone();
        self.prune(&db)?;
        match draw.below(100) {
            0..50 => steps::step(&db.files(), &mut self.model, draw)?,
            50..60 => self.open(&db, draw)?,
            60..68 => self.read_open(draw)?,
            68..84 => self.edit_open(draw)?,
            84..91 => self.transaction(&db, draw)?,
            91..97 => self.look_back(&db, draw)?,
            _ => self.together(&db, draw)?,
        }
        compare::all(&db.files(), &self.model)?;
        self.compare_times(&db)?;
        let staged: i64 =
            self.stranger.query_row("SELECT count(*) FROM vellum_staged", [], |row| row.get(0))?;
        if staged == 0 { Ok(()) } else { Err(format!("{staged} contents stay staged").into()) }
    }

    /// Keeps the tree from growing without end.
    fn prune(&mut self, db: &Database) -> TestResult {
        let is_large = |model: &Model| {
            model.nodes.len() > MOST_NODES || model.nodes.keys().any(|path| path.len() > DEEPEST_PATH)
        };
        while is_large(&self.model) {
            let Some(first) = self.model.nodes.keys().next().cloned() else { break };
            let expected = self.model.attempt(|model| model.delete_all(&first));
            compare::same("delete_all to prune", db.files().delete_all(&first), &expected)?;
        }
        Ok(())
    }

    fn open(&mut self, db: &Database, draw: &mut Draw) -> TestResult {
        let path = draw.path(&self.model);
        let known = parse(&path);
        let files = db.files();
        if draw.one_in(2) {
            let expected = known.and_then(|path| self.model.file(&path).cloned());
            let file = files.open(&path);
            let found = file.as_ref().map(|file| file.length()).map_err(|error| error.kind());
            let len = expected.as_ref().map(|content| content.bytes.len() as u64).map_err(|kind| *kind);
            assert_eq!(found, len, "open {path:?}");
            if let (Ok(file), Ok(content)) = (file, expected) {
                self.readers.truncate(MOST_OPEN - 1);
                self.readers.insert(0, Reader::new(file, content));
            }
            return Ok(());
        }
        let (file, expected) = match draw.below(3) {
            0 => (files.edit(&path), known.and_then(|path| Ok(self.model.file(&path)?.id))),
            1 => {
                let expected = self.model.attempt(|model| {
                    let path = known?;
                    model.create(&path)?;
                    Ok(model.file(&path)?.id)
                });
                (files.create(&path), expected)
            }
            _ => {
                let expected = self.model.attempt(|model| Ok(model.file_or_new(&known?)?.id));
                (files.open_or_create(&path), expected)
            }
        };
        let found = file.as_ref().map(|_| ()).map_err(|error| error.kind());
        assert_eq!(found, expected.map(|_| ()), "open {path:?} to write");
        if let (Ok(file), Ok(id)) = (file, expected) {
            if self.editors.len() == MOST_OPEN {
                self.editors.remove(0).close(&mut self.model);
            }
            self.editors.push(Editor::new(file, id));
        }
        Ok(())
    }

    fn read_open(&mut self, draw: &mut Draw) -> TestResult {
        if self.readers.is_empty() {
            return Ok(());
        }
        let at = draw.below(self.readers.len() as u64) as usize;
        (0..4).try_for_each(|_| self.readers[at].step(&mut self.model, draw))
    }

    fn edit_open(&mut self, draw: &mut Draw) -> TestResult {
        if self.editors.is_empty() {
            return Ok(());
        }
        let at = draw.below(self.editors.len() as u64) as usize;
        self.editors[at].step(&mut self.model, draw)
    }

    /// Runs a transaction with parts inside, which are kept or not. Nobody else sees it meanwhile.
    fn transaction(&mut self, db: &Database, draw: &mut Draw) -> TestResult {
        let mut next = self.model.clone();
        let mut tx = db.begin()?;
        part(&mut tx, &mut next, draw, 0)?;
        compare::all(&db.files(), &self.model).map_err(|error| format!("beside a transaction: {error}"))?;
        match draw.below(3) {
            0 => drop(tx),
            1 => tx.rollback()?,
            _ => {
                tx.commit()?;
                self.model = next;
            }
        }
        Ok(())
    }

    fn look_back(&mut self, db: &Database, draw: &mut Draw) -> TestResult {
        if draw.one_in(3) || self.snapshots.is_empty() {
            self.snapshots.truncate(2);
            self.snapshots.insert(0, (db.snapshot()?, self.model.clone()));
        }
        for (snapshot, then) in &self.snapshots {
            let files = snapshot.files();
            compare::all(&files, then).map_err(|error| format!("in a snapshot: {error}"))?;
            (0..3).try_for_each(|_| steps::read(&files, then, draw))?;
            let Some((path, Node::File(content))) = then.nodes.iter().next_back() else { continue };
            let file = files.open(path)?;
            for _ in 0..3 {
                let (offset, len) = (draw.offset(), draw.len());
                let mut out = vec![0xA5; len as usize];
                let count = file.read_at(offset, &mut out)?;
                assert!(out[..count] == *content.range(offset, len), "{path:?} at {offset} in a snapshot");
            }
        }
        Ok(())
    }

    /// Writes with several threads into one file, each to places of its own, while others look.
    fn together(&mut self, db: &Database, draw: &mut Draw) -> TestResult {
        let Ok(file) = db.files().open_or_create("/a") else { return Ok(()) };
        let id = self
            .model
            .attempt(|model| Ok(model.file_or_new("/a")?.id))
            .map_err(|kind| format!("{kind:?}"))?;
        let stride = 1 + draw.below(CHUNK);
        let first = draw.below(200) as u8;
        let piece = |writer: u64, round: u64| {
            ((round * WRITERS + writer) * stride, vec![first + writer as u8; stride as usize])
        };
        let write = |writer: u64| -> vellum::Result<()> {
            for round in 0..3 {
                let (offset, bytes) = piece(writer, round);
                if writer.is_multiple_of(2) {
                    file.write_at(offset, &bytes)?;
                } else {
                    db.files().write_at("/a", offset, &bytes)?;
                }
                let mut out = vec![0; bytes.len()];
                file.read_at(offset, &mut out)?;
                assert!(out == bytes, "writer {writer} does not read what it wrote");
            }
            Ok(())
        };
        thread::scope(|scope| -> TestResult {
            let writers: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || write(writer))).collect();
            writers.into_iter().try_for_each(|one| Ok(one.join().map_err(|_| "a writer panicked")??))
        })?;
        let content = self.model.by_id(id).map_err(|kind| format!("{kind:?}"))?;
        for (writer, round) in (0..WRITERS).flat_map(|writer| (0..3).map(move |round| (writer, round))) {
            let (offset, bytes) = piece(writer, round);
            content.write_at(offset, &bytes).map_err(|kind| format!("{kind:?}"))?;
        }
        Ok(())
    }

    /// A file is made once, and changes when its bytes do.
    fn compare_times(&mut self, db: &Database) -> TestResult {
        let mut wrong = None;
        let mut ids: HashMap<&str, &Content> = HashMap::new();
        for (path, node) in &self.model.nodes {
            if let Node::File(content) = node {
                ids.insert(path, content);
            }
        }
        let seen = &mut self.seen;
        db.files().list("/").recursive().for_each(|entry| {
            let Some(content) = ids.get(entry.path.as_str()) else { return };
            let now = (content.revision, entry.created, entry.modified);
            let before = seen.insert(content.id, now).unwrap_or(now);
            let is_kept = before.0 == now.0 && before.2 == now.2;
            if before.1 != now.1 || !(is_kept || (before.0 < now.0 && before.2 <= now.2)) {
                wrong = Some(format!("{:?} went from {before:?} to {now:?}", entry.path));
            }
        })?;
        wrong.map_or(Ok(()), |wrong| Err(wrong.into()))
    }
}

/// Runs a few operations in a transaction, some of them in parts of their own.
fn part(tx: &mut Tx<'_>, model: &mut Model, draw: &mut Draw, depth: u32) -> TestResult {
    for _ in 0..=draw.below(4) {
        match draw.below(4) {
            0 if depth < 2 => {
                let mut next = model.clone();
                let mut inner = tx.begin()?;
                part(&mut inner, &mut next, draw, depth + 1)?;
                match draw.below(3) {
                    0 => drop(inner),
                    1 => inner.rollback()?,
                    _ => {
                        inner.commit()?;
                        *model = next;
                    }
                }
            }
            1 => {
                let path = draw.path(model);
                let expected = model.attempt(|model| Ok(model.file_or_new(&parse(&path)?)?.id));
                let files = tx.files();
                let file = files.open_or_create(&path);
                let found = file.as_ref().map(|_| ()).map_err(|error| error.kind());
                assert_eq!(found, expected.map(|_| ()), "open {path:?} in a transaction");
                if let (Ok(file), Ok(id)) = (file, expected) {
                    let mut editor = Editor::new(file, id);
                    (0..4).try_for_each(|_| editor.step(model, draw))?;
                    editor.close(model);
                }
            }
            _ => steps::step_inside(&tx.files(), model, draw)?,
        }
        compare::all(&tx.files(), model).map_err(|error| format!("in a transaction: {error}"))?;
    }
    Ok(())
}
