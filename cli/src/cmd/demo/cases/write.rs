//! Writes: EV1, EV2, EV10.

use std::mem;
use std::path::PathBuf;

use vellum_fixtures::control::{Access, Control, Index, Stranger};
use vellum_fixtures::events::Event;
use vellum_fixtures::inputs::new_body;
use vellum_fixtures::oracle::{self, Tally};

use super::super::bench::Bench;
use super::super::case::{Answer, Case, Work};
use super::super::event::Event as Document;
use super::super::place::remove_database;
use super::super::queries;
use super::super::rows::Column;
use super::super::vellum::Vellum;
use crate::error::{Error, Result};

/// How many documents a file in use holds.
const IN_USE: usize = 1_000;
/// How many documents show Vellum that texts are short enough for its narrow index.
const LEAST_FOR_NARROW: usize = 1_000;

pub(super) fn insert_fresh(bench: &Bench) -> Result<Case<'_>> {
    Ok(insert(bench, Vec::new()))
}

pub(super) fn insert_batch(bench: &Bench) -> Result<Case<'_>> {
    // Ids below those of the batch, so that it is appended, as it is to a new file.
    let first = bench.events.iter().take(IN_USE);
    Ok(insert(
        bench,
        first.map(|event| Event { id: event.id - IN_USE as i64 - 1, ..event.clone() }).collect(),
    ))
}

fn insert(bench: &Bench, present: Vec<Event>) -> Case<'_> {
    let case = Case::new(Answer::Read(Tally::of(present.iter().chain(&bench.events))));
    let ours = VellumInsert {
        bench,
        present: present.clone(),
        path: bench.place.fresh("insert"),
        documents: Vec::new(),
        file: None,
    };
    let theirs = ControlInsert { bench, present, path: bench.place.fresh("control-insert"), file: None };
    case.side(Column::Compiled, ours).side(Column::Control, theirs)
}

/// Inserts all events, as documents of its own, into a file that holds `present`.
struct VellumInsert<'b> {
    bench: &'b Bench,
    present: Vec<Event>,
    path: PathBuf,
    documents: Vec<Document>,
    file: Option<Vellum>,
}

impl VellumInsert<'_> {
    fn remove(&mut self) {
        self.file = None;
        remove_database(&self.path);
    }
}

impl Work for VellumInsert<'_> {
    fn prepare(&mut self) -> Result<()> {
        self.remove();
        let file = Vellum::open(&self.path, self.bench.place.durability())?;
        if !self.present.is_empty() {
            file.insert(&self.present)?;
        }
        self.file = Some(file);
        self.documents = self.bench.events.iter().map(Document::from).collect();
        Ok(())
    }

    fn run(&mut self) -> Result<Answer> {
        let documents = mem::take(&mut self.documents);
        let ids = self.file.as_ref().map(|file| file.events.insert_batch(documents)).transpose()?;
        Ok(Answer::Count(ids.map_or(0, |ids| ids.len() as i64)))
    }

    fn confirm(&mut self, _inserted: Answer) -> Result<Answer> {
        let mut tally = Tally::default();
        if let Some(file) = &self.file {
            file.events.query().for_each(|event| {
                tally.add(&event.into());
                Ok(())
            })?;
        }
        Ok(Answer::Read(tally))
    }
}

impl Drop for VellumInsert<'_> {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Inserts all events into a file that holds `present`.
struct ControlInsert<'b> {
    bench: &'b Bench,
    present: Vec<Event>,
    path: PathBuf,
    file: Option<Control>,
}

impl ControlInsert<'_> {
    fn remove(&mut self) {
        self.file = None;
        remove_database(&self.path);
    }
}

impl Work for ControlInsert<'_> {
    fn prepare(&mut self) -> Result<()> {
        self.remove();
        let file = Control::open(&self.path, self.bench.place.durability())?;
        file.insert_batch(&self.present)?;
        self.file = Some(file);
        Ok(())
    }

    fn run(&mut self) -> Result<Answer> {
        let count = self.file.as_ref().map(|file| file.insert_batch(&self.bench.events)).transpose()?;
        Ok(Answer::Count(count.unwrap_or_default()))
    }

    fn confirm(&mut self, _inserted: Answer) -> Result<Answer> {
        let mut tally = Tally::default();
        if let Some(file) = &self.file {
            file.stream()?.for_each(|event| tally.add(&event))?;
        }
        Ok(Answer::Read(tally))
    }
}

impl Drop for ControlInsert<'_> {
    fn drop(&mut self) {
        self.remove();
    }
}

pub(super) fn indexes_apart(bench: &Bench) -> Result<Case<'_>> {
    let Bench { vellum, control, .. } = bench;
    vellum.drop_indexes()?;
    control.set_indexes(&[])?;
    // The drop of each, a matter of a millisecond or two, is in the time.
    let ours = || {
        for index in Index::SIX {
            if let Some(name) = vellum.create_index(index)? {
                vellum.events.drop_index(&name)?;
            }
        }
        Ok(Answer::Count(vellum.events.indexes()?.len() as i64))
    };
    let theirs = || {
        for index in Index::SIX {
            control.create_index(index)?;
            control.drop_index(index)?;
        }
        Ok(Answer::Count(control.index_count()?))
    };
    Ok(Case::new(Answer::Count(0)).side(Column::Compiled, ours).side(Column::Control, theirs))
}

pub(super) fn six_indexes(bench: &Bench) -> Result<Case<'_>> {
    build(bench, &Index::SIX, |vellum| vellum.drop_indexes())
}

pub(super) fn narrow_index(bench: &Bench) -> Result<Case<'_>> {
    if bench.events.len() < LEAST_FOR_NARROW {
        let control = build_control(bench, &[Index::Narrow])?;
        return Ok(Case::new(Answer::Count(1)).side(Column::Control, control));
    }
    build(bench, &[Index::Narrow], |vellum| {
        // It goes with the six alone.
        vellum.drop_indexes()?;
        vellum.create_indexes(&Index::SIX)
    })
}

pub(super) fn compound_index(bench: &Bench) -> Result<Case<'_>> {
    build(bench, &[Index::Compound], |vellum| vellum.set_indexes(&[]))
}

/// A case that adds `indexes`, which `reset` takes away from Vellum.
fn build<'b>(
    bench: &'b Bench,
    indexes: &'static [Index],
    reset: fn(&Vellum) -> Result<()>,
) -> Result<Case<'b>> {
    let vellum = &bench.vellum;
    let ours = Build {
        engine: "vellum",
        reset: move || reset(vellum),
        create: move || vellum.create_indexes(indexes),
        file: Stranger::open(bench.place.documents(), "events")?,
        before: Contents::default(),
        added_bytes: None,
    };
    let added = Answer::Count(indexes.len() as i64);
    Ok(Case::new(added).side(Column::Compiled, ours).side(Column::Control, build_control(bench, indexes)?))
}

fn build_control<'b>(bench: &'b Bench, indexes: &'static [Index]) -> Result<impl Work + 'b> {
    let control = &bench.control;
    control.set_indexes(&Index::SIX)?;
    Ok(Build {
        engine: "control",
        reset: move || Ok(indexes.iter().try_for_each(|&index| control.drop_index(index))?),
        create: move || Ok(indexes.iter().try_for_each(|&index| control.create_index(index))?),
        file: Stranger::open(&bench.place.control(), "t")?,
        before: Contents::default(),
        added_bytes: None,
    })
}

/// Adds indexes that are not there; the file is looked at from outside.
struct Build<R, C> {
    engine: &'static str,
    reset: R,
    create: C,
    file: Stranger,
    before: Contents,
    added_bytes: Option<u64>,
}

/// What the file holds.
#[derive(Default)]
struct Contents {
    indexes: i64,
    bytes: u64,
}

impl Contents {
    fn of(file: &Stranger) -> Result<Self> {
        Ok(Self { indexes: file.index_count()?, bytes: file.bytes()? })
    }
}

impl<R: FnMut() -> Result<()>, C: FnMut() -> Result<()>> Work for Build<R, C> {
    fn prepare(&mut self) -> Result<()> {
        (self.reset)()?;
        self.before = Contents::of(&self.file)?;
        Ok(())
    }

    fn run(&mut self) -> Result<Answer> {
        (self.create)()?;
        Ok(Answer::Count(0))
    }

    fn confirm(&mut self, _unknown: Answer) -> Result<Answer> {
        // Looking at every entry takes longer than building it: once is enough.
        if self.added_bytes.is_none() && !self.file.is_sound()? {
            return Err(Error::Unsound { engine: self.engine });
        }
        let after = Contents::of(&self.file)?;
        self.added_bytes = Some(after.bytes.saturating_sub(self.before.bytes));
        Ok(Answer::Count(after.indexes - self.before.indexes))
    }

    fn added_bytes(&self) -> Option<u64> {
        self.added_bytes
    }
}

pub(super) fn update(bench: &Bench) -> Result<Case<'_>> {
    bench.set_indexes(&[])?;
    let Bench { vellum, control, .. } = bench;
    let compiled = queries::update(&vellum.db)?;
    let ordinary = |body: &str| {
        let found = vellum.events.filter(queries::is_updated);
        found.update(|e| e.body.set(body))
    };
    let changed = |count: u64| Ok(count.cast_signed());
    let ids = |body: &str| Ok(vellum.events.filter(|e| e.body.eq(body)).select(|e| e.id).to_vec()?);
    // Each side gives bodies of its own, so that it always changes what it looks at.
    let mut case = Case::new(Answer::Ids(oracle::updated_ids(&bench.events)))
        .side(Column::Compiled, Bodies::new(2 << 20, move |body| changed(compiled.call(body)?), ids))
        .side(Column::Ordinary, Bodies::new(3 << 20, move |body| changed(ordinary(body)?), ids));
    for (column, access, round) in
        [(Column::Control, Access::Named, 0), (Column::Planner, Access::Planner, 1 << 20)]
    {
        let mut update = control.update(access)?;
        let ids = |body: &str| Ok(control.ids_by_body(body)?);
        case = case.side(column, Bodies::new(round, move |body| Ok(update.run(body)?), ids));
    }
    Ok(case)
}

/// Gives another body each time.
struct Bodies<U, I> {
    round: u64,
    body: String,
    /// Gives the body and returns to how many.
    update: U,
    /// Returns the ids of those that have it.
    ids: I,
}

impl<U: FnMut(&str) -> Result<i64>, I: FnMut(&str) -> Result<Vec<i64>>> Bodies<U, I> {
    fn new(round: u64, update: U, ids: I) -> Self {
        Self { round, body: String::new(), update, ids }
    }
}

impl<U: FnMut(&str) -> Result<i64>, I: FnMut(&str) -> Result<Vec<i64>>> Work for Bodies<U, I> {
    fn prepare(&mut self) -> Result<()> {
        self.round += 1;
        self.body = new_body(self.round);
        Ok(())
    }

    fn run(&mut self) -> Result<Answer> {
        Ok(Answer::Count((self.update)(&self.body)?))
    }

    fn confirm(&mut self, changed: Answer) -> Result<Answer> {
        let ids = (self.ids)(&self.body)?;
        // The count that the engine gave must be that of the documents that have the body.
        Ok(if changed == Answer::Count(ids.len() as i64) { Answer::Ids(ids) } else { changed })
    }
}
